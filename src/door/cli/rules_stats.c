/* SPDX-License-Identifier: MIT
 *
 * cordon rules stats: counts rules by the words of their fields. A statistic is a row.
 */
#include "base/scope.h"
#include "door/cli/rules_command.h"
#include "show/jsonval.h"
#include "show/terminal.h"

static void count_severity(const struct rule *r, size_t *n)
{
	n[r->severity]++;
}

static void count_status(const struct rule *r, size_t *n)
{
	n[r->status]++;
}

static void count_maturity(const struct rule *r, size_t *n)
{
	n[r->maturity]++;
}

static void count_lanes(const struct rule *r, size_t *n)
{
	for (unsigned lane = 0; lane < LANE_COUNT; lane++)
		n[lane] += rule_is_live(r, (enum lane)lane);
}

static void count_category(const struct rule *r, size_t *n)
{
	n[vocab_find(VOCAB_CATEGORY, r->category)]++;
}

static void count_source(const struct rule *r, size_t *n)
{
	n[r->source]++;
}

static void count_method(const struct rule *r, size_t *n)
{
	n[r->method]++;
}

static void count_target(const struct rule *r, size_t *n)
{
	n[r->target]++;
}

static void count_confidence(const struct rule *r, size_t *n)
{
	n[r->confidence]++;
}

static void count_fields(const struct rule *r, size_t *n)
{
	for (size_t i = 0; i < r->conditionc; i++)
		n[r->condition[i].field < FIELD_OTHER ? r->condition[i].field : FIELD_OTHER]++;
}

static void count_operators(const struct rule *r, size_t *n)
{
	for (size_t i = 0; i < r->conditionc; i++)
		n[r->condition[i].op]++;
}

static void count_actions(const struct rule *r, size_t *n)
{
	for (size_t i = 0; i < r->actionc; i++)
		n[r->action[i]]++;
}

static const struct {
	const char *name;
	enum vocab vocab;
	void (*count)(const struct rule *r, size_t *n);
} statistics[] = {
	{"severity", VOCAB_SEVERITY, count_severity},
	{"status", VOCAB_STATUS, count_status},
	{"maturity", VOCAB_MATURITY, count_maturity},
	{"lane", VOCAB_LANE, count_lanes},
	{"category", VOCAB_CATEGORY, count_category},
	{"source", VOCAB_SOURCE, count_source},
	{"method", VOCAB_METHOD, count_method},
	{"scan_target", VOCAB_TARGET, count_target},
	{"confidence", VOCAB_CONFIDENCE, count_confidence},
	{"field", VOCAB_FIELD, count_fields},
	{"operator", VOCAB_OPERATOR, count_operators},
	{"action", VOCAB_ACTION, count_actions},
};

enum { WORDS_MAX = 32 };

static void print_statistic(size_t i, const size_t *n, json_t *all)
{
	json_t *row = all ? jsonval_map() : NULL;

	if (!row)
		printf("%-12s", statistics[i].name);
	for (unsigned w = 0; w <= vocab_count(statistics[i].vocab); w++) {
		if (!n[w])
			continue;
		if (row)
			json_object_set_new(row, rules_word(statistics[i].vocab, w),
					    json_integer((json_int_t)n[w]));
		else
			printf(" %s %zu ", rules_word(statistics[i].vocab, w), n[w]);
	}
	if (row)
		json_object_set_new(all, statistics[i].name, row);
	else
		putchar('\n');
}

/* Prints the sources of the rules. */
static void print_packs(const struct packs *set, json_t *all)
{
	json_t *list = all ? jsonval_array() : NULL;

	for (size_t i = 0; i < set->sourcec; i++) {
		const struct packs_source *from = &set->source[i];
		if (list) {
			json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "kind", from->kind,
							      "path", rules_name_json(from->path),
							      "rules", (json_int_t)from->rules));
			continue;
		}
		printf("%-12s %zu %s: ", i ? "" : "packs", from->rules, from->kind);
		terminal_print_text(stdout, from->path);
		putchar('\n');
	}
	if (list)
		json_object_set_new(all, "packs", list);
}

int rules_stats(struct rules_view *v)
{
	const struct pack *p = v->pack;
	json_t *all = v->call->json ? jsonval_map() : NULL;
	size_t patterns = 0;

	for (size_t r = 0; r < p->rulec; r++)
		for (size_t i = 0; i < p->rule[r].conditionc; i++)
			patterns += p->rule[r].condition[i].patternc;
	if (all) {
		json_object_set_new(all, "rules", json_integer((json_int_t)p->rulec));
		json_object_set_new(all, "patterns", json_integer((json_int_t)patterns));
		json_object_set_new(all, "skipped", json_integer((json_int_t)p->skipped));
	} else {
		printf("%zu rules, %zu patterns, %zu files left out\n", p->rulec, patterns,
		       p->skipped);
	}
	print_packs(v->set, all);
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		size_t n[WORDS_MAX] = {0};
		for (size_t r = 0; r < p->rulec; r++)
			statistics[i].count(&p->rule[r], n);
		print_statistic(i, n, all);
	}
	return all ? rules_print_json(all) : 0;
}
