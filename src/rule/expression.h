/* SPDX-License-Identifier: MIT
 *
 * Boolean expressions over the names of conditions. All users read an expression with the functions
 * below, one level at a time, so it has one meaning everywhere.
 */
#ifndef CORDON_RULE_EXPRESSION_H
#define CORDON_RULE_EXPRESSION_H

#include "rule/rule.h"

/* In this order, because AND is the least of its parts and OR the greatest. */
enum answer {
	ANSWER_NO,
	ANSWER_UNDECIDED, /* a limit was reached first */
	ANSWER_YES,
};

/* An expression that is nested deeper is undecided. */
#define EXPRESSION_DEPTH_MAX 64

enum expression_kind {
	EXPRESSION_NEVER,     /* an unknown name: false */
	EXPRESSION_CONDITION, /* one condition of the rule */
	EXPRESSION_NOT,	      /* negates its one part */
	EXPRESSION_BRACKET,   /* its one part */
	EXPRESSION_ANY,
	EXPRESSION_ALL,
};

struct expression {
	enum expression_kind kind;
	size_t condition;  /* its number in the rule */
	struct text parts; /* those not yet returned */
	bool ended;
};

struct expression expression_read(const struct rule *rule, struct text source);
/* Returns the next part, to be read in turn. False: there are no more. */
bool expression_next(struct expression *e, struct text *ret_part);

/* ANSWER has an element for each condition of the rule. */
enum answer expression_ask(const struct rule *rule, const enum answer *answer);

#endif
