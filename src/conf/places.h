/* SPDX-License-Identifier: MIT
 *
 * Finds the user's directories for Cordon and the program's own. No other module reads the environment
 * for them; each gets the paths as arguments, so that a test or a daemon can use other directories.
 */
#ifndef CORDON_CONF_PLACES_H
#define CORDON_CONF_PLACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/cache_file.h"
#include "base/err.h"

/* Directories, without a slash at the end; "" if missing. */
struct places {
	const char *self;		   /* the program's */
	const char *checkout;		   /* the source tree in which the program was built */
	const char *rules;		   /* for fetched packs */
	const char *cache;		   /* files that can be made again at any time */
	uint8_t cache_key[CACHE_FILE_KEY]; /* the key of its files' MACs */
	struct err no_cache;		   /* why an existing cache is not used; zero: it is used */
};

/* NAME in the directory that VARIABLE names, or else in AT_HOME of the home directory; or "". */
const char *places_below(struct arena *arena, const char *variable, const char *at_home,
			 const char *name);
/* Finds only SELF and CHECKOUT. */
struct places places_of_program(struct arena *arena);
/* Finds all; strings are in ARENA. STATE: the state directory with the cache's key; NULL: the user's. */
struct places places_of_user(struct arena *arena, const char *state);
/* A place of rules; "" if this kind has none. Of each kind, the first that exists is used. */
#define PLACES_FETCHED "agent-threat-rules" /* the directory of the public pack */
struct places_rules {
	const char *kind, *path;
};
/* False past the last. */
bool places_of_rules(const struct places *p, size_t i, struct arena *arena,
		     struct places_rules *ret);
/* Explains which directory is not used, and the cure. False: all are used. */
bool places_note(const struct places *p, char *ret, size_t size);
/* Makes the directory and all above it. */
int places_make(const char *path, mode_t mode, struct err *err);

#endif
