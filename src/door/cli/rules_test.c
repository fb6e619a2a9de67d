/* SPDX-License-Identifier: MIT
 *
 * cordon rules test: tests every rule on its own cases, with one engine for all rules. A true
 * positive must be found and a true negative must not be found; a reached limit is neither. An
 * evasion test states what its author expects. An unexpected finding is good news. An unexpected
 * miss is counted, and is a failure with --strict (the reference never runs evasion tests). Rules
 * of the method behavioral need a stream of events and are not tested.
 */
#include <string.h>

#include "base/scope.h"
#include "conf/profile.h"
#include "detect/findings.h"
#include "detect/usable.h"
#include "door/cli/rule_case.h"
#include "door/cli/rules_command.h"
#include "read/view.h"
#include "show/jsonval.h"
#include "show/terminal.h"

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
	bool broken; /* the engine failed: see ERR */
};

/* If a case has several forms, the larger value counts. */
enum fired { FIRED_NO, FIRED_UNDECIDED, FIRED_YES };

static const char *const got_names[] = {
	[FIRED_NO] = "not_triggered", [FIRED_UNDECIDED] = "undecided", [FIRED_YES] = "triggered"};

static enum fired most(enum fired a, enum fired b)
{
	return a > b ? a : b;
}

/* A part that was not scanned could match any rule. */
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

/* A case without a view is not a program, or cannot be read. Without a box, --code-view fails. */
static enum fired fires_in(struct tester *t, const struct rule *rule, const struct event *event,
			   const char *language)
{
	struct packs *set = t->v->set;
	struct code_view view = {0};
	struct findings findings = {0};
	struct err err = {0};
	enum fired fired = FIRED_NO;

	if (view_reader.read(language, event->content.s, event->content.len, &view, &err) == 0)
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
	code_view_done(&view);
	return fired;
}

/* Tests the case as a program of each language. */
static enum fired fires_on_code(struct tester *t, const struct rule *rule,
				const struct event *event)
{
	const struct profile *p;
	enum fired fired = FIRED_NO;

	for (unsigned i = 0; event->content.len && (p = profile_at(i)); i++)
		if (p->reader && !t->broken && fired != FIRED_YES)
			fired = most(fired, fires_in(t, rule, event, p->name));
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
	if (fired != FIRED_YES && t->v->options->code_view)
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
	terminal_print_text(stdout, rule->file);
	printf(":%u: ", node->line);
	terminal_print_text(stdout, rule->id);
	printf(": %s: %s: ", suites[suite].words, got);
	terminal_print_text(stdout, shown);
	putchar('\n');
}

/* What the author expects. */
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
	printf("%zu rules, mode %s\n", t->v->pack->rulec, detect_mode_name(t->v->options->mode));
}

FIELD(tally_cases, struct tally, jsonval_number(v->cases))
FIELD(tally_passed, struct tally, jsonval_number(v->passed))
FIELD(tally_failed, struct tally, jsonval_number(v->failed))
FIELD(tally_missed, struct tally, jsonval_number(v->missed))
FIELD(tally_skipped, struct tally, jsonval_number(v->skipped))
FIELD(tally_found, struct tally, jsonval_number(v->found))

static const struct json_field tally_fields[] = {
	{"cases", "the number of cases", tally_cases},
	{"passed", "as expected, or better", tally_passed},
	{"failed", "not as expected", tally_failed},
	{"missed", "evasions that the rule was expected to find", tally_missed},
	{"skipped", "cannot be tested", tally_skipped},
	{"found", "cases in which the rule fires", tally_found},
	{0}};

static int print_json(const struct tester *t)
{
	json_t *all = json_pack("{s:I, s:s}", "rules", (json_int_t)t->v->pack->rulec, "mode",
				detect_mode_name(t->v->options->mode));

	for (int i = 0; i < SUITE_COUNT; i++)
		json_object_set_new(all, suites[i].name,
				    jsonval_object(tally_fields, &t->tally[i]));
	json_object_set(all, "failures", t->failures);
	return rules_print_json(all);
}

/* Tests drafts and deprecated rules as if they were active. */
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
	struct engine_options options = {.mode = (enum detect_mode)v->options->mode};
	int status = CLI_STATUS_FAILED;

	wake(v->pack);
	if (usable_rules(v->set, &t.err) < 0 || packs_start(v->set, &options, &t.err) < 0 ||
	    usable_engine(v->set, &options, &t.err) < 0 || rules_tell_dead(v, &t.err) < 0)
		t.broken = true;
	for (size_t i = 0; !t.broken && i < v->pack->rulec; i++)
		run_rule(&t, &v->pack->rule[i]);
	if (t.broken) {
		status = t.err.code == ERR_USAGE ? CLI_STATUS_USAGE : CLI_STATUS_FAILED;
		cli_fail_with(v->call, status, &t.err);
	} else {
		status = 0;
		if (v->call->json)
			status = print_json(&t);
		else
			print_table(&t);
		for (int i = 0; i < SUITE_COUNT; i++)
			status = !status && t.tally[i].failed ? CLI_STATUS_BAD : status;
	}
	json_decref(t.failures);
	return status;
}
