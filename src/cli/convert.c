/* SPDX-License-Identifier: MIT
 *
 * One function a target. JSON carries every rule, whatever it is about. For the others a rule is a
 * list of conditions of which any or all must hold; rules about sessions, traces and signatures, and
 * those whose conditions an expression joins, say more than these systems can be told.
 * Everything in a rule is data: a title must not end a comment, nor a pattern its string.
 */
#include "cli/convert.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/jsonval.h"
#include "cli/lucene.h"
#include "cli/tree.h"
#include "scan/regex.h"

struct growing {
	char *s;
	size_t len;
	FILE *to;
};

static int grow_open(struct growing *g)
{
	g->s = NULL;
	g->to = open_memstream(&g->s, &g->len);
	return g->to ? 0 : -1;
}

static json_t *grow_string(struct growing *g)
{
	json_t *j;

	fclose(g->to);
	j = json_stringn(g->s, g->len);
	free(g->s);
	return j;
}

/* Can it be said as "any (all) of these conditions on texts and numbers"? */
static int check(const struct rule *rule, struct err *err)
{
	static const char *const methods[] = {[METHOD_SIGNATURE] = "signatures",
					      [METHOD_BEHAVIORAL] = "behaviour over time",
					      [METHOD_TRACE] = "traces"};

	if ((size_t)rule->method < ARRAY_SIZE(methods) && methods[rule->method])
		return err_set(err, ERR_INPUT, "it is about %s", methods[rule->method]);
	if (rule->combine == COMBINE_EXPRESSION)
		return err_set(err, ERR_INPUT, "its conditions have names and an expression");
	if (!rule->conditionc)
		return err_set(err, ERR_INPUT, "it has no conditions");
	for (size_t i = 0; i < rule->conditionc; i++) {
		const struct rule_condition *k = &rule->condition[i];
		if (k->kind == CONDITION_SEQUENCE)
			return err_set(err, ERR_INPUT, "it is about a sequence of events");
		if (k->kind == CONDITION_TEXT && (k->op == OPERATOR_OTHER || !k->patternc))
			return err_set(err, ERR_INPUT, "condition %zu has no known operator", i);
		if (k->kind == CONDITION_METRIC && k->compare == COMPARE_OTHER)
			return err_set(err, ERR_INPUT, "condition %zu has no known operator", i);
	}
	return 0;
}

/* json: every pattern with where it is looked for, for tools that only match expressions; and all
 * of what the rule looks for as it was written, for those that know more. */

static json_t *pattern_json(const struct rule_condition *k, size_t i)
{
	const char *description = node_string(node_get(k->node, "description"));
	size_t skip = 0;

	if (k->op == OPERATOR_REGEX)
		regex_of_rule(k->pattern[i].s, k->pattern[i].len, &skip);
	const struct word *op = vocab_at(VOCAB_OPERATOR, k->op);
	return json_pack("{s:o, s:o, s:s, s:o, s:s, s:o}", "name",
			 jsonval_text(k->name.s, k->name.len), "field",
			 jsonval_readable(k->field_name ? k->field_name : "content"), "operator",
			 op ? op->name : "", k->op == OPERATOR_REGEX ? "regex" : "value",
			 jsonval_text(k->pattern[i].s + skip, k->pattern[i].len - skip), "flags",
			 k->op == OPERATOR_REGEX && !k->case_sensitive ? "i" : "", "description",
			 jsonval_readable(description ? description : ""));
}

/* Do the patterns and what joins them say all of the rule? */
static bool is_complete(const struct rule *rule)
{
	bool only = rule->method == METHOD_PATTERN || rule->method == METHOD_OTHER ||
		    (rule->method == METHOD_SEMANTIC && rule->falls_back);

	for (size_t i = 0; i < rule->conditionc; i++)
		only = only && rule->condition[i].kind == CONDITION_TEXT &&
		       rule->condition[i].op != OPERATOR_OTHER && !rule->condition[i].language;
	return only && rule->conditionc;
}

