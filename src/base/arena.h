/* SPDX-License-Identifier: MIT
 *
 * An arena: many small strings that are freed together. When an allocation fails, FAILED is set and
 * stays set. arena_alloc then returns NULL, which its caller checks as for malloc. arena_dup and
 * arena_printf then return an empty string and need no checks, but the owner must check FAILED
 * before it uses anything made in the arena for a decision, a record or output.
 */
#ifndef CORDON_BASE_ARENA_H
#define CORDON_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
	struct arena_block *last;
	bool failed;
};

void *arena_alloc(struct arena *a, size_t size);
char *arena_dup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* TEXT quoted as one word of a shell command. */
char *arena_quote(struct arena *a, const char *word);
/* Moves all of FROM's memory to A; FROM is empty afterwards. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_done(struct arena *a);

#endif
