/* SPDX-License-Identifier: MIT
 *
 * Look-ups over the generated tables. Linear searches over a few hundred rows, only on
 * the way of a denial. This file is the one place that includes the generated header.
 */
#include "box/filter.h"

#include <stddef.h>

#include "filters.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(COUNT(filter_variants) == SET_COUNT, "one filter for each combination of sets");

const struct filter_variant *filter_find(unsigned int sets)
{
	return &filter_variants[sets % SET_COUNT];
}

const char *call_name_find(int nr)
{
	for (size_t i = 0; i < COUNT(call_names); i++) {
		if (call_names[i].nr == nr)
			return call_names[i].name;
	}
	return NULL;
}

const struct call_rule *call_rule_find(int nr)
{
	for (size_t i = 0; i < COUNT(call_rules); i++) {
		if (call_rules[i].nr == nr)
			return &call_rules[i];
	}
	return NULL;
}
