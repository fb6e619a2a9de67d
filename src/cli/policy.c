/* SPDX-License-Identifier: MIT
 *
 * cordon policy: check a policy and its examples, explain what it decides about a request, show it
 * whole. Nothing here decides and nothing is run.
 */
#include "cli/policy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/jsonval.h"
#include "cli/rules.h"
#include "cli/verb.h"
#include "cli/verdict.h"
#include "conf/units.h"
#include "detect/json.h"

enum { ASK_BYTES_MAX = 64 << 10 };

struct check {
	const struct policy *policy;
	json_t *reports; /* or NULL */
	size_t examples;
};

static void on_report(void *context, const struct policy_report *r)
{
	struct check *c = context;

	if (c->reports) {
		json_array_append_new(c->reports,
				      json_pack("{s:s, s:i, s:s}", "rule", r->rule->id, "line",
						(int)r->line, "message", r->words));
		return;
	}
	cli_print_text(stdout, c->policy->file);
	printf(":%u: rule %s: %s\n", r->line, r->rule->id, r->words);
}

static int check(struct cli_call *call, const struct policy *p)
{
	struct check c = {.policy = p, .reports = call->json ? jsonval_array() : NULL};
	char sha256[POLICY_HEX_ROOM];
	size_t failed = policy_check(p, on_report, &c);

	for (size_t i = 0; i < p->rulec; i++)
		c.examples += p->rule[i].match.count + p->rule[i].not_match.count;
	policy_hex(p->sha256, sha256);
	if (call->json)
		jsonval_print(json_pack(
			"{s:o, s:I, s:I, s:I, s:s, s:o}", "file", rules_name_json(p->file), "rules",
			(json_int_t)p->rulec, "examples", (json_int_t)c.examples, "failed",
			(json_int_t)failed, "sha256", sha256, "reports", c.reports));
	else
		printf("%zu rules, %zu examples, %zu failed; sha256 %s\n", p->rulec, c.examples,
		       failed, sha256);
	return failed ? STATUS_FOUND : 0;
}

static int read_ask(const char *file, struct arena *arena, struct ask *ret, struct err *err)
{
	AUTO_CLOSE int fd = strcmp(file, "-") == 0
				    ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				    : open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	AUTO_FREE char *data = malloc(ASK_BYTES_MAX + 1);
	const struct node *root;
	unsigned line;

	if (!data)
		return err_memory(err);
	ssize_t len = fd < 0 ? -1 : io_read_full(fd, data, ASK_BYTES_MAX + 1);
	if (len < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	if (len > ASK_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "%s: a request has at most %d bytes", file,
			       ASK_BYTES_MAX);
	if (json_read(data, (size_t)len, 1, arena, &root, err) < 0) {
		err_context(err, "%s", file);
		return -1;
	}
	if (policy_read_ask(root, arena, ret, &line, err) == 0)
		return 0;
	err_context(err, "%s:%u", file, line);
	return -1;
}

static json_t *reasons_json(const struct decision *d)
{
	json_t *all = json_array();
	char words[POLICY_REASON_MAX];

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (d->asked & CAP_BIT(c))
			json_array_append_new(all, jsonval_readable(decision_reason(
							   d, (enum cap)c, words, sizeof(words))));
	return all;
}

static json_t *reach_json(const struct decision *d)
{
	json_t *all = json_array();

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if ((d->granted | d->if_approved) & CAP_BIT(c))
			json_array_append_new(all, json_string(cap_reach((enum cap)c)));
	return all;
}

static const char *const workspace_names[] = {[WORKSPACE_NONE] = "none",
					      [WORKSPACE_RO] = "ro",
					      [WORKSPACE_OVERLAY] = "overlay",
					      [WORKSPACE_RW] = "rw"};

static json_t *secret_names(const struct policy *p)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->secretc; i++)
		json_array_append_new(all, json_string(p->secret[i].name));
	return all;
}

static json_t *box_json(const struct policy_box *b, const struct policy *p)
{
	json_t *limits = json_object();

	for (int i = 0; i < LIMIT_COUNT; i++)
		if (b->limit[i])
			json_object_set_new(limits, limit_row((enum limit_id)i)->name,
					    jsonval_number(b->limit[i]));
	return json_pack("{s:s, s:b, s:o, s:b, s:o, s:s, s:b, s:o}", "tier",
			 tier_row(b->tier)->name, "network", b->network, "net",
			 b->network ? policy_net_json(p) : json_null(), "secrets", b->secrets,
			 "secret_names", b->secrets ? secret_names(p) : json_array(), "workspace",
			 workspace_names[b->workspace], "commit", b->commit, "limits", limits);
}

