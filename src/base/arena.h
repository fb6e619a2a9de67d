/* SPDX-License-Identifier: MIT
 *
 * An arena: many small strings that live and die together. When memory is out, FAILED is set and stays
 * set. arena_alloc then returns NULL, and its caller checks for that as for malloc's. arena_dup and
 * arena_printf then return an empty string, so that a list of strings reads as a list. The owner of the
 * arena checks FAILED before anything made in it is decided on, recorded, shown or sent.
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
/* As one word of a shell's command line. */
char *arena_quote(struct arena *a, const char *word);
/* All of FROM's memory lives and dies with A from now on; FROM is empty afterwards. */
void arena_adopt(struct arena *a, struct arena *from);
void arena_done(struct arena *a);

#endif
