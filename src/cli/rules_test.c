/* SPDX-License-Identifier: MIT
 *
 * cordon rules test: every rule on its own cases, with one engine for all of them. A true positive
 * must be found and a true negative must not; a limit that was reached is neither. An evasion test
 * says what its author expects: one that is found although he expects a miss is good news; one that
 * he expects to find and that is missed is counted, and a failure where --strict is asked for (the
 * reference never runs these).
 * Rules of the method behavioral need a stream of events, which a case is not.
 */
#include <string.h>

#include "base/scope.h"
#include "cli/case.h"
#include "cli/jsonval.h"
#include "cli/rules.h"
#include "detect/undecided.h"
#include "flow/usable.h"
#include "flow/view.h"

enum { FAILURES_SHOWN = 1000, INPUT_SHOWN = 100 };

enum suite { SUITE_POSITIVE, SUITE_NEGATIVE, SUITE_EVASION, SUITE_COUNT };

static const struct {
	const char *name, *words;
} suites[SUITE_COUNT] = {
	[SUITE_POSITIVE] = {"true_positives", "true positives"},
	[SUITE_NEGATIVE] = {"true_negatives", "true negatives"},
	[SUITE_EVASION] = {"evasion_tests", "evasion tests"},
};

struct tally {
	size_t cases, passed, failed, missed, skipped;
	size_t found; /* in which the rule fires */
};

struct tester {
	struct rules_view *v;
	struct tally tally[SUITE_COUNT];
	json_t *failures;
	struct err err;
	bool broken; /* the engine failed: ERR says how */
};

/* The larger one counts when a case has several forms. */
enum fired { FIRED_NO, FIRED_UNDECIDED, FIRED_YES };

static const char *const got_names[] = {
	[FIRED_NO] = "not_triggered", [FIRED_UNDECIDED] = "undecided", [FIRED_YES] = "triggered"};

static enum fired most(enum fired a, enum fired b)
{
	return a > b ? a : b;
}

/* What was not looked at may have been for any rule. */
static enum fired fired_of(const struct findings *f, const struct rule *rule)
{
	enum fired fired = FIRED_NO;

	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].rule == rule || undecided_number(f->list[i].rule) >= 0)
			fired = most(fired, f->list[i].undecided ? FIRED_UNDECIDED : FIRED_YES);
	return fired;
}

static enum fired fires_on(struct tester *t, const struct rule *rule, const struct event *event)
{
	struct packs *set = t->v->set;
	struct findings findings = {0};
	enum fired fired = FIRED_NO;

	if (engine_scan(set->engine, set->thread, event, &findings, &t->err) < 0)
		t->broken = true;
	else
		fired = fired_of(&findings, rule);
	findings_done(&findings);
	return fired;
}

/* What has no view is no program, or nobody knows; without a box no case is tested as it was asked. */
static enum fired fires_in(struct tester *t, const struct rule *rule, const struct event *event,
			   const char *language)
{
	struct packs *set = t->v->set;
	struct code_view view = {0};
	struct findings findings = {0};
	struct err err = {0};
	enum fired fired = FIRED_NO;

	if (view_make(language, event->content.s, event->content.len, &view, &err) == 0)
		t->broken |= engine_scan_view(set->engine, set->thread, event, VIEW_CODE,
					      (struct text){view.text, view.text_len}, &findings,
					      &t->err) < 0;
	else if (err.code != ERR_INPUT && err.code != ERR_LIMIT)
		t->broken = true;
	if (t->broken && err.code)
		t->err = err;
	if (view.limited || err.code == ERR_LIMIT)
		fired = FIRED_UNDECIDED;
	fired = most(fired, fired_of(&findings, rule));
	findings_done(&findings);
	view_done(&view);
	return fired;
}

/* As a program of either language, if it is one. */
static enum fired fires_on_code(struct tester *t, const struct rule *rule,
				const struct event *event)
{
	static const char *const languages[] = {"python", "bash"};
	enum fired fired = FIRED_NO;

	for (size_t i = 0; event->content.len && i < ARRAY_SIZE(languages); i++)
		if (!t->broken && fired != FIRED_YES)
			fired = most(fired, fires_in(t, rule, event, languages[i]));
	return fired;
}

static enum fired fires(struct tester *t, const struct rule *rule, const struct node *node)
{
	struct arena arena = {0};
	struct test_case c;
	enum fired fired;

	case_make(rule, node, &arena, &c);
	fired = fires_on(t, rule, &c.event);
	if (fired != FIRED_YES && c.skill.s) {
		struct event skill = {.type = EVENT_MCP_EXCHANGE,
				      .skill = true,
				      .content = c.skill,
				      .time_ms = EVENT_TIME_NONE};
		fired = most(fired, fires_on(t, rule, &skill));
	}
	if (fired != FIRED_YES && t->v->call->scan.code_view)
		fired = most(fired, fires_on_code(t, rule, &c.event));
	arena_done(&arena);
	return fired;
}

static void tell_failure(struct tester *t, const struct rule *rule, enum suite suite,
			 const struct node *node, enum fired fired)
{
	const struct node *input = node_get(node, "input");
	char shown[INPUT_SHOWN + 1] = "";
	const char *got = got_names[fired];

	if (input && input->kind == NODE_STRING)
		snprintf(shown, sizeof(shown), "%.*s", INPUT_SHOWN, input->text.s);
	if (json_array_size(t->failures) >= FAILURES_SHOWN)
		return;
	json_array_append_new(t->failures, json_pack("{s:o, s:s, s:i, s:s, s:o}", "rule",
						     jsonval_readable(rule->id), "test",
						     suites[suite].name, "line", (int)node->line,
						     "got", got, "input", jsonval_readable(shown)));
	if (t->v->call->json)
		return;
	cli_print_text(stdout, rule->file);
	printf(":%u: ", node->line);
	cli_print_text(stdout, rule->id);
	printf(": %s: %s: ", suites[suite].words, got);
	cli_print_text(stdout, shown);
	putchar('\n');
}

