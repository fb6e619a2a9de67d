/* SPDX-License-Identifier: MIT
 *
 * cordon rules: one row per verb. Titles and files' names are data from outside: what a person
 * sees of them has nothing that a terminal would obey.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/cli.h"
#include "cli/tree.h"
#include "rule/load.h"

enum { STATUS_FOUND = 1, STATUS_USAGE = 2, STATUS_FAILED = 125 };

struct view {
	struct cli_call *call;
	struct pack *pack;
	json_t *reports; /* or NULL */
	bool all;	 /* check: warnings too, on standard output */
};

static const char *const levels[] = {[RULE_WARNING] = "warning", [RULE_ERROR] = "error"};

static void print_report(FILE *to, const struct rule_report *r)
{
	if (to == stderr)
		fputs("cordon: ", to);
	cli_print_text(to, r->file);
	if (r->line)
		fprintf(to, ":%u", r->line);
	fprintf(to, ": %s: ", levels[r->level]);
	cli_print_text(to, r->id);
	fputs(*r->id ? ": " : "", to);
	cli_print_text(to, r->words);
	fputc('\n', to);
}

/* A file's name may be any bytes; in JSON those that are no UTF-8 leave the name out. */
static json_t *name_json(const char *s)
{
	json_t *name = json_string(s);

	return name ? name : json_null();
}

static void on_report(void *context, const struct rule_report *r)
{
	struct view *v = context;

	if (v->reports)
		json_array_append_new(
			v->reports, json_pack("{s:s, s:o, s:i, s:s, s:s}", "level",
					      levels[r->level], "file", name_json(r->file), "line",
					      (int)r->line, "id", r->id, "message", r->words));
	else
		print_report(v->all ? stdout : stderr, r);
}

static const char *word(enum vocab vocab, unsigned i)
{
	const struct word *w = vocab_at(vocab, i);

	return w ? w->name : "other";
}

static json_t *rule_json(const struct rule *r)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:i}", "id", r->id,
			 "title", r->title, "severity", r->severity_name, "status",
			 word(VOCAB_STATUS, r->status), "maturity",
			 word(VOCAB_MATURITY, r->maturity), "category", r->category, "source",
			 word(VOCAB_SOURCE, r->source), "scan_target",
			 word(VOCAB_TARGET, r->target), "conditions", (json_int_t)r->conditionc,
			 "file", name_json(r->file), "line", (int)r->line);
}

static int print_json(json_t *j)
{
	int result = json_dumpf(j, stdout, JSON_COMPACT | JSON_ENCODE_ANY);

	putchar('\n');
	json_decref(j);
	return result == 0 ? 0 : STATUS_FAILED;
}

/* Whoever asked for JSON gets JSON. */
static int fail(const struct cli_call *call, int status, const struct err *err)
{
	if (call->json)
		print_json(json_pack("{s:{s:s, s:o, s:o}}", "error", "kind", err_row(err)->name,
				     "message", name_json(err->message), "cure",
				     name_json(err->cure)));
	else
		cli_print_error(err);
	return status;
}

static int do_list(struct view *v)
{
	json_t *all = v->call->json ? json_array() : NULL;

	for (size_t i = 0; i < v->pack->rulec; i++) {
		const struct rule *r = &v->pack->rule[i];
		if (all) {
			json_array_append_new(all, rule_json(r));
			continue;
		}
		cli_print_text(stdout, r->id);
		printf("  %-13s %-12s ", word(VOCAB_SEVERITY, r->severity),
		       word(VOCAB_MATURITY, r->maturity));
		cli_print_text(stdout, r->title);
		putchar('\n');
	}
	return all ? print_json(all) : 0;
}

static void print_line(const char *label, const char *text)
{
	printf("%-12s ", label);
	cli_print_text(stdout, text);
	putchar('\n');
}

static void print_conditions(const struct rule *r)
{
	for (size_t i = 0; i < r->conditionc; i++) {
		const struct rule_condition *k = &r->condition[i];
		printf("  %.64s: ", k->name.s);
		cli_print_text(stdout, k->field_name ? k->field_name : k->metric ? k->metric : "-");
		printf(" %s", k->kind == CONDITION_TEXT ? word(VOCAB_OPERATOR, k->op) : "");
		for (size_t p = 0; p < k->patternc; p++) {
			putchar(' ');
			cli_print_text(stdout, k->pattern[p].s);
		}
		putchar('\n');
	}
}

