/* SPDX-License-Identifier: MIT
 *
 * The conditions of a rule, in both forms that the format has.
 */
#ifndef CORDON_RULE_CONDITION_H
#define CORDON_RULE_CONDITION_H

#include "rule/rule.h"

/* CONDITIONS is detection.conditions: a list, or a map of names. */
int conditions_parse(const struct node *conditions, struct arena *arena, struct rule *ret,
		     unsigned *ret_line, struct err *err);

#endif
