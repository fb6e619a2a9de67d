/* SPDX-License-Identifier: MIT
 *
 * Finds packs, loads them and makes the engine. The built-in pack is first looked for relative to the
 * program, so that an installation that was moved finds its own.
 */
#include "detect/packs_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/usable.h"

static int add_source(struct packs *set, const char *kind, const char *path, struct err *err)
{
	if (set->sourcec == PACKS_SOURCES_MAX)
		return err_set(err, ERR_LIMIT, "rules: more than %d directories",
			       PACKS_SOURCES_MAX);
	set->source[set->sourcec++] = (struct packs_source){kind, path, 0};
	return 0;
}

/* The path without links and dots, for people. NULL: it does not exist. */
static const char *resolve(struct arena *arena, const char *path)
{
	AUTO_FREE char *real = *path ? realpath(path, NULL) : NULL;

	return real ? arena_dup(arena, real) : NULL;
}

static int refuse_none(struct packs *set, const struct packs_options *options, struct err *err)
{
	const char *looked = "";
	struct places_rules at;

	for (size_t i = 0; looked && places_of_rules(&options->places, i, &set->arena, &at); i++)
		if (at.path && *at.path)
			looked = arena_printf(&set->arena, "%s%s%s", looked, *looked ? ", " : "",
					      at.path);
	err_set(err, ERR_USAGE, "no rules were found");
	err_cause(err, "there are none in %s", looked ? looked : "the usual places");
	err_cure(err, "cordon rules fetch gets them; --rules DIR names others");
	return -1;
}

static int find_defaults(struct packs *set, const struct packs_options *options, struct err *err)
{
	const char *done = "";
	struct places_rules at;

	for (size_t i = 0; places_of_rules(&options->places, i, &set->arena, &at); i++) {
		const char *path = at.path ? resolve(&set->arena, at.path) : NULL;
		if (strcmp(done, at.kind) == 0 || !path)
			continue;
		if (add_source(set, at.kind, path, err) < 0)
			return -1;
		done = at.kind;
	}
	return set->sourcec ? 0 : refuse_none(set, options, err);
}

/* Finds the directories of the rules; reads no rule. */
static int find_sources(struct packs *set, const struct packs_options *options, struct err *err)
{
	set->cache = options->fresh || !options->places.cache ? "" : options->places.cache;
	memcpy(set->cache_key, options->places.cache_key, CACHE_FILE_KEY);
	if (!options->directories)
		return find_defaults(set, options, err);
	for (size_t i = 0; i < options->directories; i++)
		if (add_source(set, "given", options->directory[i], err) < 0)
			return -1;
	return 0;
}

static int load_sources(struct packs *set, const struct packs_options *options, struct err *err)
{
	for (size_t i = 0; i < set->sourcec; i++) {
		size_t before = set->pack.rulec;

		if (packs_rules(set, set->source[i].path, &options->pack, err) < 0)
			return -1;
		set->source[i].rules = set->pack.rulec - before;
	}
	return 0;
}

int packs_load(struct packs *set, const struct packs_options *options, struct err *err)
{
	return find_sources(set, options, err) < 0 ? -1 : load_sources(set, options, err);
}

int packs_compile(struct packs *set, struct err *err)
{
	if (patterns_collect(&set->pack, &set->arena, &set->patterns, err) < 0)
		return -1;
	return packs_database(set, err);
}

int packs_engine(const struct packs *set, const struct engine_options *options, struct engine **ret,
		 struct engine_thread **ret_thread, struct err *err)
{
	struct engine *engine = NULL;

	if (set->warm.bytes) {
		if (packs_warm_engine(set, options, &engine, err) < 0)
			return -1;
	} else if (engine_new(&set->pack, &set->patterns, set->db, options, &engine, err) < 0) {
		return -1;
	}
	*ret_thread = engine_thread_new(engine, err);
	if (!*ret_thread) {
		engine_free(engine);
		return -1;
	}
	*ret = engine;
	return 0;
}

int packs_start(struct packs *set, const struct engine_options *options, struct err *err)
{
	return packs_compile(set, err) < 0
		       ? -1
		       : packs_engine(set, options, &set->engine, &set->thread, err);
}

/* Reads each rule's file, at least to compare it with the cache. */
static int open_cold(struct packs *set, const struct packs_options *options,
		     const struct engine_options *engine, struct err *err)
{
	if (load_sources(set, options, err) < 0 || usable_rules(set, err) < 0 ||
	    packs_start(set, engine, err) < 0)
		return -1;
	return usable_engine(set, engine, err);
}

/* With STRICT, a pattern that does not compile is an error of its rule. */
static int hold_to_strict(const struct packs *set, const struct packs_options *options,
			  struct err *err)
{
	if (!options->pack.strict || !set->refused)
		return 0;
	err_set(err, ERR_INPUT, "%zu patterns of the rules are not valid regular expressions",
		set->refused);
	err_cause(err, "%s", set->first_refused.message);
	err_cure(err, "cordon rules check DIR names them");
	return -1;
}

int packs_open(struct packs *set, const struct packs_options *options,
	       const struct engine_options *engine, struct err *err)
{
	struct stamps stamps = {0};
	struct err ignored;

	if (find_sources(set, options, err) < 0)
		return -1;
	if (packs_warm_open(set, options, engine, &ignored) == 0)
		return hold_to_strict(set, options, err);
	int64_t now = stamp_now();
	bool stamped = packs_stamp(set, now, &stamps, &ignored) == 0;
	int result = open_cold(set, options, engine, err);
	if (result == 0 && stamped)
		packs_warm_keep(set, engine, &stamps, now, &ignored);
	stamps_done(&stamps);
	return result < 0 ? -1 : hold_to_strict(set, options, err);
}

int packs_key(const struct packs *set, uint8_t ret[PACKS_KEY], struct err *err)
{
	if (!set->warm.bytes)
		return packs_hash(set, ret, err);
	packs_warm_rules(set, ret);
	return 0;
}

void packs_done(struct packs *set)
{
	engine_thread_free(set->thread);
	engine_free(set->engine);
	db_free(set->db);
	packs_warm_done(set);
	pack_done(&set->pack);
	cache_file_unmap(&set->warm);
	arena_done(&set->arena);
	memset(set, 0, sizeof(*set));
}
