/* SPDX-License-Identifier: MIT
 *
 * The Merkle tree of RFC 6962 over the records of the log. Only its right edge is stored (one hash
 * for each bit of the size), so an append costs a few hashes. A proof is described as ranges of
 * leaves: the caller reads the log once and hashes each range, in constant memory.
 */
#ifndef CORDON_STORE_MERKLE_H
#define CORDON_STORE_MERKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MERKLE_HASH = 32, MERKLE_EDGE_MAX = 64, MERKLE_PROOF_MAX = 64 };

struct merkle {
	uint64_t size;
	uint8_t edge[MERKLE_EDGE_MAX][MERKLE_HASH]; /* perfect subtrees, the largest first */
};

struct merkle_range {
	uint64_t from, to; /* leaves FROM to TO - 1 */
};

void merkle_leaf(const uint8_t *data, size_t len, uint8_t ret[MERKLE_HASH]);
/* The number of entries of EDGE in use. */
unsigned merkle_edges(const struct merkle *m);
void merkle_add(struct merkle *m, const uint8_t leaf[MERKLE_HASH]);
void merkle_root(const struct merkle *m, uint8_t ret[MERKLE_HASH]);

/* The ranges whose roots prove that leaf INDEX is in a tree of SIZE. Returns how many; 0 also for a
 * tree of one leaf. */
size_t merkle_inclusion(uint64_t index, uint64_t size, struct merkle_range ret[MERKLE_PROOF_MAX]);

struct merkle_proof {
	uint8_t hash[MERKLE_PROOF_MAX][MERKLE_HASH];
	size_t count;
};
bool merkle_is_included(const uint8_t leaf[MERKLE_HASH], uint64_t index, uint64_t size,
			const struct merkle_proof *proof, const uint8_t root[MERKLE_HASH]);

#endif
