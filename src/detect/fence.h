/* SPDX-License-Identifier: MIT
 *
 * Where in a text code is quoted: some rules do not count what is said there.
 */
#ifndef CORDON_DETECT_FENCE_H
#define CORDON_DETECT_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct fence_range {
	size_t from, to; /* UTF-16 code units; to is the first after it */
};

struct fences {
	struct fence_range *range; /* in order; no two of them touch */
	size_t count, room;
	bool failed; /* out of memory */
};

/* DATA is UTF-8. F is zeroed. UNCLOSED: a block without an end goes to the end of the text. */
void fences_find(const char *data, size_t len, bool unclosed, struct fences *f);
bool fences_contain(const struct fences *f, size_t unit);
/* The first unit from UNIT on that is in none of them; the first behind it that is (SIZE_MAX). */
size_t fences_leave(const struct fences *f, size_t unit);
size_t fences_enter(const struct fences *f, size_t unit);
void fences_done(struct fences *f);

#endif
