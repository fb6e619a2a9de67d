/* SPDX-License-Identifier: MIT
 *
 * cordon rules list, show and check, and the reports of all verbs.
 */
#include <string.h>

#include "base/memory.h"
#include "door/cli/rules_command.h"
#include "gate/actions.h"
#include "scan/regex/match.h"
#include "show/jsonval.h"
#include "show/node_json.h"
#include "show/terminal.h"

static const char *const levels[] = {[RULE_WARNING] = "warning", [RULE_ERROR] = "error"};

static void print_report(FILE *to, const struct rule_report *r)
{
	if (to == stderr)
		fputs("cordon: ", to);
	terminal_print_text(to, r->file);
	if (r->line)
		fprintf(to, ":%u", r->line);
	fprintf(to, ": %s: ", levels[r->level]);
	terminal_print_text(to, r->id);
	fputs(*r->id ? ": " : "", to);
	terminal_print_text(to, r->words);
	fputc('\n', to);
}

json_t *rules_name_json(const char *s)
{
	json_t *name = json_string(s);

	return name ? name : json_null();
}

void rules_on_report(void *context, const struct rule_report *r)
{
	struct rules_view *v = context;

	if (v->reports)
		json_array_append_new(v->reports,
				      json_pack("{s:s, s:o, s:i, s:s, s:s}", "level",
						levels[r->level], "file", rules_name_json(r->file),
						"line", (int)r->line, "id", r->id, "message",
						r->words));
	else
		print_report(v->all ? stdout : stderr, r);
}

const char *rules_word(enum vocab vocab, unsigned i)
{
	const struct word *w = vocab_at(vocab, i);

	return w ? w->name : "other";
}

static json_t *rule_json(const struct rule *r)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:i}", "id", r->id,
			 "title", r->title, "severity", r->severity_name, "status",
			 rules_word(VOCAB_STATUS, r->status), "maturity",
			 rules_word(VOCAB_MATURITY, r->maturity), "category", r->category, "source",
			 rules_word(VOCAB_SOURCE, r->source), "scan_target",
			 rules_word(VOCAB_TARGET, r->target), "conditions",
			 (json_int_t)r->conditionc, "file", rules_name_json(r->file), "line",
			 (int)r->line);
}

int rules_print_json(json_t *j)
{
	return jsonval_dump(j, 0) == 0 ? 0 : CLI_STATUS_FAILED;
}

int rules_list(struct rules_view *v)
{
	struct err err;

	/* Only --strict needs the database, which may have to be compiled. */
	if (v->call->strict && (packs_compile(v->set, &err) < 0 || rules_tell_dead(v, &err) < 0))
		return cli_fail_with(v->call, CLI_STATUS_FAILED, &err);
	json_t *all = v->call->json ? jsonval_array() : NULL;

	for (size_t i = 0; i < v->pack->rulec; i++) {
		const struct rule *r = &v->pack->rule[i];
		if (all) {
			json_array_append_new(all, rule_json(r));
			continue;
		}
		terminal_print_text(stdout, r->id);
		printf("  %-13s %-12s ", rules_word(VOCAB_SEVERITY, r->severity),
		       rules_word(VOCAB_MATURITY, r->maturity));
		terminal_print_text(stdout, r->title);
		putchar('\n');
	}
	return all ? rules_print_json(all) : 0;
}

static void print_line(const char *label, const char *text)
{
	printf("%-12s ", label);
	terminal_print_text(stdout, text);
	putchar('\n');
}

static void print_conditions(const struct rule *r)
{
	for (size_t i = 0; i < r->conditionc; i++) {
		const struct rule_condition *k = &r->condition[i];
		fputs("  ", stdout);
		terminal_print_text(stdout, k->name.s);
		fputs(": ", stdout);
		terminal_print_text(stdout, k->field_name ? k->field_name
					    : k->metric	  ? k->metric
							  : "-");
		printf(" %s", k->kind == CONDITION_TEXT ? rules_word(VOCAB_OPERATOR, k->op) : "");
		for (size_t p = 0; p < k->patternc; p++) {
			putchar(' ');
			terminal_print_text(stdout, k->pattern[p].s);
		}
		putchar('\n');
	}
}

