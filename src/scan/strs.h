/* SPDX-License-Identifier: MIT
 *
 * Finite sets of short folded strings, as large as a part of an expression can be written out:
 * (?:all\s+)? is {"", "all "}. Two spaces that meet become one, as in folded text. A set that would
 * be too large, or have a string too long, is no set: NULL. Sets are never changed once they are
 * made and live in an arena.
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

/* No letter, digit or underscore may stand before it, behind it. */
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
/* Cut to LEN bytes; what begins with another one is left out. */
const struct strs *strs_reduce(struct strs_maker *m, const struct strs *a, size_t len);
bool strs_has_empty(const struct strs *a);
size_t strs_shortest(const struct strs *a);

#endif
