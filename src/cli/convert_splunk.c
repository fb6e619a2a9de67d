/* SPDX-License-Identifier: MIT
 *
 * A rule as a search of Splunk, with comments that say what it is. Everything in a rule is data: a
 * title must not end a comment, nor a pattern its string.
 */
#include <string.h>

#include "base/scope.h"
#include "cli/convert.h"
#include "cli/convert_private.h"
#include "rule/expression.h"
#include "scan/regex.h"

/* In a comment nothing may end it, and a line is a line. */
static void put_comment(FILE *to, const char *label, const char *text)
{
	fprintf(to, "``` %s: ", label);
	for (; *text; text++)
		fputc(*text == '`' || (unsigned char)*text < ' ' ? ' ' : *text, to);
	fputs(" ```\n", to);
}

/* Quoted where it has to be; a quote in it would end it. */
static void put_field(FILE *to, const char *name)
{
	bool plain = *name && !strspn(name, "0123456789");

	for (const char *p = name; *p; p++)
		plain = plain && (strchr("_", *p) || (*p >= '0' && *p <= '9') ||
				  ((*p | 32) >= 'a' && (*p | 32) <= 'z'));
	fputs(plain ? "" : "'", to);
	for (const char *p = name; *p; p++)
		fputc(*p == '\'' || *p == '\\' || (unsigned char)*p < ' ' ? '_' : *p, to);
	fputs(plain ? "" : "'", to);
}

static void put_quoted(FILE *to, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"' || s[i] == '\\')
			fputc('\\', to);
		fputc(s[i], to);
	}
}

/* The one difference between the dialects that rules use: \uXXXX and \u{X} are \x{X} in PCRE. */
static void put_pcre(FILE *to, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] != '\\' || i + 1 >= len) {
			put_quoted(to, s + i, 1);
		} else if (s[i + 1] == 'u' && i + 2 < len && s[i + 2] == '{') {
			fputs("\\\\x", to);
			i++;
		} else if (s[i + 1] == 'u' && i + 5 < len) {
			fputs("\\\\x{", to);
			put_quoted(to, s + i + 2, 4);
			fputc('}', to);
			i += 5;
		} else {
			put_quoted(to, s + i, 2);
			i++;
		}
	}
}

static void put_literal(FILE *to, struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		if (strchr("\\^$.|?*+()[]{}", t.s[i]) && t.s[i])
			fputs("\\\\", to);
		put_quoted(to, t.s + i, 1);
	}
}

/* How a string of each operator is anchored: $ would also match before a last new line. */
static const struct {
	const char *before, *after;
} anchors[] = {
	[OPERATOR_REGEX] = {"", ""},
	[OPERATOR_CONTAINS] = {"", ""},
	[OPERATOR_EXACT] = {"^", "\\\\z"},
	[OPERATOR_STARTS_WITH] = {"^", ""},
};

static void put_match(FILE *to, const struct rule_condition *k, struct text t, bool cased)
{
	size_t skip = 0;

	fputs("match(", to);
	put_field(to, k->field_name);
	fprintf(to, ", \"%s%s", cased ? "" : "(?i)", anchors[k->op].before);
	if (k->op == OPERATOR_REGEX) {
		regex_of_rule(t.s, t.len, &skip);
		put_pcre(to, t.s + skip, t.len - skip);
	} else {
		put_literal(to, t);
	}
	fprintf(to, "%s\")", anchors[k->op].after);
}

static void put_text(FILE *to, const struct rule_condition *k, struct text t, bool cased)
{
	if (k->op != OPERATOR_EXACT || !cased) {
		put_match(to, k, t, cased);
		return;
	}
	put_field(to, k->field_name);
	fputs(" == \"", to);
	put_quoted(to, t.s, t.len);
	fputc('"', to);
}

/* One that is not known never gets here: see check. */
static const char *const comparisons[] = {
	[COMPARE_GT] = ">",   [COMPARE_LT] = "<",	 [COMPARE_EQ] = "==",  [COMPARE_GTE] = ">=",
	[COMPARE_LTE] = "<=", [COMPARE_DEVIATION] = ">", [COMPARE_OTHER] = ">"};

