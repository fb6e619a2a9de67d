/* SPDX-License-Identifier: MIT
 *
 * Plan tokens: each thing they are bound to, their uses, and what is no token. And the question
 * where code came from, row by row.
 */
#include "origin_case.h"

#include "base/scope.h"

#define HOUR ((uint64_t)3600 * 1000000)

struct world {
	struct origin_case *c;
	struct domain d, other;
	struct plan ask;
	struct label inputs;
	uint8_t code[KEEPER_SHA256], policy[KEEPER_SHA256];
	char token[PLAN_TEXT_MAX];
};

static struct plan_use use_of(struct world *w)
{
	return (struct plan_use){.code_sha256 = w->code,
				 .policy_sha256 = w->policy,
				 .lang = "python",
				 .suffix = ".py",
				 .caps = CAP_BIT(CAP_COMPUTE),
				 .inputs = &w->inputs,
				 .domain = &w->d,
				 .now_us = w->ask.from_us + 1};
}

static void make_world(struct world *w, struct origin_case *c)
{
	char handle[HANDLE_MAX];
	struct plan *p = &w->ask;
	struct err err = {0};

	memset(w, 0, sizeof(*w));
	w->c = c;
	w->d = case_domain(c, "uid:1", handle);
	w->other = case_domain(c, "uid:1", handle);
	memset(w->code, 1, sizeof(w->code));
	memset(w->policy, 2, sizeof(w->policy));
	memcpy(p->code_sha256, w->code, sizeof(w->code));
	memcpy(p->policy_sha256, w->policy, sizeof(w->policy));
	strcpy(p->lang, "python");
	strcpy(p->suffix, ".py");
	p->caps = CAP_BIT(CAP_COMPUTE) | CAP_BIT(CAP_READ);
	p->least = INTEGRITY_UNTRUSTED;
	p->most = SECRECY_INTERNAL;
	p->from_us = c->k.now_us();
	p->to_us = p->from_us + HOUR;
	p->runs = 2;
	w->inputs = label_unknown();
	case_done(plan_mint(&c->k, &w->d, &w->ask, w->token, &err) == 0, &err);
	case_done(domain_load(&c->k, &w->d.id, &w->d, &err) == 0, &err);
}

static enum plan_answer check(struct world *w, const struct plan_use *u)
{
	struct plan p;

	return plan_check(w->c->k.key.public, w->token, u, &p);
}

static void test_bound(struct world *w)
{
	struct plan_use u = use_of(w);
	uint8_t other[KEEPER_SHA256] = {0};
	struct label worse = {0}, secret = {.integrity = INTEGRITY_USER, .secrecy = SECRECY_SECRET};
	struct domain later = w->d;

	later.epoch++;
	ok(check(w, &u) == PLAN_GOOD, "the same code");
	u.caps |= CAP_BIT(CAP_READ);
	ok(check(w, &u) == PLAN_GOOD, "all that was planned");
	u.caps |= CAP_BIT(CAP_NET);
	ok(check(w, &u) == PLAN_MORE_CAPS, "more than was planned");
	u = use_of(w), u.code_sha256 = other;
	ok(check(w, &u) == PLAN_OTHER_CODE, "other code");
	u = use_of(w), u.policy_sha256 = other;
	ok(check(w, &u) == PLAN_OTHER_POLICY, "another policy");
	u = use_of(w), u.lang = "bash";
	ok(check(w, &u) == PLAN_OTHER_LANG, "another language");
	u = use_of(w), u.suffix = ".mjs";
	ok(check(w, &u) == PLAN_OTHER_SUFFIX, "another kind of file");
	u = use_of(w), u.domain = &w->other;
	ok(check(w, &u) == PLAN_OTHER_DOMAIN, "another domain");
	u = use_of(w), u.domain = &later;
	ok(check(w, &u) == PLAN_OTHER_EPOCH, "another epoch");
	u = use_of(w), u.inputs = &worse;
	ok(check(w, &u) == PLAN_INPUTS, "worse inputs");
	u = use_of(w), u.inputs = &secret;
	ok(check(w, &u) == PLAN_INPUTS, "inputs that are more secret");
	u = use_of(w), u.now_us = w->ask.from_us - 1;
	ok(check(w, &u) == PLAN_EARLY, "too early");
	u.now_us = w->ask.to_us - 1;
	ok(check(w, &u) == PLAN_GOOD, "in the last moment");
	u.now_us++;
	ok(check(w, &u) == PLAN_LATE, "too late");
}