static json_t *to_json(const struct rule *rule, struct err *err)
{
	const struct node *references = node_get(rule->root, "references");
	const struct word *target = vocab_at(VOCAB_TARGET, rule->target);
	const struct word *method = vocab_at(VOCAB_METHOD, rule->method);
	const char *joint = rule->combine == COMBINE_ANY ? "any" : "all";
	json_t *patterns = json_array();

	(void)err;
	for (size_t i = 0; i < rule->conditionc; i++)
		for (size_t p = 0;
		     rule->condition[i].kind == CONDITION_TEXT && p < rule->condition[i].patternc;
		     p++)
			json_array_append_new(patterns, pattern_json(&rule->condition[i], p));
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "id",
		jsonval_readable(rule->id), "title", jsonval_readable(rule->title), "severity",
		jsonval_readable(rule->severity_name), "category", jsonval_readable(rule->category),
		"subcategory", jsonval_readable(rule->subcategory), "scan_target",
		target ? target->name : "", "method", method ? method->name : "", "condition",
		jsonval_readable(rule->combine == COMBINE_EXPRESSION ? rule->expression : joint),
		"patterns", patterns, "complete", is_complete(rule), "detection",
		tree_json(node_get(rule->root, "detection")), "references",
		references ? tree_json(references) : json_object());
}

/* splunk: a search, with comments that say what it is. */

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

static void spl_match(FILE *to, const struct rule_condition *k, struct text t, const char *before)
{
	size_t skip = 0;

	fputs("match(", to);
	put_field(to, k->field_name);
	fprintf(to, ", \"%s%s", k->case_sensitive ? "" : "(?i)", before);
	if (k->op == OPERATOR_REGEX) {
		regex_of_rule(t.s, t.len, &skip);
		put_pcre(to, t.s + skip, t.len - skip);
	} else {
		put_literal(to, t);
	}
	fputs("\")", to);
}

