/* SPDX-License-Identifier: MIT
 *
 * The rules that are asked: those of directories that were given, or else the pack that was fetched
 * and the built-in one; and the engine made of them. Whoever shows a result also shows where its
 * rules came from: a scan with other rules than one thinks is no scan. What it takes time to make
 * is found on disk, or left there for the next time.
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

/* What is to be loaded. Strings must stay as long as the set. */
struct packs_options {
	const char *const *directory; /* none: the default packs */
	size_t directories;
	struct places places;
	bool fresh; /* the YAML is read, whatever is on disk; no places.cache does the same */
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
	enum db_file file;     /* what became of the one that keeps the database */
	struct stamp database; /* of that file, when it was read */
	uint8_t database_key[DB_KEY];
	struct cache_file_map warm; /* packs_open: the file that all of it came from, or none */
	const char *warm_path;
	struct engine_options warm_options;
	struct engine *engine;
	struct engine_thread *thread;
	size_t refused; /* patterns that are no expressions */
	struct err first_refused;
};

/* SET is zeroed; packs_done is always due. That there are no rules anywhere is ERR_USAGE. */
int packs_load(struct packs *set, const struct packs_options *options, struct err *err);
/* Makes the database of what was loaded; its rules' patterns must not change from now on. */
int packs_compile(struct packs *set, struct err *err);
/* An engine and what one thread needs for it; any number of them can be made. */
int packs_engine(const struct packs *set, const struct engine_options *options, struct engine **ret,
		 struct engine_thread **ret_thread, struct err *err);
/* Both, for SET's own engine and thread. */
int packs_start(struct packs *set, const struct engine_options *options, struct err *err);
/* All of it, and rules that could find nothing are refused: see usable.h. Rules that have not changed
 * since the last time are not read again, and come one by one (rule/lazy.h); such a set makes engines
 * with the same options only. */
int packs_open(struct packs *set, const struct packs_options *options,
	       const struct engine_options *engine, struct err *err);
/* The hash of all that the rules say, but for their tests: equal sets decide equally. */
int packs_key(const struct packs *set, uint8_t ret[PACKS_KEY], struct err *err);
void packs_done(struct packs *set);

#endif
