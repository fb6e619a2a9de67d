/* SPDX-License-Identifier: MIT
 *
 * Rules: what they bound and what they raise, what their approvals come to, what is said about a
 * decision, and what becomes of a request.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "policy/policy.h"
#include "tap.h"

/* The rules of these are written as a user would. */
struct row {
	const char *rules, *words;
	struct ask ask;
	enum verdict verdict;
	const char *decided_by;
};

#define COMPUTE CAP_BIT(CAP_COMPUTE)
#define READ CAP_BIT(CAP_READ)
#define WRITE CAP_BIT(CAP_WRITE)
#define NET CAP_BIT(CAP_NET)
#define SECRET CAP_BIT(CAP_SECRET)
#define HOST CAP_BIT(CAP_HOST)
#define RULE(id, when, then) "- {id: " id ", when: {" when "}, then: " then "}\n"

static const struct row rows[] = {
	{RULE("no-net", "caps: net", "deny"),
	 "a deny beats the profile",
	 {.origin = ORIGIN_PLAN, .caps = NET},
	 VERDICT_DENY,
	 "rule/no-net"},
	{RULE("no-net", "caps: net", "deny"),
	 "and leaves alone what it is not about",
	 {.origin = ORIGIN_PLAN, .caps = WRITE},
	 VERDICT_ALLOW,
	 "profile/balanced/plan/none/compute"},
	{RULE("open", "origin: exposed, caps: net", "allow"),
	 "a rule raises what may be raised",
	 {.origin = ORIGIN_EXPOSED, .caps = NET},
	 VERDICT_CONTAINED,
	 "profile/balanced/exposed/none/compute"},
	{RULE("open", "origin: exposed, caps: [compute, net]", "allow"),
	 "all that it names",
	 {.origin = ORIGIN_EXPOSED, .caps = NET},
	 VERDICT_ALLOW,
	 "rule/open"},
	{RULE("open", "origin: exposed, caps: [compute, net]", "allow"),
	 "also what is asked alone",
	 {.origin = ORIGIN_EXPOSED},
	 VERDICT_ALLOW,
	 "rule/open"},
	{RULE("open", "origin: exposed, caps: net", "allow") RULE("shut", "caps: net", "ask-two"),
	 "but the strictest wins",
	 {.origin = ORIGIN_EXPOSED, .caps = NET},
	 VERDICT_ASK_TWO,
	 "rule/shut"},
	{RULE("open", "origin: exposed, caps: net", "allow"),
	 "who is trusted less gets nothing by it",
	 {.origin = ORIGIN_DERIVED, .caps = NET},
	 VERDICT_ASK,
	 "profile/balanced/derived/none/net"},
	{RULE("ask", "origin: user, caps: write", "ask"),
	 "what users are asked, agents are asked",
	 {.origin = ORIGIN_AGENT, .caps = WRITE},
	 VERDICT_ASK,
	 "rule/ask"},
	{RULE("ask", "origin: agent, caps: write", "ask"),
	 "but not users",
	 {.origin = ORIGIN_USER, .caps = WRITE},
	 VERDICT_ALLOW,
	 "profile/balanced/user/none/compute"},
	{RULE("all", "caps: secret", "ask"),
	 "a rule without origins never raises",
	 {.origin = ORIGIN_EXPOSED, .caps = SECRET},
	 VERDICT_ASK_TWO,
	 "profile/balanced/exposed/none/secret"},
	{RULE("all", "origin: agent", "ask"),
	 "a rule without capabilities never raises",
	 {.origin = ORIGIN_AGENT, .caps = HOST},
	 VERDICT_DENY,
	 "profile/balanced/agent/none/host"},
	{RULE("both", "caps: [read, net]", "deny"),
	 "all of caps must be asked for",
	 {.origin = ORIGIN_AGENT, .caps = NET},
	 VERDICT_ALLOW,
	 "profile/balanced/agent/none/compute"},
	{RULE("both", "caps: [read, net]", "deny"),
	 "and then it holds",
	 {.origin = ORIGIN_AGENT, .caps = READ | NET},
	 VERDICT_DENY,
	 "rule/both"},
	{RULE("both", "caps: [read, net]", "deny"),
	 "who writes reads",
	 {.origin = ORIGIN_AGENT, .caps = WRITE | NET},
	 VERDICT_DENY,
	 "rule/both"},
	{RULE("any", "caps_any: [read, net]", "deny"),
	 "one of caps_any is enough",
	 {.origin = ORIGIN_AGENT, .caps = NET},
	 VERDICT_DENY,
	 "rule/any"},
	{RULE("any", "caps_any: [read, net]", "deny"),
	 "none of them is not",
	 {.origin = ORIGIN_AGENT, .caps = SECRET},
	 VERDICT_ASK,
	 "profile/balanced/agent/none/secret"},
	{RULE("shown", "origin: agent, grade: shown", "ask"),
	 "findings, and worse ones",
	 {.origin = ORIGIN_AGENT, .grade = GRADE_ASKS},
	 VERDICT_ASK,
	 "rule/shown"},
	{RULE("shown", "origin: agent, grade: shown", "ask"),
	 "not better ones",
	 {.origin = ORIGIN_AGENT},
	 VERDICT_ALLOW,
	 "profile/balanced/agent/none/compute"},
	{RULE("calm", "origin: agent, caps: compute, grade: asks", "allow-contained"),
	 "findings that ask may be calmed down to contained",
	 {.origin = ORIGIN_AGENT, .grade = GRADE_ASKS},
	 VERDICT_CONTAINED,
	 "rule/calm"},
	{RULE("sh", "lang: bash", "ask"),
	 "a language",
	 {.origin = ORIGIN_USER, .lang = "bash"},
	 VERDICT_ASK,
	 "rule/sh"},
	{RULE("sh", "lang: bash", "ask"),
	 "another language",
	 {.origin = ORIGIN_USER, .lang = "python"},
	 VERDICT_ALLOW,
	 "profile/balanced/user/none/compute"},
	{RULE("sh", "lang: bash", "ask"),
	 "a language that is not known may be that one",
	 {.origin = ORIGIN_USER},
	 VERDICT_ASK,
	 "rule/sh"},
	{RULE("web", "source: web", "ask"),
	 "a source",
	 {.origin = ORIGIN_EXPOSED, .sources = 1U << FROM_WEB | 1U << FROM_FILE},
	 VERDICT_ASK,
	 "rule/web"},
	{RULE("web", "source: web", "ask"),
	 "another source",
	 {.origin = ORIGIN_EXPOSED, .sources = 1U << FROM_FILE},
	 VERDICT_CONTAINED,
	 "profile/balanced/exposed/none/compute"},
	{RULE("file", "origin: exposed, caps: [compute, write], source: file", "allow"),
	 "who read files only",
	 {.origin = ORIGIN_EXPOSED, .caps = COMPUTE, .sources = 1U << FROM_FILE},
	 VERDICT_ALLOW,
	 "rule/file"},
	{RULE("file", "origin: exposed, caps: [compute, write], source: file", "allow"),
	 "files and something else",
	 {.origin = ORIGIN_EXPOSED, .caps = COMPUTE, .sources = 1U << FROM_WEB | 1U << FROM_FILE},
	 VERDICT_CONTAINED,
	 "profile/balanced/exposed/none/compute"},
	{"- {id: two, when: {caps: net}, then: ask, approval: {approvers: 2}}\n",
	 "two approvers make ask ask-two",
	 {.origin = ORIGIN_PLAN, .caps = NET},
	 VERDICT_ASK_TWO,
	 "rule/two"},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		char text[1024], name[POLICY_REASON_MAX];
		struct policy p;
		struct decision d;
		struct err err = {0};

		snprintf(text, sizeof(text), "version: 1\nrules:\n%s", row->rules);
		if (!ok(policy_parse(&p, "f", text, strlen(text), &err) == 0, "%s: it is read",
			row->words))
			printf("# %s\n", err.message);
		policy_decide(&p, &row->ask, &d);
		if (!ok(d.verdict == row->verdict && d.of[d.cap].verdict == d.verdict &&
				strcmp(decision_row(&d, name, sizeof(name)), row->decided_by) == 0,
			"%s", row->words))
			printf("# %s by %s\n", verdict_name(d.verdict), name);
		policy_done(&p);
	}
}