static void put_metric(FILE *to, const struct rule_condition *k)
{
	fputs(k->compare == COMPARE_DEVIATION ? "abs(" : "", to);
	put_field(to, k->metric);
	fprintf(to, "%s %s %g", k->compare == COMPARE_DEVIATION ? ")" : "", comparisons[k->compare],
		k->threshold);
}

/* Any of its patterns. */
static void put_patterns(FILE *to, const struct rule *rule, const struct rule_condition *k)
{
	bool several = k->patternc > 1;

	fputs(several ? "(" : "", to);
	for (size_t i = 0; i < k->patternc; i++) {
		fputs(i ? " OR " : "", to);
		put_text(to, k, k->pattern[i], convert_is_cased(rule, k));
	}
	fputs(several ? ")" : "", to);
}

/* Of a field that is not there nothing holds in a rule, and so the contrary does; in SPL neither. */
static void put_condition(FILE *to, const struct rule *rule, const struct rule_condition *k,
			  bool denied)
{
	if (k->kind == CONDITION_NEVER) {
		fputs(denied ? "true()" : "false()", to);
		return;
	}
	if (denied) {
		fputs("(isnull(", to);
		put_field(to, k->kind == CONDITION_METRIC ? k->metric : k->field_name);
		fputs(") OR NOT (", to);
	}
	if (k->kind == CONDITION_METRIC)
		put_metric(to, k);
	else
		put_patterns(to, rule, k);
	fputs(denied ? "))" : "", to);
}

/* NOT is carried down to the conditions; on its way it makes AND of OR. */
static int put_expression(FILE *to, const struct rule *rule, struct text source, bool denied,
			  int depth, struct err *err)
{
	if (depth > EXPRESSION_DEPTH_MAX)
		return convert_too_deep(err);
	struct expression e = expression_read(rule, source);
	const char *joint = (e.kind == EXPRESSION_ANY) != denied ? " OR " : " AND ", *gap = "";
	bool several = e.kind == EXPRESSION_ANY || e.kind == EXPRESSION_ALL;
	struct text part;

	if (e.kind == EXPRESSION_CONDITION)
		put_condition(to, rule, &rule->condition[e.condition], denied);
	else if (e.kind == EXPRESSION_NEVER)
		fputs(denied ? "true()" : "false()", to);
	fputs(several ? "(" : "", to);
	for (; expression_next(&e, &part); gap = joint) {
		fputs(gap, to);
		if (put_expression(to, rule, part, denied != (e.kind == EXPRESSION_NOT), depth + 1,
				   err) < 0)
			return -1;
	}
	fputs(several ? ")" : "", to);
	return 0;
}

static int put_conditions(FILE *to, const struct rule *rule, struct err *err)
{
	struct text all = {rule->expression, strlen(rule->expression)};

	fputs("    ", to);
	if (rule->combine == COMBINE_EXPRESSION) {
		int result = put_expression(to, rule, all, false, 0, err);
		fputc('\n', to);
		return result;
	}
	for (size_t i = 0; i < rule->conditionc; i++) {
		fputs(!i ? "" : rule->combine == COMBINE_ANY ? "    OR " : "    AND ", to);
		put_condition(to, rule, &rule->condition[i], false);
		fputc('\n', to);
	}
	return 0;
}

json_t *convert_to_splunk(const struct rule *rule, struct err *err)
{
	char note[CONVERT_NOTE_MAX];
	struct growing g;

	if (convert_check(rule, err) < 0)
		return NULL;
	if (grow_open(&g) < 0) {
		err_memory(err);
		return NULL;
	}
	put_comment(g.to, "rule", rule->id);
	put_comment(g.to, "title", rule->title);
	put_comment(g.to, "severity", rule->severity_name);
	put_comment(g.to, "category", rule->category);
	for (size_t i = 0; i < rule->conditionc; i++)
		if (convert_note(rule, i, note))
			put_comment(g.to, "note", note);
	fputs("index=* sourcetype=agent_events\n| where (\n", g.to);
	if (put_conditions(g.to, rule, err) < 0) {
		grow_drop(&g);
		return NULL;
	}
	fputs(")\n| table _time source *", g.to);
	return grow_string(&g);
}