static void spl_text(FILE *to, const struct rule_condition *k, struct text t)
{
	if (k->op != OPERATOR_EXACT) {
		spl_match(to, k, t, k->op == OPERATOR_STARTS_WITH ? "^" : "");
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

static void spl_metric(FILE *to, const struct rule_condition *k)
{
	fputs(k->compare == COMPARE_DEVIATION ? "abs(" : "", to);
	put_field(to, k->metric);
	fprintf(to, "%s %s %g", k->compare == COMPARE_DEVIATION ? ")" : "", comparisons[k->compare],
		k->threshold);
}

static json_t *to_splunk(const struct rule *rule, struct err *err)
{
	struct growing g;
	const char *gap = "    ";

	if (check(rule, err) < 0)
		return NULL;
	if (grow_open(&g) < 0) {
		err_set(err, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	put_comment(g.to, "rule", rule->id);
	put_comment(g.to, "title", rule->title);
	put_comment(g.to, "severity", rule->severity_name);
	put_comment(g.to, "category", rule->category);
	fputs("index=* sourcetype=agent_events\n| where (\n", g.to);
	for (size_t i = 0; i < rule->conditionc; i++) {
		const struct rule_condition *k = &rule->condition[i];
		fputs(gap, g.to);
		if (k->kind == CONDITION_METRIC)
			spl_metric(g.to, k);
		else if (k->kind == CONDITION_TEXT)
			spl_text(g.to, k, k->pattern[0]);
		else
			fputs("false()", g.to);
		fputc('\n', g.to);
		gap = rule->combine == COMBINE_ANY ? "    OR " : "    AND ";
	}
	fputs(")\n| table _time source *", g.to);
	return grow_string(&g);
}

/* elastic: a query, with what it is in _meta. */

static json_t *one(const char *kind, const char *field, json_t *of)
{
	json_t *inner = json_object(), *outer = json_object();

	json_object_set_new(inner, field, of);
	json_object_set_new(outer, kind, inner);
	return outer;
}

static json_t *valued(json_t *value, bool case_sensitive)
{
	return json_pack("{s:o, s:b}", "value", value, "case_insensitive", !case_sensitive);
}

static json_t *wildcard(struct text t)
{
	struct growing g;

	if (grow_open(&g) < 0)
		return json_null();
	fputc('*', g.to);
	for (size_t i = 0; i < t.len; i++) {
		if (t.s[i] == '*' || t.s[i] == '?' || t.s[i] == '\\')
			fputc('\\', g.to);
		fputc(t.s[i], g.to);
	}
	fputc('*', g.to);
	return grow_string(&g);
}

static json_t *elastic_text(const struct rule_condition *k, struct err *err)
{
	struct text t = k->pattern[0];
	json_t *value;

	switch (k->op) {
	case OPERATOR_CONTAINS:
		return one("wildcard", k->field_name, valued(wildcard(t), k->case_sensitive));
	case OPERATOR_STARTS_WITH:
		return one("prefix", k->field_name,
			   valued(jsonval_text(t.s, t.len), k->case_sensitive));
	case OPERATOR_EXACT:
		return one("term", k->field_name, jsonval_text(t.s, t.len));
	default:
		value = lucene_of_rule(t, err);
		return value ? one("regexp", k->field_name, valued(value, k->case_sensitive))
			     : NULL;
	}
}

static json_t *elastic_metric(const struct rule_condition *k)
{
	static const char *const ranges[] = {
		[COMPARE_GT] = "gt",   [COMPARE_LT] = "lt",   [COMPARE_EQ] = "eq",
		[COMPARE_GTE] = "gte", [COMPARE_LTE] = "lte", [COMPARE_DEVIATION] = "gt",
		[COMPARE_OTHER] = "gt"};

	if (k->compare == COMPARE_EQ)
		return one("term", k->metric, json_real(k->threshold));
	if (k->compare == COMPARE_DEVIATION)
		return json_pack("{s:{s:[o, o], s:i}}", "bool", "should",
				 one("range", k->metric, json_pack("{s:f}", "gt", k->threshold)),
				 one("range", k->metric, json_pack("{s:f}", "lt", -k->threshold)),
				 "minimum_should_match", 1);
	return one("range", k->metric, json_pack("{s:f}", ranges[k->compare], k->threshold));
}

static json_t *elastic_clause(const struct rule_condition *k, struct err *err)
{
	if (k->kind == CONDITION_METRIC)
		return elastic_metric(k);
	return k->kind == CONDITION_TEXT ? elastic_text(k, err) : json_pack("{s:{}}", "match_none");
}

static json_t *to_elastic(const struct rule *rule, struct err *err)
{
	json_t *clauses = json_array(), *query;

	if (check(rule, err) < 0)
		goto out;
	for (size_t i = 0; i < rule->conditionc; i++) {
		json_t *clause = elastic_clause(&rule->condition[i], err);
		if (!clause)
			goto out;
		json_array_append_new(clauses, clause);
	}
	query = rule->combine == COMBINE_ANY ? json_pack("{s:{s:o, s:i}}", "bool", "should",
							 clauses, "minimum_should_match", 1)
					     : json_pack("{s:{s:o}}", "bool", "must", clauses);
	return json_pack("{s:{s:o, s:o, s:o, s:o, s:s}, s:o}", "_meta", "rule_id",
			 jsonval_readable(rule->id), "title", jsonval_readable(rule->title),
			 "severity", jsonval_readable(rule->severity_name), "category",
			 jsonval_readable(rule->category), "condition",
			 rule->combine == COMBINE_ANY ? "any" : "all", "query", query);
out:
	json_decref(clauses);
	return NULL;
}

static const struct convert_target targets[] = {
	{"json", "every rule, its patterns with their fields", false, to_json},
	{"splunk", "searches in SPL", true, to_splunk},
	{"elastic", "queries of Elasticsearch", false, to_elastic},
};

const struct convert_target *convert_at(unsigned i)
{
	return i < ARRAY_SIZE(targets) ? &targets[i] : NULL;
}
