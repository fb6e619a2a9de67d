/* SPDX-License-Identifier: MIT
 *
 * A rule as a query of Elasticsearch, with what it is in _meta. Its expressions find at least what a
 * rule's do (cli/lucene.h): the contrary of one would miss something, so that is never written.
 */
#include "base/scope.h"
#include "cli/convert.h"
#include "cli/convert_private.h"
#include "cli/jsonval.h"
#include "cli/lucene.h"
#include "rule/expression.h"

#include <string.h>

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

static json_t *text_clause(const struct rule_condition *k, struct text t, bool cased,
			   struct err *err)
{
	json_t *value;

	switch (k->op) {
	case OPERATOR_CONTAINS:
		return one("wildcard", k->field_name, valued(wildcard(t), cased));
	case OPERATOR_STARTS_WITH:
		return one("prefix", k->field_name, valued(jsonval_text(t.s, t.len), cased));
	case OPERATOR_EXACT:
		return one("term", k->field_name, valued(jsonval_text(t.s, t.len), cased));
	default:
		value = lucene_of_rule(t, err);
		return value ? one("regexp", k->field_name, valued(value, cased)) : NULL;
	}
}

/* Any or all of CLAUSES. */
static json_t *joined(json_t *clauses, bool any)
{
	return any ? json_pack("{s:{s:o, s:i}}", "bool", "should", clauses, "minimum_should_match",
			       1)
		   : json_pack("{s:{s:o}}", "bool", "must", clauses);
}

/* Any of its patterns. */
static json_t *pattern_clause(const struct rule *rule, const struct rule_condition *k,
			      struct err *err)
{
	bool cased = convert_is_cased(rule, k);

	if (k->patternc == 1)
		return text_clause(k, k->pattern[0], cased, err);
	json_t *clauses = json_array();
	for (size_t i = 0; i < k->patternc; i++) {
		json_t *clause = text_clause(k, k->pattern[i], cased, err);
		if (!clause) {
			json_decref(clauses);
			return NULL;
		}
		json_array_append_new(clauses, clause);
	}
	return joined(clauses, true);
}

static json_t *metric_clause(const struct rule_condition *k)
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

static json_t *constant(bool truth)
{
	return json_pack("{s:{}}", truth ? "match_all" : "match_none");
}

static json_t *condition_clause(const struct rule *rule, const struct rule_condition *k,
				bool denied, struct err *err)
{
	json_t *clause;

	if (k->kind == CONDITION_NEVER)
		return constant(denied);
	if (denied && k->kind == CONDITION_TEXT && k->op == OPERATOR_REGEX) {
		err_set(err, ERR_INPUT,
			"it says NOT of an expression, which can only be told loosely");
		return NULL;
	}
	clause = k->kind == CONDITION_METRIC ? metric_clause(k) : pattern_clause(rule, k, err);
	return denied && clause ? json_pack("{s:{s:[o]}}", "bool", "must_not", clause) : clause;
}

/* NOT is carried down to the conditions; on its way it makes AND of OR. */
static json_t *expression_clause(const struct rule *rule, struct text source, bool denied,
				 int depth, struct err *err)
{
	if (depth > EXPRESSION_DEPTH_MAX) {
		convert_too_deep(err);
		return NULL;
	}
	struct expression e = expression_read(rule, source);
	json_t *clauses, *clause = NULL;
	struct text part;

	if (e.kind == EXPRESSION_CONDITION)
		return condition_clause(rule, &rule->condition[e.condition], denied, err);
	if (e.kind == EXPRESSION_NEVER)
		return constant(denied);
	clauses = json_array();
	while (expression_next(&e, &part)) {
		clause = expression_clause(rule, part, denied != (e.kind == EXPRESSION_NOT),
					   depth + 1, err);
		if (!clause) {
			json_decref(clauses);
			return NULL;
		}
		json_array_append_new(clauses, clause);
	}
	if (e.kind == EXPRESSION_ANY || e.kind == EXPRESSION_ALL)
		return joined(clauses, (e.kind == EXPRESSION_ANY) != denied);
	json_incref(clause); /* the only one */
	json_decref(clauses);
	return clause;
}

static json_t *list_clause(const struct rule *rule, struct err *err)
{
	json_t *clauses = json_array();

	for (size_t i = 0; i < rule->conditionc; i++) {
		json_t *clause = condition_clause(rule, &rule->condition[i], false, err);
		if (!clause) {
			json_decref(clauses);
			return NULL;
		}
		json_array_append_new(clauses, clause);
	}
	return joined(clauses, rule->combine == COMBINE_ANY);
}

/* NULL: there is nothing to say. */
static json_t *notes(const struct rule *rule)
{
	char note[CONVERT_NOTE_MAX];
	json_t *list = NULL;

	for (size_t i = 0; i < rule->conditionc; i++) {
		if (!convert_note(rule, i, note))
			continue;
		list = list ? list : json_array();
		json_array_append_new(list, jsonval_readable(note));
	}
	return list;
}

json_t *convert_to_elastic(const struct rule *rule, struct err *err)
{
	struct text all = {rule->expression, strlen(rule->expression)};
	bool named = rule->combine == COMBINE_EXPRESSION;
	const char *joint = rule->combine == COMBINE_ANY ? "any" : "all";
	json_t *query;

	if (convert_check(rule, err) < 0)
		return NULL;
	query = named ? expression_clause(rule, all, false, 0, err) : list_clause(rule, err);
	if (!query)
		return NULL;
	return json_pack("{s:{s:o, s:o, s:o, s:o, s:o, s:o*}, s:o}", "_meta", "rule_id",
			 jsonval_readable(rule->id), "title", jsonval_readable(rule->title),
			 "severity", jsonval_readable(rule->severity_name), "category",
			 jsonval_readable(rule->category), "condition",
			 jsonval_readable(named ? rule->expression : joint), "notes", notes(rule),
			 "query", query);
}
