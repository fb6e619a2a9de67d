/* SPDX-License-Identifier: MIT
 *
 * Compares two trees, two rules or two packs in everything except addresses. The first difference
 * is printed as a diagnostic.
 */
#ifndef CORDON_UNIT_SAME_H
#define CORDON_UNIT_SAME_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rule/load.h"

static inline bool same_told(bool same, const char *what, unsigned line)
{
	if (!same)
		printf("# %s differs, line %u\n", what, line);
	return same;
}

static inline bool same_text(struct text a, struct text b)
{
	return a.len == b.len && !memcmp(a.s, b.s, a.len) && !a.s[a.len] && !b.s[b.len];
}

static inline bool same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static inline bool same_tree(const struct node *a, const struct node *b)
{
	bool same = a && b && a->kind == b->kind && a->line == b->line && a->height == b->height &&
		    a->size == b->size && node_count(a) == node_count(b);

	if (!a && !b)
		return true;
	if (same && a->kind == NODE_BOOL)
		same = a->truth == b->truth;
	if (same && a->kind == NODE_INT)
		same = a->integer == b->integer;
	if (same && a->kind == NODE_FLOAT)
		same = !memcmp(&a->number, &b->number, sizeof(a->number));
	if (same && a->kind == NODE_STRING)
		same = same_text(a->text, b->text);
	for (size_t i = 0; same && a->kind == NODE_LIST && i < a->list.count; i++)
		same = same_tree(a->list.item[i], b->list.item[i]);
	for (size_t i = 0; same && a->kind == NODE_MAP && i < a->map.count; i++) {
		const struct node_pair *p = &a->map.pair[i], *q = &b->map.pair[i];
		same = same_text(p->key, q->key) && p->line == q->line &&
		       same_tree(p->value, q->value);
	}
	return same_told(same, "a value", a ? a->line : 0);
}

static inline bool same_patterns(const struct text *a, const struct text *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!same_text(a[i], b[i]))
			return false;
	return true;
}

static inline bool same_condition(const struct rule_condition *a, const struct rule_condition *b)
{
	bool same =
		a->kind == b->kind && a->line == b->line && same_text(a->name, b->name) &&
		same_tree(a->node, b->node) && a->op == b->op && a->field == b->field &&
		same_string(a->field_name, b->field_name) && a->patternc == b->patternc &&
		same_patterns(a->pattern, b->pattern, a->patternc) &&
		a->case_sensitive == b->case_sensitive && same_string(a->language, b->language) &&
		same_string(a->metric, b->metric) && a->compare == b->compare &&
		!memcmp(&a->threshold, &b->threshold, sizeof(a->threshold)) &&
		a->ordered == b->ordered && a->stepc == b->stepc && a->window_ms == b->window_ms;

	for (size_t i = 0; same && i < a->stepc; i++)
		same = a->step[i].patternc == b->step[i].patternc &&
		       same_patterns(a->step[i].pattern, b->step[i].pattern, a->step[i].patternc);
	return same_told(same, "a condition", a->line);
}

static inline bool same_words(const struct rule *a, const struct rule *b)
{
	return same_string(a->id, b->id) && same_string(a->title, b->title) &&
	       a->status == b->status && a->maturity == b->maturity && a->severity == b->severity &&
	       same_string(a->severity_name, b->severity_name) &&
	       same_string(a->category, b->category) &&
	       same_string(a->subcategory, b->subcategory) && a->target == b->target &&
	       a->confidence == b->confidence &&
	       a->suppress_in_code_blocks == b->suppress_in_code_blocks &&
	       a->confirm_embedding == b->confirm_embedding && a->source == b->source &&
	       a->method == b->method && a->falls_back == b->falls_back &&
	       a->combine == b->combine && same_string(a->expression, b->expression) &&
	       same_string(a->file, b->file) && a->line == b->line && a->order == b->order;
}

static inline bool same_rule(const struct rule *a, const struct rule *b)
{
	bool same = same_words(a, b) && a->conditionc == b->conditionc &&
		    a->actionc == b->actionc && same_tree(a->signature, b->signature) &&
		    same_tree(a->trace, b->trace) && same_tree(a->test_cases, b->test_cases) &&
		    same_tree(a->evasion_tests, b->evasion_tests) && same_tree(a->root, b->root);

	for (size_t i = 0; same && i < a->actionc; i++)
		same = a->action[i] == b->action[i] &&
		       same_string(a->action_name[i], b->action_name[i]);
	for (size_t i = 0; same && i < a->conditionc; i++)
		same = same_condition(&a->condition[i], &b->condition[i]);
	return same_told(same, a->file, a->line);
}

static inline bool same_pack(const struct pack *a, const struct pack *b)
{
	bool same = a->rulec == b->rulec && a->bytes == b->bytes && a->nodes == b->nodes &&
		    a->files == b->files && a->skipped == b->skipped && a->errors == b->errors &&
		    a->warnings == b->warnings;

	for (size_t i = 0; same && i < a->rulec; i++)
		same = same_rule(&a->rule[i], &b->rule[i]) &&
		       pack_find(b, a->rule[i].id) == &b->rule[i];
	return same_told(same, "the pack", 0);
}

#endif
