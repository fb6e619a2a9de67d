/* SPDX-License-Identifier: MIT
 *
 * Every expression that a pack can ask for, each once, and which of them each place in the pack
 * means. The same pack always gives the same list: a database made of it can be kept on disk.
 */
#ifndef CORDON_DETECT_PATTERNS_H
#define CORDON_DETECT_PATTERNS_H

#include "rule/load.h"
#include "scan/db.h"

enum { PATTERN_NONE = UINT32_MAX };

struct pattern_list {
	size_t count;
	const struct db_pattern *pattern;
	/* For every place, in the order of the walk, the pattern's number or PATTERN_NONE. The walk
	 * goes through the rules; in each through the conditions' patterns and the patterns of
	 * sequences' steps, then through the expressions of its trace block. */
	size_t placec;
	const uint32_t *place;
};

/* How many expressions a trace block has. */
size_t patterns_of_trace(const struct node *trace);
/* Which of the expressions of a trace block it is, in the order of the walk; -1: none. */
int patterns_in_trace(const struct node *trace, const struct node *regex);

/* RET lives in ARENA. */
int patterns_collect(const struct pack *pack, struct arena *arena, struct pattern_list *ret,
		     struct err *err);

#endif
