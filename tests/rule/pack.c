/* SPDX-License-Identifier: MIT
 *
 * pack DIR: a pack of rules against what it says of itself. In strict mode, lane hunt, every true
 * positive and every evasion that is expected to be caught must give a finding of its rule, decoded
 * layers included; every true negative and every other evasion must not. A true negative of one
 * rule that another rule flags is a failure too: it is honest code. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/start.h"
#include "../unit/tap.h"
#include "base/scope.h"

static struct {
	struct packs rules;
	struct started strict;
} all;

static void on_report(void *context, const struct rule_report *r)
{
	(void)context;
	printf("# %s:%u: %s: %s\n", r->file, r->line, r->id, r->words);
}

static void load(const char *dir)
{
	struct pack_options options = {.warnings = true, .report = on_report};
	const struct pack *pack = &all.rules.pack;

	start_rules(&all.rules, &dir, 1, &options);
	ok(pack->rulec > 0 && !pack->errors && !pack->warnings && !pack->skipped,
	   "%zu rules load without a complaint", pack->rulec);
	ok(all.rules.patterns.count > 0 && !all.rules.refused, "all of %zu patterns compile %s",
	   all.rules.patterns.count, all.rules.first_refused.message);
	all.strict = start_engine(&all.rules, DETECT_STRICT, LANE_HUNT);
}

/* \1 to \9, of which the backslash is not itself one that is escaped. */
static bool has_back_reference(const char *s)
{
	for (; *s; s++)
		if (*s == '\\' && *++s >= '1' && *s <= '9')
			return true;
		else if (!*s)
			break;
	return false;
}

/* The patterns are plain enough for every engine of regular expressions. */
static void check_portable(const struct rule *rule)
{
	static const char *const outside[] = {"(?=", "(?!", "(?<", "\\k<", "\\p{", "\\u"};
	bool plain = true;

	for (size_t i = 0; i < rule->conditionc; i++)
		for (size_t k = 0; k < rule->condition[i].patternc; k++)
			for (size_t n = 0; n < ARRAY_SIZE(outside); n++)
				plain &= !strstr(rule->condition[i].pattern[k].s, outside[n]);
	for (size_t i = 0; i < rule->conditionc; i++)
		for (size_t k = 0; k < rule->condition[i].patternc; k++)
			plain &= !has_back_reference(rule->condition[i].pattern[k].s);
	ok(plain, "%s: its patterns are portable", rule->id);
}

static bool is_undecided(const struct findings *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].undecided)
			return true;
	return f->unsearched != NULL;
}

/* What is found in the input of a test: RULE itself, and anything else. */
static void scan(const struct node *test, const struct rule *rule, bool *own, bool *other,
		 bool *undecided)
{
	const struct node *input = node_get(test, "input");
	struct findings f = {0};
	struct err err = {0};

	*own = *other = false;
	must(input && input->kind == NODE_STRING, rule->id,
	     &(struct err){.message = "a test has no input"});
	struct event event = {.type = EVENT_OTHER,
			      .plain = true,
			      .content = input->text,
			      .time_ms = EVENT_TIME_NONE};
	must(engine_scan(all.strict.engine, all.strict.thread, &event, &f, &err) == 0, rule->id,
	     &err);
	for (size_t i = 0; i < f.count; i++)
		*(f.list[i].rule == rule ? own : other) = true;
	*undecided = is_undecided(&f);
	findings_done(&f);
}

static const char *input_of(const struct node *test)
{
	const char *s = node_string(node_get(test, "input"));

	return s ? s : "";
}

static void check_list(const struct rule *rule, const struct node *list, const char *what,
		       bool triggers)
{
	size_t bad = 0;

	for (size_t i = 0; i < node_count(list); i++) {
		bool own, other, undecided;
		scan(node_item(list, i), rule, &own, &other, &undecided);
		if (own == triggers && (triggers || !other) && !undecided)
			continue;
		bad++;
		printf("# %s: %.300s\n", other && !triggers ? "another rule" : "this rule",
		       input_of(node_item(list, i)));
	}
	ok(node_count(list) >= 3 && !bad, "%s: %zu %s", rule->id, node_count(list), what);
}

static void check_evasions(const struct rule *rule)
{
	size_t bad = 0, count = node_count(rule->evasion_tests);

	for (size_t i = 0; i < count; i++) {
		const struct node *test = node_item(rule->evasion_tests, i);
		const char *expected = node_string(node_get(test, "expected"));
		bool own, other, undecided;
		scan(test, rule, &own, &other, &undecided);
		if (expected && own == !strcmp(expected, "triggered") && !undecided)
			continue;
		bad++;
		printf("# not %s: %.300s\n", expected ? expected : "expected", input_of(test));
	}
	ok(count >= 2 && !bad, "%s: %zu evasions", rule->id, count);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "pack DIR\n");
		return 2;
	}
	load(argv[1]);
	for (size_t i = 0; i < all.rules.pack.rulec; i++) {
		const struct rule *rule = &all.rules.pack.rule[i];
		check_portable(rule);
		check_list(rule, node_get(rule->test_cases, "true_positives"), "true positives",
			   true);
		check_list(rule, node_get(rule->test_cases, "true_negatives"), "true negatives",
			   false);
		check_evasions(rule);
	}
	started_done(&all.strict);
	packs_done(&all.rules);
	return tap_done();
}