/* Of approvals the strictest, where a rule says anything; else the policy's. */
static void test_approval(void)
{
	static const char text[] =
		"version: 1\n"
		"approval: {scope: hash, ttl: 2h, approvers: 1}\n"
		"rules:\n"
		"- {id: a, when: {caps: net}, then: ask, approval: {ttl: 30m, wait: 20m}}\n"
		"- {id: b, when: {caps: net}, then: ask, approval: {scope: domain, ttl: 5m, wait: "
		"40m}}\n"
		"- {id: c, when: {caps: host}, then: ask, approval: {scope: once, ttl: 1s}}\n";
	struct ask ask = {.origin = ORIGIN_USER, .caps = CAP_BIT(CAP_NET)};
	struct policy p;
	struct decision d;
	struct err err;

	ok(policy_parse(&p, "f", text, strlen(text), &err) == 0, "it is read");
	policy_decide(&p, &ask, &d);
	ok(d.verdict == VERDICT_ASK && d.approval.scope == SCOPE_DOMAIN &&
		   d.approval.ttl_ms == 300000 && d.approval.wait_ms == 1200000 &&
		   d.approval.approvers == 1,
	   "the strictest of the rules that match");
	ask.caps = CAP_BIT(CAP_SECRET);
	policy_decide(&p, &ask, &d);
	ok(d.verdict == VERDICT_ASK && d.approval.scope == SCOPE_HASH &&
		   d.approval.ttl_ms == 7200000 && d.approval.wait_ms == 3600000,
	   "else what the policy says");
	policy_done(&p);
}

