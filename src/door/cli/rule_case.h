/* SPDX-License-Identifier: MIT
 *
 * Makes an event from a rule's test case, as the reference's test command does.
 */
#ifndef CORDON_CLI_CASE_H
#define CORDON_CLI_CASE_H

#include "detect/event.h"
#include "rule/rule.h"

struct test_case {
	struct event event;
	struct text skill; /* to be tested as a SKILL.md too; s NULL: not */
};

/* NODE is a string or a map of fields. ARENA owns the result. */
void case_make(const struct rule *rule, const struct node *node, struct arena *arena,
	       struct test_case *ret);
/* The source with which a rule's tests run. */
enum rule_source case_source(enum rule_source source);

#endif
