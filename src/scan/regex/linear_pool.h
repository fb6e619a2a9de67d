/* SPDX-License-Identifier: MIT
 *
 * What keeping states (linear_pool.c) and moving between them (linear_move.c and linear.c) share.
 */
#ifndef CORDON_SCAN_LINEAR_POOL_H
#define CORDON_SCAN_LINEAR_POOL_H

#include "scan/regex/linear_private.h"

enum {
	LINEAR_UNIT = 16, /* the unit, in bytes, of places in the pool */
	LINEAR_BUCKETS = 1 << 14,
};

struct linear_state {
	uint64_t serial; /* whose */
	/* STILL: it leads to itself, and no match may begin any more */
	struct linear_state *chain, *still;
	uint32_t hash; /* of its bits, which follow its moves */
	bool adding, empty;
	uint8_t side;
	uint32_t move[]; /* by kind; 0: not known */
};

struct linear_pool {
	uint8_t *memory;
	size_t used;
	struct linear_state *bucket[LINEAR_BUCKETS];
	uint64_t generation, serials;
	bool full;
	bool useless; /* for the form that runs: nothing new is recorded */
};

enum {
	/* Flags of a move. Its other bits are the place of the next state or question. */
	LINEAR_MOVE_KNOWN = 1,
	LINEAR_MOVE_FOUND = 2,
	LINEAR_MOVE_EMPTY = 4, /* no active state is left */
	LINEAR_MOVE_ASK = 8,
	LINEAR_MOVE_FLAGS = 15,
	LINEAR_MOVE_SHIFT = 4,
};

_Static_assert(LINEAR_POOL_BYTES / LINEAR_UNIT < 1 << (32 - LINEAR_MOVE_SHIFT),
	       "a move can say where");

static inline void *linear_moved_to(const struct linear_pool *pool, uint32_t move)
{
	return move >> LINEAR_MOVE_SHIFT
		       ? pool->memory + (size_t)(move >> LINEAR_MOVE_SHIFT) * LINEAR_UNIT
		       : NULL;
}

/* Zeroed memory; NULL: the pool is full. */
void *linear_pool_take(struct linear_pool *pool, size_t size);
/* The state for L's bits; NULL: the pool is full. */
struct linear_state *linear_pool_state(struct linear_walk *w, const struct linear *l,
				       unsigned side);
/* From a state to bits. */
void linear_pool_load(struct linear *l);

#endif
