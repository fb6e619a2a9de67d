/* SPDX-License-Identifier: MIT
 *
 * Unicode normalisation form KC of a run of characters, in time n log n whatever they are.
 */
#ifndef CORDON_SCAN_NFKC_H
#define CORDON_SCAN_NFKC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NFKC_PIECE = 4096 }; /* characters, from which on nfkc_is_full() */

struct nfkc {
	int32_t *point; /* what has been added, decomposed; after nfkc_compose: the result */
	size_t count, room;
	bool failed;
};

/* A character that normalisation neither changes nor joins with its neighbours. */
bool nfkc_is_inert(uint32_t c);
void nfkc_add(struct nfkc *n, uint32_t c);
/* It is long, and C is no mark: what is here may be composed without what follows, but for the last
 * character, which C may join. Without this a text that grows eighteenfold is in memory as a whole,
 * four bytes for each character. */
bool nfkc_is_full(const struct nfkc *n, uint32_t c);
void nfkc_compose(struct nfkc *n);
void nfkc_done(struct nfkc *n);

#endif
