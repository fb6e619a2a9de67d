/* SPDX-License-Identifier: MIT
 *
 * The quoted code of a text: some rules ignore matches in it.
 */
#ifndef CORDON_DETECT_FENCE_H
#define CORDON_DETECT_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct fence_range {
	size_t from, to; /* UTF-16 code units; TO is the first one after it */
};

struct fences {
	struct fence_range *range; /* in order; no two of them touch */
	size_t count, room;
	bool failed; /* out of memory */
};

/* DATA is UTF-8. F is zeroed. UNCLOSED: a block without an end extends to the end of the text. */
void fences_find(const char *data, size_t len, bool unclosed, struct fences *f);
bool fences_contain(const struct fences *f, size_t unit);
/* The first code unit from UNIT on outside all ranges; and the first one inside a range (or
 * SIZE_MAX). */
size_t fences_leave(const struct fences *f, size_t unit);
size_t fences_enter(const struct fences *f, size_t unit);
void fences_done(struct fences *f);

#endif