/* The same code with something else beside it is something else. */
static void test_rest(struct world *w)
{
	static const char *const one[] = {"a", "b"}, *const joined[] = {"ab"};
	struct request r[] = {
		{.argc = 2, .argv = one},     {.argc = 1, .argv = joined},
		{.envc = 1, .env = {"ab"}},   {.envc = 1, .env = {"NODE_OPTIONS=--import=data:,x"}},
		{.execc = 1, .exec = {"ab"}}, {.venv = "ab"}};
	enum { COUNT = sizeof(r) / sizeof(r[0]) };
	uint8_t rest[COUNT + 1][KEEPER_SHA256];
	struct plan_use u = use_of(w);
	struct plan ask = w->ask;
	char token[PLAN_TEXT_MAX];
	struct plan p;
	struct err err = {0};
	size_t wrong = 0;

	plan_rest(&(struct request){0}, rest[COUNT]);
	for (size_t i = 0; i < COUNT; i++)
		plan_rest(&r[i], rest[i]);
	for (size_t i = 0; i <= COUNT; i++)
		for (size_t k = 0; k < i; k++)
			wrong += memcmp(rest[i], rest[k], KEEPER_SHA256) == 0;
	ok(wrong == 0, "no two are the same");
	u.rest_sha256 = rest[COUNT];
	ok(check(w, &u) == PLAN_GOOD, "a plan for the code alone");
	u.rest_sha256 = rest[3];
	ok(check(w, &u) == PLAN_OTHER_REST, "is not one for it with an environment");
	memcpy(ask.rest_sha256, rest[0], KEEPER_SHA256);
	case_done(plan_mint(&w->c->k, &w->d, &ask, token, &err) == 0, &err);
	case_done(domain_load(&w->c->k, &w->d.id, &w->d, &err) == 0, &err);
	u = use_of(w), u.rest_sha256 = rest[0];
	ok(plan_check(w->c->k.key.public, token, &u, &p) == PLAN_GOOD, "one with arguments");
	u.rest_sha256 = rest[1];
	ok(plan_check(w->c->k.key.public, token, &u, &p) == PLAN_OTHER_REST, "is for just those");
	u.rest_sha256 = NULL;
	ok(plan_check(w->c->k.key.public, token, &u, &p) == PLAN_OTHER_REST, "and not for none");
}

static void test_forged(struct world *w)
{
	struct plan_use u = use_of(w);
	char good[PLAN_TEXT_MAX];
	uint8_t public[KEY_PUBLIC] = {0};
	struct plan p;
	size_t wrong = 0;

	memcpy(good, w->token, sizeof(good));
	for (size_t i = 0; i < strlen(good); i++) {
		w->token[i] = good[i] == 'A' ? 'B' : 'A';
		wrong += check(w, &u) != PLAN_FORGED;
		w->token[i] = good[i];
	}
	ok(wrong == 0, "a token with one other character is none");
	strcat(w->token, "A");
	ok(check(w, &u) == PLAN_FORGED, "nor one that is longer");
	memset(w->token, 'A', sizeof(w->token));
	ok(check(w, &u) == PLAN_FORGED, "nor one without an end");
	memcpy(w->token, good, sizeof(good));
	w->token[strlen(good) - 1] = '\0';
	ok(check(w, &u) == PLAN_FORGED, "nor a part");
	memcpy(w->token, good, sizeof(good));
	ok(plan_check(public, good, &u, &p) == PLAN_FORGED, "nor one of another key");
	ok(check(w, &u) == PLAN_GOOD, "itself is one");
}

static enum plan_answer spend(struct world *w, const struct plan *p, bool commit)
{
	AUTO_TX struct store_tx tx = {0};
	enum plan_answer a = PLAN_NONE;
	struct err err = {0};

	case_done(plan_spend(&w->c->k, p, &tx, &a, &err) == 0, &err);
	if (a == PLAN_GOOD && commit)
		case_done(store_commit(w->c->k.store, &tx, &err) == 0, &err);
	return a;
}

