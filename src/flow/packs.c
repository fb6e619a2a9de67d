/* SPDX-License-Identifier: MIT
 *
 * Finds packs, loads them, makes the engine. The places are rows; the built-in pack is looked for
 * relative to the program first, so that a tree that was moved still finds its own.
 */
#include "flow/packs.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/usable.h"

#ifndef CORDON_SHARE
#define CORDON_SHARE "/usr/local/share/cordon"
#endif

/* "" where there is no such place. */
static const char *below(struct arena *arena, const char *dir, const char *name)
{
	return dir && *dir ? arena_printf(arena, "%s/%s", dir, name) : "";
}

static const char *fetched(struct arena *arena, const struct places *at)
{
	return below(arena, at->rules, PACKS_FETCHED);
}

static const char *installed_beside(struct arena *arena, const struct places *at)
{
	return below(arena, at->self, "../share/cordon/rules");
}

static const char *checkout(struct arena *arena, const struct places *at)
{
	return below(arena, at->self, "../rules");
}

static const char *installed(struct arena *arena, const struct places *at)
{
	(void)arena, (void)at;
	return CORDON_SHARE "/rules";
}

/* Of each kind the first that is there. */
static const struct {
	const char *kind;
	const char *(*path)(struct arena *arena, const struct places *at);
} defaults[] = {{"fetched", fetched},
		{"built-in", installed_beside},
		{"built-in", checkout},
		{"built-in", installed}};

static int load(struct packs *set, const char *kind, const char *path,
		const struct pack_options *options, struct err *err)
{
	size_t before = set->pack.rulec;

	if (set->sourcec == PACKS_SOURCES_MAX)
		return err_set(err, ERR_LIMIT, "rules: more than %d directories",
			       PACKS_SOURCES_MAX);
	if (packs_rules(set, path, options, err) < 0)
		return -1;
	set->source[set->sourcec++] = (struct packs_source){kind, path, set->pack.rulec - before};
	return 0;
}

/* Without links and dots, as people read it. NULL when it is not there. */
static const char *resolve(struct arena *arena, const char *path)
{
	AUTO_FREE char *real = *path ? realpath(path, NULL) : NULL;

	return real ? arena_dup(arena, real) : NULL;
}

static int load_defaults(struct packs *set, const struct packs_options *options, struct err *err)
{
	const char *done = "";

	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		const char *path =
			resolve(&set->arena, defaults[i].path(&set->arena, &options->places));
		if (strcmp(done, defaults[i].kind) == 0 || !path)
			continue;
		if (load(set, defaults[i].kind, path, &options->pack, err) < 0)
			return -1;
		done = defaults[i].kind;
	}
	if (set->sourcec)
		return 0;
	err_set(err, ERR_USAGE, "which rules?");
	err_cause(err, "neither the built-in pack nor a fetched one is here");
	err_cure(err, "--rules DIR, or cordon rules fetch");
	return -1;
}

int packs_load(struct packs *set, const struct packs_options *options, struct err *err)
{
	set->cache = options->fresh || !options->places.cache ? "" : options->places.cache;
	if (!options->directories)
		return load_defaults(set, options, err);
	for (size_t i = 0; i < options->directories; i++)
		if (load(set, "given", options->directory[i], &options->pack, err) < 0)
			return -1;
	return 0;
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

	if (engine_new(&set->pack, &set->patterns, set->db, options, &engine, err) < 0)
		return -1;
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

int packs_open(struct packs *set, const struct packs_options *options,
	       const struct engine_options *engine, struct err *err)
{
	if (packs_load(set, options, err) < 0 || usable_rules(set, err) < 0 ||
	    packs_start(set, engine, err) < 0)
		return -1;
	return usable_engine(set, engine, err);
}

void packs_done(struct packs *set)
{
	engine_thread_free(set->thread);
	engine_free(set->engine);
	db_free(set->db);
	pack_done(&set->pack);
	arena_done(&set->arena);
	memset(set, 0, sizeof(*set));
}