/* Prints what Cordon does for each action, if a finding has the grade deny. */
static void print_actions(const struct rule *r)
{
	for (size_t i = 0; i < r->actionc; i++) {
		printf("%-12s ", "action");
		terminal_print_text(stdout, r->action_name[i]);
		printf(": %s\n", consequence_words(action_consequence(r->action[i])));
	}
}

int rules_show(struct rules_view *v)
{
	const struct rule *r = pack_find(v->pack, v->call->argv[1]);
	const char *description;
	struct err err;

	if (!r) {
		err_set(&err, ERR_USAGE, "there is no rule \"%.64s\"", v->call->argv[1]);
		err_cure(&err, "cordon rules list shows all rules");
		return cli_fail_with(v->call, CLI_STATUS_USAGE, &err);
	}
	if (v->call->json)
		return rules_print_json(tree_json(r->root));
	description = node_string(node_get(r->root, "description"));
	print_line("id", r->id);
	print_line("title", r->title);
	print_line("severity", r->severity_name);
	print_line("status", rules_word(VOCAB_STATUS, r->status));
	print_line("maturity", rules_word(VOCAB_MATURITY, r->maturity));
	print_line("category", r->category);
	print_line("source", rules_word(VOCAB_SOURCE, r->source));
	print_line("method", rules_word(VOCAB_METHOD, r->method));
	print_line("file", r->file);
	print_line("description", description ? description : "");
	print_actions(r);
	print_line("condition", r->expression);
	print_conditions(r);
	return 0;
}

/* NULL if the pattern is valid, else the reason. */
static const char *pattern_complaint(const struct rule_condition *k, struct text pattern,
				     struct err *err)
{
	size_t skip = 0;
	unsigned flags = regex_of_rule(pattern.s, pattern.len, &skip);
	struct regex regex;
	struct match_code *code;

	if (k->case_sensitive)
		flags &= ~(unsigned)JS_IGNORE_CASE;
	if (regex_translate(pattern.s + skip, pattern.len - skip, flags, &regex, err) < 0)
		return err->message;
	code = match_compile(&regex, err);
	regex_done(&regex);
	match_free(code);
	return code ? NULL : err->message;
}

/* Checks that patterns are regular expressions, which loading does not. Returns the number of
 * errors. */
static size_t check_patterns(struct rules_view *v, const struct rule *rule)
{
	struct rule_report report = {.level = RULE_ERROR, .file = rule->file, .id = rule->id};
	size_t errors = 0;
	struct err err;

	for (size_t i = 0; i < rule->conditionc; i++) {
		const struct rule_condition *k = &rule->condition[i];
		for (size_t p = 0; k->op == OPERATOR_REGEX && p < k->patternc; p++) {
			report.line = k->line;
			report.words = pattern_complaint(k, k->pattern[p], &err);
			if (!report.words)
				continue;
			rules_on_report(v, &report);
			errors++;
		}
	}
	return errors;
}

static size_t check_all_patterns(struct rules_view *v)
{
	size_t errors = 0;

	for (size_t i = 0; i < v->pack->rulec; i++)
		errors += check_patterns(v, &v->pack->rule[i]);
	return errors;
}

int rules_tell_dead(struct rules_view *v, struct err *err)
{
	/* The database counts refused patterns. */
	size_t dead = v->set->refused ? check_all_patterns(v) : 0;

	if (!dead || !v->call->strict)
		return 0;
	err_set(err, ERR_INPUT, "rules: %zu patterns are not valid regular expressions", dead);
	err_cure(err, "correct them: they never match; without --strict they are skipped");
	return -1;
}

int rules_check(struct rules_view *v)
{
	struct pack *p = v->pack;

	p->errors += check_all_patterns(v);

	if (v->call->json)
		rules_print_json(json_pack("{s:I, s:I, s:I, s:I, s:I, s:O}", "files",
					   (json_int_t)p->files, "rules", (json_int_t)p->rulec,
					   "skipped", (json_int_t)p->skipped, "errors",
					   (json_int_t)p->errors, "warnings",
					   (json_int_t)p->warnings, "reports", v->reports));
	else
		printf("%zu files, %zu rules, %zu errors, %zu warnings\n", p->files, p->rulec,
		       p->errors, p->warnings);
	return p->errors ? CLI_STATUS_BAD : 0;
}
