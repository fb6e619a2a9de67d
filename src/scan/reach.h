/* SPDX-License-Identifier: MIT
 *
 * How far from a place in a folded text (fold.h) something can have begun. Read backwards: at most
 * bound[0] bytes of anything, then a run of bytes of set run[0] as long as it goes, then at most
 * bound[1] bytes, and so on. `.*` is a run that ends with the line, `\w+` one that ends with the
 * word, so even expressions without a longest match begin in a small part of the text. A reach may
 * always be larger than the truth, never smaller.
 */
#ifndef CORDON_SCAN_REACH_H
#define CORDON_SCAN_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/fold.h"

enum {
	REACH_RUNS = 3,
	REACH_FAR = 1 << 24, /* more bytes than this are a run of everything */
	REACH_SETS_MAX = 4096,
	REACH_MEMO = 4,
	REACH_SHORT = 64, /* bytes of a run that is not worth remembering */
};

/* Bytes of folded text. */
struct reach_set {
	uint64_t bits[4];
	uint32_t newline; /* a space that stands for a line's end is one of them */
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
/* The set's number; 0, which is always right, when there are too many. */
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
/* At least MIN bytes, all of them of SET. */
struct reach reach_run(uint32_t min, uint16_t set);
/* FIRST, then NEXT behind it. */
struct reach reach_join(const struct reach *first, const struct reach *next);
/* Either of them. */
struct reach reach_either(struct reach_sets *sets, const struct reach *a, const struct reach *b);
/* Bytes at most, UINT64_MAX when that has no end. */
uint64_t reach_max(const struct reach *r);
bool reach_is_same(const struct reach *a, const struct reach *b);

/* The last runs of a set that were walked: on a text of one line each walk would be as long as the
 * text. Of another pass: none. */
struct reach_memo {
	uint32_t pass, next;
	struct {
		uint32_t lo, hi;
	} run[REACH_MEMO];
};

struct reach_walker {
	const struct reach_set *set;
	struct reach_memo *memo;  /* REACH_RUNS for each set: walks with two runs would lose one */
	struct reach_memo *ahead; /* the same for walks to the end */
	const struct folded *text;
	uint32_t pass; /* another number for another text, never 0 */
};

/* The first place from which F is in reach. */
size_t reach_walk(const struct reach_walker *w, const struct reach *r, size_t f);
/* The other way: behind the last place that something of R's length, begun at F, can get to. */
size_t reach_walk_ahead(const struct reach_walker *w, const struct reach *r, size_t f);

#endif
