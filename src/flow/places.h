/* SPDX-License-Identifier: MIT
 *
 * Where a user keeps what is Cordon's, and where the program itself is: the one place that asks the
 * environment. Everybody else is told, so that a test or a daemon can have other places.
 */
#ifndef CORDON_FLOW_PLACES_H
#define CORDON_FLOW_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

/* Directories, without a slash at the end; "" when there is none. */
struct places {
	const char *self;     /* that the program is in */
	const char *checkout; /* the tree that it was built in */
	const char *rules;    /* for packs that are fetched */
	const char *cache;    /* what can be made again at any time */
	struct err no_cache;  /* why the one that is there is not used; zero: it is */
};

/* The user's, in ARENA. */
struct places places_of_user(struct arena *arena);
/* In words what of them is not used, and the cure; false: nothing. */
bool places_note(const struct places *p, char *ret, size_t size);
/* The path and all above it. */
int places_make(const char *path, mode_t mode, struct err *err);

#endif
