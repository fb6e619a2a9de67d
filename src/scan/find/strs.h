/* SPDX-License-Identifier: MIT
 *
 * Finite sets of short folded strings: all strings that a part of an expression matches, as in
 * {"", "all "} for (?:all\s+)?. Two adjacent spaces become one, as in folded text. NULL stands for
 * a set that would be too large or have a string too long. Sets are constant once made, and live
 * in an arena.
 */
#ifndef CORDON_SCAN_STRS_H
#define CORDON_SCAN_STRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { STRS_MAX = 96, STR_MAX = 30 };

struct str {
	uint8_t len;
	uint8_t edge; /* enum str_edge */
	char byte[STR_MAX];
};

/* No letter, digit or underscore may stand before it, or after it. */
enum str_edge { STR_EDGE_BEFORE = 1, STR_EDGE_BEHIND = 2 };

struct strs {
	uint32_t count; /* 0: nothing matches */
	struct str str[];
};

struct strs_maker {
	struct arena *arena;
	uint64_t work; /* strings made */
};

const struct strs *strs_one(struct strs_maker *m, const char *byte, size_t len);
const struct strs *strs_join(struct strs_maker *m, const struct strs *a, const struct strs *b);
const struct strs *strs_either(struct strs_maker *m, const struct strs *a, const struct strs *b);
/* Cut to LEN bytes; strings that begin with another one are left out. */
const struct strs *strs_reduce(struct strs_maker *m, const struct strs *a, size_t len);
bool strs_has_empty(const struct strs *a);
size_t strs_shortest(const struct strs *a);

#endif