static int do_show(struct view *v)
{
	const struct rule *r = pack_find(v->pack, v->call->argv[1]);
	const char *description;
	struct err err;

	if (!r) {
		err_set(&err, ERR_USAGE, "there is no rule \"%.64s\"", v->call->argv[1]);
		err_cure(&err, "cordon rules list shows those there are");
		return fail(v->call, STATUS_USAGE, &err);
	}
	if (v->call->json)
		return print_json(tree_json(r->root));
	description = node_string(node_get(r->root, "description"));
	print_line("id", r->id);
	print_line("title", r->title);
	print_line("severity", r->severity_name);
	print_line("status", word(VOCAB_STATUS, r->status));
	print_line("maturity", word(VOCAB_MATURITY, r->maturity));
	print_line("category", r->category);
	print_line("source", word(VOCAB_SOURCE, r->source));
	print_line("method", word(VOCAB_METHOD, r->method));
	print_line("file", r->file);
	print_line("description", description ? description : "");
	print_line("condition", r->expression);
	print_conditions(r);
	return 0;
}

static int do_check(struct view *v)
{
	const struct pack *p = v->pack;

	if (v->call->json)
		print_json(json_pack("{s:I, s:I, s:I, s:I, s:I, s:O}", "files",
				     (json_int_t)p->files, "rules", (json_int_t)p->rulec, "skipped",
				     (json_int_t)p->skipped, "errors", (json_int_t)p->errors,
				     "warnings", (json_int_t)p->warnings, "reports", v->reports));
	else
		printf("%zu files, %zu rules, %zu errors, %zu warnings\n", p->files, p->rulec,
		       p->errors, p->warnings);
	return p->errors ? STATUS_FOUND : 0;
}

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
	json_t *row = all ? json_object() : NULL;

	if (!row)
		printf("%-12s", statistics[i].name);
	for (unsigned w = 0; w <= vocab_count(statistics[i].vocab); w++) {
		if (!n[w])
			continue;
		if (row)
			json_object_set_new(row, word(statistics[i].vocab, w),
					    json_integer((json_int_t)n[w]));
		else
			printf(" %s %zu ", word(statistics[i].vocab, w), n[w]);
	}
	if (row)
		json_object_set_new(all, statistics[i].name, row);
	else
		putchar('\n');
}

static int do_stats(struct view *v)
{
	const struct pack *p = v->pack;
	json_t *all = v->call->json ? json_object() : NULL;
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
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		size_t n[WORDS_MAX] = {0};
		for (size_t r = 0; r < p->rulec; r++)
			statistics[i].count(&p->rule[r], n);
		print_statistic(i, n, all);
	}
	return all ? print_json(all) : 0;
}

static const struct verb {
	const char *name;
	int least, most;  /* operands after it */
	bool directories; /* its operands are rules, as with --rules */
	int (*run)(struct view *v);
} verbs[] = {
	{"list", 0, 0, false, do_list},
	{"stats", 0, 0, false, do_stats},
	{"show", 1, 1, false, do_show},
	{"check", 0, REQUEST_LIST_MAX, true, do_check},
};

static const struct verb *find_verb(const struct cli_call *call, struct err *err)
{
	size_t verbc = call->argc && !call->request.argc ? ARRAY_SIZE(verbs) : 0;

	for (size_t i = 0; i < verbc; i++)
		if (strcmp(verbs[i].name, call->argv[0]) == 0 && call->argc - 1 >= verbs[i].least &&
		    call->argc - 1 <= verbs[i].most)
			return &verbs[i];
	err_set(err, ERR_USAGE, "what about the rules?");
	err_cure(err, "cordon rules list, stats, show ID or check DIR; cordon rules --help");
	return NULL;
}

static int load(struct view *v, const struct verb *verb, struct err *err)
{
	struct pack_options options = {v->call->strict, v->all, on_report, v};

	for (int i = 1; verb->directories && i < v->call->argc; i++)
		if (pack_load(v->pack, v->call->argv[i], &options, err) < 0)
			return -1;
	for (size_t i = 0; i < v->call->rulesc; i++)
		if (pack_load(v->pack, v->call->rules[i], &options, err) < 0)
			return -1;
	return 0;
}

int cli_rules(struct cli_call *call)
{
	struct pack pack = {0};
	struct view v = {.call = call, .pack = &pack};
	struct err err;
	const struct verb *verb = find_verb(call, &err);

	if (!verb)
		return fail(call, STATUS_USAGE, &err);
	if (!call->rulesc && !(verb->directories && call->argc > 1)) {
		err_set(&err, ERR_USAGE, "which rules?");
		err_cure(&err, "--rules DIR");
		return fail(call, STATUS_USAGE, &err);
	}
	v.all = verb->run == do_check;
	v.reports = v.all && call->json ? json_array() : NULL;
	int status = load(&v, verb, &err) == 0 ? verb->run(&v) : fail(call, STATUS_FAILED, &err);
	json_decref(v.reports);
	pack_done(&pack);
	return status;
}
