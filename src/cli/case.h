/* SPDX-License-Identifier: MIT
 *
 * A rule's own test case as the event that the reference's test command makes of it.
 */
#ifndef CORDON_CLI_CASE_H
#define CORDON_CLI_CASE_H

#include "detect/event.h"
#include "rule/rule.h"

struct test_case {
	struct event event;
	struct text skill; /* to be tried as a SKILL.md too; s NULL: not */
};

/* NODE is a string or a map of fields. All of it lives in ARENA. */
void case_make(const struct rule *rule, const struct node *node, struct arena *arena,
	       struct test_case *ret);
/* The source that a rule's tests are run with. */
enum rule_source case_source(enum rule_source source);

#endif
