/* SPDX-License-Identifier: MIT
 *
 * Where a user keeps what is Cordon's, and where the program itself is: the one place that asks the
 * environment. Everybody else is told, so that a test or a daemon can have other places.
 */
#ifndef CORDON_CONF_PLACES_H
#define CORDON_CONF_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/cache_file.h"
#include "base/err.h"

/* Directories, without a slash at the end; "" when there is none. */
struct places {
	const char *self;		   /* that the program is in */
	const char *checkout;		   /* the tree that it was built in */
	const char *rules;		   /* for packs that are fetched */
	const char *cache;		   /* what can be made again at any time */
	uint8_t cache_key[CACHE_FILE_KEY]; /* its files' codes are made with it */
	struct err no_cache;		   /* why the one that is there is not used; zero: it is */
};

/* NAME in the directory that VARIABLE names, or else in AT_HOME of the home directory; or "". */
const char *places_below(struct arena *arena, const char *variable, const char *at_home,
			 const char *name);
/* Where the program is, and no more. */
struct places places_of_program(struct arena *arena);
/* The user's, in ARENA. STATE: the state directory that has the cache's key; NULL: the user's. */
struct places places_of_user(struct arena *arena, const char *state);
/* A place of rules; "": there is none of this kind. Of each kind, the first that exists is used. */
#define PLACES_FETCHED "agent-threat-rules" /* the directory of the public pack */
struct places_rules {
	const char *kind, *path;
};
/* False past the last. */
bool places_of_rules(const struct places *p, size_t i, struct arena *arena,
		     struct places_rules *ret);
/* In words what of them is not used, and the cure; false: nothing. */
bool places_note(const struct places *p, char *ret, size_t size);
/* The path and all above it. */
int places_make(const char *path, mode_t mode, struct err *err);

#endif