static void explain_json(const struct decision *d, const struct policy *p)
{
	char row[POLICY_REASON_MAX], sha256[POLICY_HEX_ROOM];
	bool asks = d->verdict == VERDICT_ASK || d->verdict == VERDICT_ASK_TWO;

	policy_hex(d->policy_sha256, sha256);
	json_t *all = json_pack(
		"{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "decided_by",
		decision_row(d, row, sizeof(row)), "profile", policy_profile_name(d->profile),
		"findings", grade_name(d->grade), "asked", policy_set_json(d->asked, cap_name),
		"granted", policy_set_json(d->granted, cap_name), "if_approved",
		policy_set_json(d->if_approved, cap_name), "reasons", reasons_json(d), "could",
		reach_json(d), "approval", asks ? policy_approval_json(&d->approval) : json_null(),
		"box", d->verdict == VERDICT_DENY ? json_null() : box_json(&d->box, p),
		"policy_sha256", sha256);
	/* A made-up request has no code and no record. */
	verdict_add(all, &(struct verdict_said){.verdict = verdict_name(d->verdict),
						.origin = origin_name(d->origin)});
	jsonval_print(all);
}

static void explain_box(const struct policy_box *b, const struct policy *p)
{
	char value[32];

	policy_line("box", "tier %s or stronger, network %s, workspace %s%s, secrets %s",
		    tier_row(b->tier)->name, b->network ? "by the allow-list" : "none",
		    workspace_names[b->workspace], b->commit ? " (may be committed)" : "",
		    b->secrets ? "yes" : "none");
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (b->limit[i])
			policy_line("", "%s at most %s", limit_row((enum limit_id)i)->name,
				    units_format(limit_row((enum limit_id)i)->unit, b->limit[i],
						 value, sizeof(value)));
	if (b->network)
		policy_net_lines(p);
	if (b->secrets)
		policy_secret_lines(p);
}

static void explain_approval(const struct policy_approval *a)
{
	char value[32], wait[32];

	policy_line("approval", "%s (%s), %s, asked for %s, %u %s", scope_name(a->scope),
		    scope_help(a->scope),
		    units_format(UNIT_DURATION_MS, a->ttl_ms, value, sizeof(value)),
		    units_format(UNIT_DURATION_MS, a->wait_ms, wait, sizeof(wait)), a->approvers,
		    a->approvers == 1 ? "person" : "people");
}

static void explain_text(const struct decision *d, const struct policy *p)
{
	char words[POLICY_REASON_MAX];
	unsigned could = d->granted | d->if_approved;

	printf("%s: %s\n", verdict_name(d->verdict), verdict_help(d->verdict));
	policy_line("decided by", "%s", decision_row(d, words, sizeof(words)));
	policy_line("origin", "%s: %s", origin_name(d->origin), origin_help(d->origin));
	policy_line("findings", "%s: %s", grade_name(d->grade), grade_help(d->grade));
	policy_line("asked", "%s", caps_words(d->asked, words, sizeof(words)));
	policy_line("granted", "%s", caps_words(d->granted, words, sizeof(words)));
	if (d->if_approved)
		policy_line("if approved", "%s", caps_words(d->if_approved, words, sizeof(words)));
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (d->asked & CAP_BIT(c))
			policy_line("why", "%s",
				    decision_reason(d, (enum cap)c, words, sizeof(words)));
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (could & CAP_BIT(c))
			policy_line("it could", "%s", cap_reach((enum cap)c));
	if (d->verdict == VERDICT_ASK || d->verdict == VERDICT_ASK_TWO)
		explain_approval(&d->approval);
	if (d->verdict != VERDICT_DENY)
		explain_box(&d->box, p);
}

static int explain(struct cli_call *call, const struct policy *p)
{
	struct arena arena = {0};
	struct decision d;
	struct ask ask;
	struct err err;
	int result = read_ask(call->argv[1], &arena, &ask, &err);

	if (result == 0) {
		policy_decide(p, &ask, &d);
		(call->json ? explain_json : explain_text)(&d, p);
	}
	arena_done(&arena);
	return result == 0 ? 0 : rules_fail(call, STATUS_FAILED, &err);
}

const struct cli_option cli_policy_options[] = {
	{"policy", "FILE", "a policy; else the built-in profile balanced", cli_set_policy, NULL},
	{"json", NULL, "print JSON", cli_set_json, NULL},
	{0}};

static const struct verb {
	struct cli_verb verb;
	bool is_file; /* the operand is the policy */
	int (*run)(struct cli_call *call, const struct policy *p);
} verbs[] = {
	{{"check", NULL, 1, 1}, true, check},
	{{"explain", NULL, 1, 1}, false, explain},
	{{"show", NULL, 0, 0}, false, policy_show},
};

static const struct verb *verb_of(const struct cli_call *call, struct err *err)
{
	const struct verb *verb = cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]));

	if (verb && !(verb->is_file && call->policy))
		return verb;
	err_set(err, ERR_USAGE, "what about the policy?");
	err_cure(err, "cordon policy check FILE, explain REQUEST.json or show; "
		      "cordon policy --help");
	return NULL;
}

int cli_policy(struct cli_call *call)
{
	struct err err;
	const struct verb *verb = verb_of(call, &err);
	struct policy p;

	if (!verb)
		return rules_fail(call, STATUS_USAGE, &err);
	const char *file = verb->is_file ? call->argv[1] : call->policy;
	int result = policy_open(&p, file, &err);
	int status;
	if (result == 0)
		status = verb->run(call, &p);
	else /* what is wrong with the file is what check was asked for */
		status = rules_fail(
			call, verb->is_file && !err.sys_errno ? STATUS_FOUND : STATUS_FAILED, &err);
	policy_done(&p);
	return status;
}
