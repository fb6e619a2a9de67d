/* SPDX-License-Identifier: MIT
 *
 * What conditions say, and boolean expressions over their names.
 */
#ifndef CORDON_DETECT_EXPRESSION_H
#define CORDON_DETECT_EXPRESSION_H

#include "rule/rule.h"

/* In this order: AND is the least of its parts, OR the greatest. */
enum answer {
	ANSWER_NO,
	ANSWER_UNDECIDED, /* a limit was reached before anybody knew */
	ANSWER_YES,
};

/* Deeper ones are undecided. */
#define EXPRESSION_DEPTH_MAX 64

/* ANSWER has one for each of the rule's conditions. */
enum answer expression_ask(const struct rule *rule, const enum answer *answer);

#endif
