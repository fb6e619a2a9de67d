/* SPDX-License-Identifier: MIT
 *
 * What conditions say, and boolean expressions over their names. An expression is read one level at
 * a time, by whoever asks or writes it in other words: there is one reading of it.
 */
#ifndef CORDON_RULE_EXPRESSION_H
#define CORDON_RULE_EXPRESSION_H

#include "rule/rule.h"

/* In this order: AND is the least of its parts, OR the greatest. */
enum answer {
	ANSWER_NO,
	ANSWER_UNDECIDED, /* a limit was reached before anybody knew */
	ANSWER_YES,
};

/* Deeper ones are undecided. */
#define EXPRESSION_DEPTH_MAX 64

enum expression_kind {
	EXPRESSION_NEVER,     /* names nothing: false */
	EXPRESSION_CONDITION, /* one of the rule's */
	EXPRESSION_NOT,	      /* of its one part */
	EXPRESSION_BRACKET,   /* its one part */
	EXPRESSION_ANY,
	EXPRESSION_ALL,
};

struct expression {
	enum expression_kind kind;
	size_t condition;  /* its number in the rule */
	struct text parts; /* those that were not taken yet */
	bool ended;
};

struct expression expression_read(const struct rule *rule, struct text source);
/* Takes the next part, to be read in turn. False: there are no more. */
bool expression_next(struct expression *e, struct text *ret_part);

/* ANSWER has one for each of the rule's conditions. */
enum answer expression_ask(const struct rule *rule, const enum answer *answer);

#endif