static void test_words(void)
{
	static const char text[] = "version: 1\nrules:\n"
				   "- {id: x, why: because, when: {caps: net}, then: ask}\n";
	struct ask ask = {.origin = ORIGIN_AGENT, .caps = CAP_BIT(CAP_NET)};
	char words[POLICY_REASON_MAX];
	struct policy p;
	struct decision d;
	struct err err;

	if (policy_parse(&p, "f", text, strlen(text), &err) < 0)
		abort();
	policy_decide(&p, &ask, &d);
	ok(strcmp(decision_reason(&d, CAP_NET, words, sizeof(words)),
		  "net: ask by rule x: because") == 0,
	   "the rule and its why are told");
	ok(strstr(decision_reason(&d, CAP_COMPUTE, words, sizeof(words)),
		  "compute: allow by profile balanced for origin agent"),
	   "so is the profile");
	ok(!*decision_reason(&d, CAP_HOST, words, sizeof(words)),
	   "nothing is said of what was not asked for");
	ok(strcmp(caps_words(d.asked, words, sizeof(words)), "compute, net") == 0 &&
		   strcmp(caps_words(0, words, sizeof(words)), "none") == 0,
	   "sets have words");
	ask.grade = GRADE_DENIES;
	policy_decide(&p, &ask, &d);
	ok(strstr(decision_reason(&d, CAP_COMPUTE, words, sizeof(words)),
		  "no rule can loosen that"),
	   "that nothing loosens hostile is said");
	policy_done(&p);
}

/* What a rule allowed is there, also when the rest is contained. */
static void test_granted(void)
{
	static const char text[] = "version: 1\nrules:\n"
				   "- {id: x, when: {origin: exposed, caps: net}, then: allow}\n";
	struct ask ask = {.origin = ORIGIN_EXPOSED, .caps = NET | READ};
	struct policy p;
	struct decision d;
	struct err err;

	if (policy_parse(&p, "f", text, strlen(text), &err) < 0)
		abort();
	policy_decide(&p, &ask, &d);
	ok(d.verdict == VERDICT_CONTAINED && d.granted == (COMPUTE | READ | NET) && d.box.network &&
		   d.box.workspace == WORKSPACE_OVERLAY && !d.box.commit,
	   "a capability that a rule allows is granted in a contained run");
	policy_done(&p);
	if (policy_init(&p, POLICY_OBSERVE, &err) < 0)
		abort();
	ask.caps = NET | WRITE;
	policy_decide(&p, &ask, &d);
	ok(d.verdict == VERDICT_CONTAINED && d.granted == (COMPUTE | READ) && !d.box.network &&
		   d.box.workspace == WORKSPACE_OVERLAY && !d.box.commit,
	   "what would have been asked is withheld");
	policy_done(&p);
}

