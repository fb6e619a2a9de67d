/* SPDX-License-Identifier: MIT
 *
 * What must stand beside a literal: sets of bytes at fixed distances before and behind it. "=" alone
 * is everywhere, "=" with two hexadecimal digits behind it is not, and to look at two bytes is
 * cheaper than to ask an expression. As with all that is done in folded text, a guard may let too
 * much through, never too little.
 */
#ifndef CORDON_SCAN_GUARD_H
#define CORDON_SCAN_GUARD_H

#include "scan/reach.h"
#include "scan/strs.h"

struct sequence;

enum {
	GUARD_FAR = 8, /* bytes from the literal */
	GUARD_MAX = 4, /* of them that are looked at */
};

struct guard {
	int8_t at[GUARD_MAX]; /* from the literal's start if negative, else from its end */
	uint8_t count;
	double share; /* of all places that get through, about */
	struct reach_set set[GUARD_MAX];
};

/* What can stand on one side of a literal, at each distance; what share of all bytes that is. */
struct guard_side {
	struct reach_set set[GUARD_FAR + 1];
	double share[GUARD_FAR + 1];
	bool known;
};

/* Strings that begin with piece FROM of a sequence. Behind them come any number of MORE (or NULL),
 * then the pieces from TO on. What has been found for one of them is kept for the others: by
 * whether it begins, and ends, with a space. */
struct guarded {
	const struct sequence *q;
	uint32_t from, to;
	const struct strs *all;
	const struct reach_set *more;
	const double *rate; /* of each byte */
	struct guard_side before[2], behind[2];
};

/* Of the literal STR, which stands for all strings that begin with it. */
struct guard guard_of(struct guarded *g, const struct str *str);

#endif
