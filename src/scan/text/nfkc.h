/* SPDX-License-Identifier: MIT
 *
 * Unicode normalisation form KC of a run of characters, in time n log n for any input.
 */
#ifndef CORDON_SCAN_NFKC_H
#define CORDON_SCAN_NFKC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NFKC_PIECE = 4096 }; /* characters from which nfkc_is_full() may be true */

struct nfkc {
	int32_t *point; /* the characters added, decomposed; after nfkc_compose(): the result */
	size_t count, room;
	bool failed;
};

/* A character that normalisation neither changes nor joins with its neighbours. */
bool nfkc_is_inert(uint32_t c);
void nfkc_add(struct nfkc *n, uint32_t c);
/* The run is long, and C is not a mark: the run may be composed now, except its last character,
 * which C may join. Without this, a text that grows eighteenfold would be in memory as a whole,
 * four bytes for each character. */
bool nfkc_is_full(const struct nfkc *n, uint32_t c);
void nfkc_compose(struct nfkc *n);
void nfkc_done(struct nfkc *n);

#endif