static void test_confine(void)
{
	struct policy_box box = {.tier = TIER_NO_CGROUP, .workspace = WORKSPACE_OVERLAY};
	struct request r;
	struct err err;

	request_init(&r);
	ok(policy_caps_of(&r) == COMPUTE, "a request without a workspace computes");
	r.commit = true;
	ok(policy_caps_of(&r) == COMPUTE, "there is nothing to commit without one");
	r.workspace = "/w";
	r.workspace_mode = WORKSPACE_OVERLAY;
	ok(policy_caps_of(&r) == (COMPUTE | READ | WRITE), "a commit writes");
	r.commit = false;
	ok(policy_caps_of(&r) == (COMPUTE | READ), "an overlay reads");
	r.workspace_mode = WORKSPACE_RW;
	ok(policy_caps_of(&r) == (COMPUTE | READ | WRITE), ":rw writes");
	r.commit = true;
	box.limit[LIMIT_TIME] = 1000;
	box.limit[LIMIT_CPU_TIME] = 2000;
	box.limit[LIMIT_MEMORY] = 1ULL << 40;
	ok(policy_confine(&box, &r, &err) == 0 && r.workspace && !r.commit &&
		   r.workspace_mode == WORKSPACE_OVERLAY,
	   "a contained request has an overlay and no commit");
	ok(r.limit[LIMIT_TIME] == 1000 && r.limit[LIMIT_CPU_TIME] == 2000 &&
		   r.limit[LIMIT_MEMORY] == limit_row(LIMIT_MEMORY)->fallback,
	   "limits are taken down, set where there was none, never up");
	box.workspace = WORKSPACE_NONE;
	r.venv = "/v";
	ok(policy_confine(&box, &r, &err) == 0 && !r.workspace && !r.venv &&
		   r.workspace_mode == WORKSPACE_NONE,
	   "without reading there is no workspace and no virtual environment");
	r.venv = "/v";
	ok(policy_caps_of(&r) == (COMPUTE | READ), "a virtual environment is read");
	r.tier = TIER_NO_USERNS;
	ok(policy_confine(&box, &r, &err) < 0 && err.code == ERR_REFUSED &&
		   strstr(err.cause, "no-cgroup"),
	   "a box that is too weak is refused");
}

/* A request that has all there is. */
static struct request greedy(void)
{
	struct request r;

	memset(&r, 0, sizeof(r));
	request_init(&r);
	r.tier = TIER_NO_USERNS;
	r.workspace = "/w";
	r.workspace_mode = WORKSPACE_RW;
	r.commit = true;
	r.venv = "/v";
	r.asks = CAP_ALL;
	return r;
}

/* Each member of a box takes something from the request that policy_confined_alike compares. The rows
 * have no member names, so that the compiler tells of a new member without a row. */
static void test_confine_all(void)
{
	static const struct policy_box most = {TIER_NO_USERNS, true, true, true, WORKSPACE_RW, {0}};
	static const struct {
		const char *name;
		struct policy_box box;
	} less[] = {
		{"tier", {TIER_FULL, true, true, true, WORKSPACE_RW, {0}}},
		{"network", {TIER_NO_USERNS, false, true, true, WORKSPACE_RW, {0}}},
		{"secrets", {TIER_NO_USERNS, true, false, true, WORKSPACE_RW, {0}}},
		{"commit", {TIER_NO_USERNS, true, true, false, WORKSPACE_RW, {0}}},
		{"workspace", {TIER_NO_USERNS, true, true, true, WORKSPACE_RO, {0}}},
		{"limit", {TIER_NO_USERNS, true, true, true, WORKSPACE_RW, {[LIMIT_OUTPUT] = 1}}},
	};
	struct request all = greedy();
	struct err err;

	ok(policy_confine(&most, &all, &err) == 0 && policy_confined_alike(&all, &all),
	   "the widest box is one");
	for (size_t i = 0; i < sizeof(less) / sizeof(less[0]); i++) {
		struct request r = greedy();
		ok(policy_confine(&less[i].box, &r, &err) < 0 || !policy_confined_alike(&r, &all),
		   "less %s is another request", less[i].name);
	}
}

int main(void)
{
	test_rows();
	test_approval();
	test_words();
	test_granted();
	test_confine();
	test_confine_all();
	return tap_done();
}