static void test_spend(struct world *w)
{
	AUTO_TX struct store_tx one = {0}, two = {0};
	struct plan_use u = use_of(w);
	enum plan_answer a, b;
	struct plan p;
	struct err err = {0};

	plan_check(w->c->k.key.public, w->token, &u, &p);
	ok(spend(w, &p, true) == PLAN_GOOD && spend(w, &p, false) == PLAN_GOOD,
	   "a run that did not start is not counted");
	case_done(plan_spend(&w->c->k, &p, &one, &a, &err) == 0 &&
			  plan_spend(&w->c->k, &p, &two, &b, &err) == 0,
		  &err);
	ok(a == PLAN_GOOD && b == PLAN_GOOD && store_commit(w->c->k.store, &one, &err) == 0 &&
		   store_commit(w->c->k.store, &two, &err) < 0 && err.code == ERR_CONFLICT,
	   "two at once cannot both have the last one");
	ok(spend(w, &p, true) == PLAN_SPENT, "what is used up is used up");
	id_random(&p.id);
	ok(spend(w, &p, true) == PLAN_SPENT, "so is what nobody knows");
}

static void test_mint(struct world *w)
{
	struct plan ask = w->ask;
	struct err err = {0};
	struct domain stale = w->d;
	struct keeper *k = &w->c->k;

	ask.runs = PLAN_RUNS_MAX;
	ask.to_us = ask.from_us + PLAN_TIME_MAX_US;
	ok(plan_mint(k, &stale, &ask, w->token, &err) == 0, "the largest plan");
	case_done(domain_load(k, &w->d.id, &w->d, &err) == 0, &err);
	ask.runs++;
	ok(plan_mint(k, &w->d, &ask, w->token, &err) < 0, "one run more");
	ask.runs = 0;
	ok(plan_mint(k, &w->d, &ask, w->token, &err) < 0, "no run");
	ask.runs = 1;
	ask.to_us++;
	ok(plan_mint(k, &w->d, &ask, w->token, &err) < 0, "a moment longer");
	ask = w->ask;
	memset(ask.lang, 'x', PLAN_LANG_MAX);
	ok(plan_mint(k, &w->d, &ask, w->token, &err) == 0, "the longest name of a language");
	uint64_t version = w->d.version;
	case_done(domain_load(k, &w->d.id, &w->d, &err) == 0, &err);
	ok(w->d.version == version, "no run of the domain has to be decided on again for a plan");
	memset(ask.lang, 'x', PLAN_LANG_MAX + 1);
	ok(plan_mint(k, &w->d, &ask, w->token, &err) < 0 && err.code == ERR_USAGE, "a longer one");
	stale = w->d;
	case_read(w->c, &w->d, "something from outside", GRADE_NONE);
	ok(plan_mint(k, &w->d, &w->ask, w->token, &err) < 0 && err.code == ERR_REFUSED,
	   "after something was read");
	ok(plan_mint(k, &stale, &w->ask, w->token, &err) < 0 && err.code == ERR_CONFLICT,
	   "while something is read");
}

