/* SPDX-License-Identifier: MIT
 *
 * Loads the rules and makes the engine. The rules are those of the given directories, or else the
 * fetched pack and the built-in one. Each report of a result also shows where the rules came from,
 * because a scan with unexpected rules is worthless. Results of slow steps are cached on disk.
 */
#ifndef CORDON_DETECT_PACKS_H
#define CORDON_DETECT_PACKS_H

#include "base/cache_file.h"
#include "conf/places.h"
#include "detect/engine.h"
#include "model/request.h"

enum { PACKS_SOURCES_MAX = REQUEST_LIST_MAX * 2, PACKS_KEY = 32 };
/* The name of the fetched pack's directory. */

struct packs_source {
	const char *kind; /* given, fetched or built-in */
	const char *path;
	size_t rules;
};

/* Strings must stay valid as long as the set. */
struct packs_options {
	const char *const *directory; /* if there are none: the default packs */
	size_t directories;
	struct places places;
	bool fresh; /* parse the YAML and ignore the cache, as without places.cache */
	struct pack_options pack;
};

struct packs {
	struct pack pack;
	size_t sourcec;
	struct packs_source source[PACKS_SOURCES_MAX];
	struct arena arena; /* paths, patterns */
	const char *cache;  /* a directory, or "" */
	uint8_t cache_key[CACHE_FILE_KEY];
	struct pattern_list patterns;
	struct db *db;
	enum db_file file;     /* whether the database's cache file was used or made */
	struct stamp database; /* of that file, when it was read or made */
	uint8_t database_key[DB_KEY];
	struct cache_file_map warm; /* packs_open: the cache file of the whole set, or none */
	const char *warm_path;
	struct engine_options warm_options;
	struct engine *engine;
	struct engine_thread *thread;
	size_t refused; /* patterns that are not valid expressions */
	struct err first_refused;
};

/* SET is zeroed. Always call packs_done afterwards. ERR_USAGE: there are no rules. */
int packs_load(struct packs *set, const struct packs_options *options, struct err *err);
/* Compiles the patterns of the loaded rules, which must not change from now on. */
int packs_compile(struct packs *set, struct err *err);
/* Makes an engine and the memory of one thread for it; may be called any number of times. */
int packs_engine(const struct packs *set, const struct engine_options *options, struct engine **ret,
		 struct engine_thread **ret_thread, struct err *err);
/* Both, for SET's own engine and thread. */
int packs_start(struct packs *set, const struct engine_options *options, struct err *err);
/* All three steps. Refuses rules that cannot find anything (usable.h). If no rule has changed since the
 * last time, rules are read from the cache when they are needed (rule/lazy.h); then packs_engine takes
 * the same options only. */
int packs_open(struct packs *set, const struct packs_options *options,
	       const struct engine_options *engine, struct err *err);
/* The hash of all rules without their tests. Sets with the same hash give the same findings. */
int packs_key(const struct packs *set, uint8_t ret[PACKS_KEY], struct err *err);
void packs_done(struct packs *set);

#endif
