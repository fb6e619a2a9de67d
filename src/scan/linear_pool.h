/* SPDX-License-Identifier: MIT
 *
 * What keeping states (linear_pool.c) and moving between them (linear_move.c) share.
 */
#ifndef CORDON_SCAN_LINEAR_POOL_H
#define CORDON_SCAN_LINEAR_POOL_H

#include "scan/linear_private.h"

enum {
	LINEAR_UNIT = 16, /* bytes: where something is, is counted in these */
	LINEAR_BUCKETS = 1 << 14,
};

struct linear_state {
	uint64_t serial;		    /* whose */
	struct linear_state *chain, *still; /* STILL: the same, and no match begins any more */
	uint32_t hash;			    /* of its bits, which are behind its moves */
	bool adding, empty;
	uint8_t side;
	uint32_t move[]; /* by kind; 0: nobody has been there */
};

struct linear_pool {
	uint8_t *memory;
	size_t used;
	struct linear_state *bucket[LINEAR_BUCKETS];
	uint64_t generation, serials;
	bool full;
	bool useless; /* for the form that runs: nothing new is kept */
};

/* Zeroed; NULL: there is no room, until it is emptied. */
void *linear_pool_take(struct linear_pool *pool, size_t size);
/* The state that L is in by its bits; NULL: there is no room for it. */
struct linear_state *linear_pool_state(struct linear_walk *w, const struct linear *l,
				       unsigned side);
/* From a state to bits. */
void linear_pool_load(struct linear *l);

#endif
