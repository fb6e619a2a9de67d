/* SPDX-License-Identifier: MIT
 *
 * Finds packs, loads them, makes the engine. The places are rows; the built-in pack is looked for
 * relative to the program first, so that a tree that was moved still finds its own.
 */
#include "cli/packs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

#ifndef CORDON_SHARE
#define CORDON_SHARE "/usr/local/share/cordon"
#endif

const char *packs_data_dir(struct arena *arena)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && data[0] == '/')
		return arena_printf(arena, "%s/cordon/rules", data);
	return home && home[0] == '/' ? arena_printf(arena, "%s/.local/share/cordon/rules", home)
				      : "";
}

int packs_make_directories(const char *path, mode_t mode, struct err *err)
{
	AUTO_FREE char *copy = strdup(path);

	for (char *p = copy ? strchr(copy + 1, '/') : NULL; p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return err_errno(err, ERR_SYSTEM, "%.256s could not be made", copy);
		*p = '/';
	}
	if (!copy || (mkdir(copy, mode) < 0 && errno != EEXIST))
		return err_errno(err, ERR_SYSTEM, "%.256s could not be made", path);
	return 0;
}

static const char *fetched(struct arena *arena, const char *self)
{
	const char *dir = packs_data_dir(arena);

	(void)self;
	return *dir ? arena_printf(arena, "%s/" PACKS_FETCHED, dir) : "";
}

static const char *installed_beside(struct arena *arena, const char *self)
{
	return *self ? arena_printf(arena, "%s/../share/cordon/rules", self) : "";
}

static const char *installed(struct arena *arena, const char *self)
{
	(void)arena, (void)self;
	return CORDON_SHARE "/rules";
}

static const char *checkout(struct arena *arena, const char *self)
{
	return *self ? arena_printf(arena, "%s/../rules", self) : "";
}

/* Of each kind the first that is there. */
static const struct {
	const char *kind;
	const char *(*path)(struct arena *arena, const char *self);
} places[] = {{"fetched", fetched},
	      {"built-in", installed_beside},
	      {"built-in", checkout},
	      {"built-in", installed}};

/* The directory that the program is in, or "". */
static const char *own_directory(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash = NULL;

	buf[n > 0 ? n : 0] = '\0';
	slash = strrchr(buf, '/');
	if (slash)
		*slash = '\0';
	return buf;
}

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

static int load_defaults(struct packs *set, const struct pack_options *options, struct err *err)
{
	char self[PATH_MAX];
	const char *done = "";

	own_directory(self, sizeof(self));
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *path = resolve(&set->arena, places[i].path(&set->arena, self));
		if (strcmp(done, places[i].kind) == 0 || !path)
			continue;
		if (load(set, places[i].kind, path, options, err) < 0)
			return -1;
		done = places[i].kind;
	}
	if (set->sourcec)
		return 0;
	err_set(err, ERR_USAGE, "which rules?");
	err_cause(err, "neither the built-in pack nor a fetched one is here");
	err_cure(err, "--rules DIR, or cordon rules fetch");
	return -1;
}

int packs_load(struct packs *set, const struct cli_call *call, const char *const *directories,
	       size_t count, const struct pack_options *options, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (load(set, "given", directories[i], options, err) < 0)
			return -1;
	for (size_t i = 0; i < call->rulesc; i++)
		if (load(set, "given", call->rules[i], options, err) < 0)
			return -1;
	return count || call->rulesc ? 0 : load_defaults(set, options, err);
}

static void on_refused(void *context, size_t number, const struct err *why)
{
	struct packs *set = context;

	(void)number;
	if (!set->refused++)
		set->first_refused = *why;
}

/* The one place in which a database comes into being. */
static int make_database(struct packs *set, struct err *err)
{
	const struct db_pattern *patterns;
	size_t count;

	if (engine_patterns(&set->pack, &set->arena, &patterns, &count, err) < 0)
		return -1;
	return packs_database(set, patterns, count, on_refused, err);
}

int packs_start(struct packs *set, const struct engine_options *options, struct err *err)
{
	if (make_database(set, err) < 0 ||
	    engine_new(&set->pack, set->db, options, &set->engine, err) < 0)
		return -1;
	set->thread = engine_thread_new(set->engine, err);
	return set->thread ? 0 : -1;
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
