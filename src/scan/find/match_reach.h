/* SPDX-License-Identifier: MIT
 *
 * A reach: how far before a place in folded text (fold.h) a match can have begun. Read backwards
 * it is at most bound[0] bytes of anything, then the longest run of bytes of set run[0], then at
 * most bound[1] bytes, and so on. `.*` is a run that ends with the line, `\w+` one that ends with
 * the word, so even an expression without a maximum length begins in a small part of the text. A
 * reach may be larger than the truth and never smaller.
 */
#ifndef CORDON_SCAN_MATCH_REACH_H
#define CORDON_SCAN_MATCH_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/text/fold.h"

enum {
	REACH_RUNS = 3,
	REACH_FAR = 1 << 24, /* beyond this many bytes it is a run of everything */
	REACH_SETS_MAX = 4096,
	REACH_MEMO = 4,
	REACH_SHORT = 64, /* bytes of the shortest run worth remembering */
};

/* Bytes of folded text. */
struct reach_set {
	uint64_t bits[4];
	uint32_t newline; /* a space that stands for a line's end is in the set */
	uint32_t reserved;
};

extern const struct reach_set reach_everything;

struct reach {
	uint32_t min; /* bytes at least */
	uint32_t bound[REACH_RUNS + 1];
	uint16_t run[REACH_RUNS]; /* number of a set */
	uint16_t runs;
};

/* All sets of a database; number 0 is every byte. */
struct reach_sets {
	struct reach_set *set;
	uint32_t count, room;
	bool failed;
};

void reach_sets_init(struct reach_sets *sets);
void reach_sets_done(struct reach_sets *sets);
/* The set's number; 0, which is always correct, when there are too many. */
uint16_t reach_set_find(struct reach_sets *sets, const struct reach_set *set);

static inline bool reach_has(const struct reach_set *set, uint8_t byte)
{
	return set->bits[byte / 64] >> (byte % 64) & 1;
}

static inline void reach_set_add(struct reach_set *set, uint8_t byte)
{
	set->bits[byte / 64] |= (uint64_t)1 << (byte % 64);
}

void reach_set_join(struct reach_set *set, const struct reach_set *more);

/* MIN to MAX bytes of anything. */
struct reach reach_bytes(uint32_t min, uint64_t max);
/* At least MIN bytes, all of them in SET. */
struct reach reach_run(uint32_t min, uint16_t set);
/* FIRST followed by NEXT. */
struct reach reach_join(const struct reach *first, const struct reach *next);
/* Either of them. */
struct reach reach_either(struct reach_sets *sets, const struct reach *a, const struct reach *b);
/* The maximum in bytes; UINT64_MAX when unbounded. */
uint64_t reach_max(const struct reach *r);
bool reach_is_same(const struct reach *a, const struct reach *b);

/* The last runs of a set that were walked in this pass. Otherwise, in a text of one line, each
 * walk would be as long as the text. */
struct reach_memo {
	uint32_t pass, next;
	struct {
		uint32_t lo, hi;
	} run[REACH_MEMO];
};

struct reach_walker {
	const struct reach_set *set;
	/* REACH_RUNS for each set, because walks with two runs would overwrite one */
	struct reach_memo *memo;
	struct reach_memo *ahead; /* the same for walks forwards */
	const struct folded *text;
	uint32_t pass; /* a different number for each text, never 0 */
};

/* The first place from which F is in reach. */
size_t reach_walk(const struct reach_walker *w, const struct reach *r, size_t f);
/* The reverse: the place after the last byte that a match of reach R, begun at F, can extend to. */
size_t reach_walk_ahead(const struct reach_walker *w, const struct reach *r, size_t f);

#endif