/* What its author says will happen. */
static bool expected(enum suite suite, const struct node *node)
{
	const char *word = node_string(node_get(node, "expected"));

	if (suite == SUITE_EVASION)
		return word && strcmp(word, "triggered") == 0;
	return suite == SUITE_POSITIVE;
}

static void run_case(struct tester *t, const struct rule *rule, enum suite suite,
		     const struct node *node)
{
	struct tally *tally = &t->tally[suite];
	bool want = expected(suite, node), good, fatal;
	enum fired fired;

	tally->cases++;
	if (rule->method == METHOD_BEHAVIORAL) {
		tally->skipped++;
		return;
	}
	fired = fires(t, rule, node);
	tally->found += fired == FIRED_YES;
	good = fired == FIRED_YES ? want || suite == SUITE_EVASION : fired == FIRED_NO && !want;
	fatal = suite != SUITE_EVASION || t->v->call->strict;
	tally->passed += good;
	tally->failed += !good && fatal;
	tally->missed += !good && !fatal;
	if (!good && fatal)
		tell_failure(t, rule, suite, node, fired);
}

static void run_list(struct tester *t, const struct rule *rule, enum suite suite,
		     const struct node *list)
{
	for (size_t i = 0; list && list->kind == NODE_LIST && i < list->list.count; i++)
		if (!t->broken)
			run_case(t, rule, suite, list->list.item[i]);
}

static void run_rule(struct tester *t, const struct rule *rule)
{
	for (int i = 0; i < SUITE_COUNT; i++)
		run_list(t, rule, (enum suite)i, node_get(rule->test_cases, suites[i].name));
	run_list(t, rule, SUITE_EVASION, rule->evasion_tests);
}

static void print_table(const struct tester *t)
{
	printf("%-16s%8s%8s%8s%8s%8s%8s\n", "", "cases", "passed", "failed", "missed", "skipped",
	       "found");
	for (int i = 0; i < SUITE_COUNT; i++) {
		const struct tally *n = &t->tally[i];
		printf("%-16s%8zu%8zu%8zu%8zu%8zu%8zu\n", suites[i].words, n->cases, n->passed,
		       n->failed, n->missed, n->skipped, n->found);
	}
	printf("%zu rules, mode %s\n", t->v->pack->rulec, detect_mode_name(t->v->call->scan.mode));
}

FIELD(tally_cases, struct tally, jsonval_number(v->cases))
FIELD(tally_passed, struct tally, jsonval_number(v->passed))
FIELD(tally_failed, struct tally, jsonval_number(v->failed))
FIELD(tally_missed, struct tally, jsonval_number(v->missed))
FIELD(tally_skipped, struct tally, jsonval_number(v->skipped))
FIELD(tally_found, struct tally, jsonval_number(v->found))

static const struct cli_field tally_fields[] = {
	{"cases", "how many there are", tally_cases},
	{"passed", "as expected, or better", tally_passed},
	{"failed", "not as expected", tally_failed},
	{"missed", "evasions that their author expects to be found", tally_missed},
	{"skipped", "cannot be tested", tally_skipped},
	{"found", "in which the rule fires", tally_found},
	{0}};

static int print_json(const struct tester *t)
{
	json_t *all = json_pack("{s:I, s:s}", "rules", (json_int_t)t->v->pack->rulec, "mode",
				detect_mode_name(t->v->call->scan.mode));

	for (int i = 0; i < SUITE_COUNT; i++)
		json_object_set_new(all, suites[i].name,
				    jsonval_object(tally_fields, &t->tally[i]));
	json_object_set(all, "failures", t->failures);
	return rules_print_json(all);
}

/* Drafts and deprecated rules are tested as if they were live. */
static void wake(struct pack *pack)
{
	for (size_t i = 0; i < pack->rulec; i++) {
		pack->rule[i].status = RULE_STATUS_EXPERIMENTAL;
		pack->rule[i].source = case_source(pack->rule[i].source);
	}
}

int rules_test(struct rules_view *v)
{
	struct tester t = {.v = v, .failures = json_array()};
	struct engine_options options = {.mode = (enum detect_mode)v->call->scan.mode};
	int status = STATUS_FAILED;

	wake(v->pack);
	if (usable_rules(v->set, &t.err) < 0 || packs_start(v->set, &options, &t.err) < 0 ||
	    usable_engine(v->set, &options, &t.err) < 0 || rules_tell_dead(v, &t.err) < 0)
		t.broken = true;
	for (size_t i = 0; !t.broken && i < v->pack->rulec; i++)
		run_rule(&t, &v->pack->rule[i]);
	if (t.broken) {
		status = t.err.code == ERR_USAGE ? STATUS_USAGE : STATUS_FAILED;
		rules_fail(v->call, status, &t.err);
	} else {
		status = 0;
		if (v->call->json)
			status = print_json(&t);
		else
			print_table(&t);
		for (int i = 0; i < SUITE_COUNT; i++)
			status = !status && t.tally[i].failed ? STATUS_FOUND : status;
	}
	json_decref(t.failures);
	return status;
}
