/* SPDX-License-Identifier: MIT
 *
 * The distinct expressions of a pack, and the expression for each place in the pack. The same pack
 * always gives the same list, so a database made from it can be stored.
 */
#ifndef CORDON_DETECT_PATTERNS_H
#define CORDON_DETECT_PATTERNS_H

#include "rule/load.h"
#include "scan/find/pattern_db.h"

enum { PATTERN_NONE = UINT32_MAX };

struct pattern_list {
	size_t count;
	const struct db_pattern *pattern;
	/* For every place, in the order of the walk, the pattern's number or PATTERN_NONE. The
	 * walk takes each rule in turn: the patterns of its conditions, those of its sequences'
	 * steps, then the expressions of its trace block. */
	size_t placec;
	const uint32_t *place;
};

/* The number of expressions in a trace block. */
size_t patterns_of_trace(const struct node *trace);
/* The number of an expression in a trace block, in the order of the walk, or -1. */
int patterns_in_trace(const struct node *trace, const struct node *regex);

/* RET lives in ARENA. */
int patterns_collect(const struct pack *pack, struct arena *arena, struct pattern_list *ret,
		     struct err *err);

#endif