#define FLOOR(i)                                                                                   \
	.domain = &(const struct domain)                                                           \
	{                                                                                          \
		.floor = {.integrity = INTEGRITY_##i }                                             \
	}
#define SAID(o) .said = ORIGIN_##o + 1
#define HOST(o) SAID(o), .attested = true
#define TIED(t, i) .tie = TIE_##t, .of = INTEGRITY_##i
#define GIVEN(i)                                                                                   \
	.inputs = &(const struct label)                                                            \
	{                                                                                          \
		.integrity = INTEGRITY_##i                                                         \
	}

/* TIE and OF are of one source. */
static const struct {
	const char *name;
	enum origin origin; /* the answer */
	const struct domain *domain;
	int said; /* an origin and one; 0: nobody said anything */
	bool attested;
	enum plan_answer plan;
	enum tie tie;
	enum integrity of;
	enum grade grade;
	const struct label *inputs;
} rows[] = {
	/* clang-format off */
	{"nothing is known", ORIGIN_EXPOSED, .domain = NULL},
	{"a clean domain", ORIGIN_AGENT, FLOOR(USER)},
	{"trusted tools only", ORIGIN_AGENT, FLOOR(TOOL)},
	{"an exposed domain", ORIGIN_EXPOSED, FLOOR(UNTRUSTED)},
	{"a domain with a hostile source", ORIGIN_EXPOSED, FLOOR(HOSTILE)},
	{"the agent says: user", ORIGIN_AGENT, FLOOR(USER), SAID(USER)},
	{"the agent says: plan", ORIGIN_AGENT, FLOOR(USER), SAID(PLAN)},
	{"the host says: plan", ORIGIN_AGENT, FLOOR(USER), HOST(PLAN)},
	{"the host says: user", ORIGIN_USER, FLOOR(UNTRUSTED), HOST(USER)},
	{"the host says: user, of nothing known", ORIGIN_USER, HOST(USER)},
	{"the host says: agent, of an exposed domain", ORIGIN_EXPOSED, FLOOR(UNTRUSTED), HOST(AGENT)},
	{"the host says: agent, of nothing known", ORIGIN_AGENT, HOST(AGENT)},
	{"the agent says: agent, of nothing known", ORIGIN_EXPOSED, SAID(AGENT)},
	{"anybody says: exposed", ORIGIN_EXPOSED, FLOOR(USER), SAID(EXPOSED)},
	{"anybody says: hostile", ORIGIN_HOSTILE, FLOOR(USER), SAID(HOSTILE)},
	{"a tie", ORIGIN_DERIVED, FLOOR(UNTRUSTED), TIED(ATOM, UNTRUSTED)},
	{"a tie in a new epoch", ORIGIN_DERIVED, FLOOR(USER), TIED(SPAN, UNTRUSTED)},
	{"a tie to a trusted tool", ORIGIN_AGENT, FLOOR(TOOL), TIED(SPAN, TOOL)},
	{"a tie to a hostile source", ORIGIN_HOSTILE, FLOOR(HOSTILE), TIED(ATOM, HOSTILE)},
	{"the user typed what a page says", ORIGIN_DERIVED, HOST(USER), TIED(WHOLE, UNTRUSTED)},
	{"a finding that asks", ORIGIN_AGENT, FLOOR(USER), .grade = GRADE_ASKS},
	{"a finding that denies", ORIGIN_HOSTILE, HOST(USER), .grade = GRADE_DENIES},
	{"a plan", ORIGIN_PLAN, FLOOR(HOSTILE), .plan = PLAN_GOOD, TIED(WHOLE, HOSTILE), GIVEN(HOSTILE)},
	{"a plan with a finding that denies", ORIGIN_HOSTILE, .plan = PLAN_GOOD, .grade = GRADE_DENIES},
	{"a plan that somebody calls exposed", ORIGIN_EXPOSED, .plan = PLAN_GOOD, SAID(EXPOSED)},
	{"a plan that is not good", ORIGIN_EXPOSED, FLOOR(UNTRUSTED), .plan = PLAN_LATE},
	{"clean inputs", ORIGIN_AGENT, FLOOR(USER), GIVEN(TOOL)},
	{"untrusted inputs", ORIGIN_EXPOSED, FLOOR(USER), GIVEN(UNTRUSTED)},
	/* clang-format on */
};

static void test_rows(void)
{
	struct origin_answer a;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct origin_ask ask = {.domain = rows[i].domain,
					 .declared = rows[i].said ? (enum origin)(rows[i].said - 1)
								  : ORIGIN_COUNT,
					 .attested = rows[i].attested,
					 .plan = rows[i].plan,
					 .tie = &rows[i].tie,
					 .of_tied = &rows[i].of,
					 .sources = 1,
					 .grade = rows[i].grade,
					 .inputs = rows[i].inputs};
		origin_of(&ask, &a);
		if (!ok(a.origin == rows[i].origin && a.count > 0 && a.count <= ORIGIN_REASONS_MAX,
			"%s: %s", rows[i].name, origin_name(rows[i].origin)))
			printf("# got %s\n", origin_name(a.origin));
		ok(strncmp(a.reason[a.count - 1], origin_name(a.origin),
			   strlen(origin_name(a.origin))) == 0,
		   "and its last reason says so: %s", a.reason[a.count - 1]);
	}
}

int main(void)
{
	struct origin_case c;
	struct world w;

	case_open(&c);
	make_world(&w, &c);
	test_bound(&w);
	test_rest(&w);
	test_forged(&w);
	test_spend(&w);
	test_mint(&w);
	for (int i = 0; i < PLAN_ANSWERS; i++)
		ok(plan_answer_words((enum plan_answer)i) != NULL, "an answer has words");
	test_rows();
	case_close(&c);
	return tap_done();
}
