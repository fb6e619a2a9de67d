/* SPDX-License-Identifier: MIT
 *
 * The table of targets, what they share, and JSON, which carries every rule, whatever it is about.
 * For the others a rule is conditions with AND, OR and NOT between them; rules about sessions, traces
 * and signatures say more than these systems can be told.
 */
#include "cli/convert.h"

#include <stdlib.h>

#include "base/scope.h"
#include "cli/convert_private.h"
#include "cli/jsonval.h"
#include "cli/tree.h"
#include "rule/expression.h"
#include "scan/regex.h"

int grow_open(struct growing *g)
{
	g->s = NULL;
	g->to = open_memstream(&g->s, &g->len);
	return g->to ? 0 : -1;
}

json_t *grow_string(struct growing *g)
{
	json_t *j;

	fclose(g->to);
	j = json_stringn(g->s, g->len);
	free(g->s);
	return j;
}

void grow_drop(struct growing *g)
{
	fclose(g->to);
	free(g->s);
}

int convert_check(const struct rule *rule, struct err *err)
{
	static const char *const methods[] = {[METHOD_SIGNATURE] = "signatures",
					      [METHOD_BEHAVIORAL] = "behaviour over time",
					      [METHOD_TRACE] = "traces"};

	if ((size_t)rule->method < ARRAY_SIZE(methods) && methods[rule->method])
		return err_set(err, ERR_INPUT, "it is about %s", methods[rule->method]);
	if (rule->method == METHOD_SEMANTIC && !rule->falls_back)
		return err_set(err, ERR_INPUT, "it is for a model to judge, and names no fallback");
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

bool convert_note(const struct rule *rule, size_t i, char ret[CONVERT_NOTE_MAX])
{
	const struct rule_condition *k = &rule->condition[i];

	if (k->kind != CONDITION_TEXT || !k->language)
		return false;
	snprintf(ret, CONVERT_NOTE_MAX,
		 "condition %.64s is only for texts in \"%.32s\", here it is for all", k->name.s,
		 k->language);
	return true;
}

int convert_too_deep(struct err *err)
{
	return err_set(err, ERR_LIMIT, "its expression is deeper than %d", EXPRESSION_DEPTH_MAX);
}

bool convert_is_cased(const struct rule *rule, const struct rule_condition *k)
{
	return rule->combine == COMBINE_EXPRESSION ? k->case_sensitive : k->op == OPERATOR_EXACT;
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
	return json_pack("{s:o, s:o, s:s, s:o, s:s, s:o, s:o*}", "name",
			 jsonval_text(k->name.s, k->name.len), "field",
			 jsonval_readable(k->field_name ? k->field_name : "content"), "operator",
			 op ? op->name : "", k->op == OPERATOR_REGEX ? "regex" : "value",
			 jsonval_text(k->pattern[i].s + skip, k->pattern[i].len - skip), "flags",
			 k->op == OPERATOR_REGEX && !k->case_sensitive ? "i" : "", "description",
			 jsonval_readable(description ? description : ""), "language",
			 k->language ? jsonval_readable(k->language) : NULL);
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

static const struct convert_target targets[] = {
	{"json", "every rule, its patterns with their fields", false, to_json, true},
	{"splunk", "searches in SPL", true, convert_to_splunk, false},
	{"elastic", "queries of Elasticsearch", false, convert_to_elastic, false},
};

const struct convert_target *convert_at(unsigned i)
{
	return i < ARRAY_SIZE(targets) ? &targets[i] : NULL;
}
