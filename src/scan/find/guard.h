/* SPDX-License-Identifier: MIT
 *
 * Guards: sets of bytes that must stand beside a literal, at fixed distances before and after it.
 * "=" is frequent in text, "=" before two hexadecimal digits is not, and testing two bytes is
 * cheaper than matching an expression. Like everything in folded text, a guard may accept too much
 * and never too little.
 */
#ifndef CORDON_SCAN_GUARD_H
#define CORDON_SCAN_GUARD_H

#include "scan/find/match_reach.h"
#include "scan/find/strs.h"

struct sequence;

enum {
	GUARD_FAR = 8, /* bytes from the literal */
	GUARD_MAX = 4, /* bytes that are tested */
};

struct guard {
	int8_t at[GUARD_MAX]; /* from the literal's start if negative, else from its end */
	uint8_t count;
	double share; /* an estimate of the share of places that pass */
	struct reach_set set[GUARD_MAX];
};

/* The bytes that can stand on one side of a literal, at each distance, and their share of all
 * bytes. */
struct guard_side {
	struct reach_set set[GUARD_FAR + 1];
	double share[GUARD_FAR + 1];
	bool known;
};

/* Strings that begin with piece FROM of a sequence, followed by any number of MORE (or NULL), then
 * the pieces from TO on. The result for one string is kept for others that begin and end alike,
 * with a space or without. */
struct guarded {
	const struct sequence *q;
	uint32_t from, to;
	const struct strs *all;
	const struct reach_set *more;
	const double *rate; /* of each byte */
	struct guard_side before[2], behind[2];
};

/* The guard of the literal STR, which stands for all strings that begin with it. */
struct guard guard_of(struct guarded *g, const struct str *str);

#endif
