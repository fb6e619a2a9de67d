/* SPDX-License-Identifier: MIT
 *
 * Rules that know names and hashes: each indicator is compared with one field, hashes in any case.
 */
#include <string.h>

#include "base/scope.h"
#include "detect/thread.h"

static bool is_hash(const struct node *type)
{
	static const char *const hashes[] = {"sha256", "sha512", "blake2b-256"};
	const char *name = node_string(type);

	for (size_t i = 0; name && i < ARRAY_SIZE(hashes); i++)
		if (!strcmp(name, hashes[i]))
			return true;
	return false;
}

static int small(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool is_equal(struct text a, struct text b, bool any_case)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (any_case ? small((unsigned char)a.s[i]) != small((unsigned char)b.s[i])
			     : a.s[i] != b.s[i])
			return false;
	return true;
}

static bool is_met(const struct event *event, const struct node *indicator)
{
	const char *target = node_string(node_get(indicator, "target_field"));
	const struct node *value = node_get(indicator, "value");
	const struct node *actual = target ? node_get(event->fields, target) : NULL;

	if (!value || value->kind != NODE_STRING || !actual || actual->kind != NODE_STRING)
		return false;
	return is_equal(actual->text, value->text, is_hash(node_get(indicator, "type")));
}

void evaluate_signature(const struct event *event, const struct rule *rule, struct outcome *ret)
{
	const struct node *list = node_get(rule->signature, "indicators");
	const char *logic = node_string(node_get(rule->signature, "match_logic"));
	size_t met = 0;

	for (size_t i = 0; i < node_count(list); i++) {
		if (!is_met(event, node_item(list, i)))
			continue;
		if (met < RULE_CONDITIONS_MAX)
			ret->matched[met] = (uint32_t)i;
		met++;
	}
	if (!met || (logic && !strcmp(logic, "all") && met < node_count(list)))
		return;
	ret->answer = ANSWER_YES;
	ret->confidence = 1;
	ret->matchedc = met < RULE_CONDITIONS_MAX ? met : RULE_CONDITIONS_MAX;
}
