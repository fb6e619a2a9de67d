/* SPDX-License-Identifier: MIT
 *
 * An arena: many small strings that live and die together. Running out of memory sets a flag that
 * the owner checks once at the end, so that building a plan reads as a list.
 */
#ifndef CORDON_BASE_ARENA_H
#define CORDON_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
	struct arena_block *last;
	bool failed;
};

/* Never NULL: when memory is out, failed is set and a harmless empty string comes back. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_dup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* All of FROM's memory lives and dies with A from now on; FROM is empty afterwards. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_done(struct arena *a);

#endif
