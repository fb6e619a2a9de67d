/* SPDX-License-Identifier: MIT
 *
 * Follows the XDG base directories: a variable without an absolute path counts as not set.
 */
#include "conf/places.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owned_dir.h"
#include "base/scope.h"
#include "base/self.h"
#include "store/keys.h"
#include "store/state.h"

#ifndef CORDON_SHARE
#define CORDON_SHARE "/usr/local/share/cordon"
#endif

const char *places_below(struct arena *arena, const char *variable, const char *at_home,
			 const char *name)
{
	const char *dir = getenv(variable), *home = getenv("HOME");

	if (dir && dir[0] == '/')
		return arena_printf(arena, "%s/%s", dir, name);
	return home && home[0] == '/' ? arena_printf(arena, "%s/%s/%s", home, at_home, name) : "";
}

static const char *own_directory(struct arena *arena)
{
	char path[PATH_MAX];

	self_directory(path);
	return arena_dup(arena, path);
}

/* A checkout of Cordon has all of these files. If one is missing, the directory above the program's is
 * not a checkout: ~/bin/cordon does not make ~/rules our rules. */
static const char *own_checkout(struct arena *arena, const char *self)
{
	static const char *const ours[] = {"tools/layers", "src/rule/rule.h", "rules"};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!*self || access(arena_printf(arena, "%s/../%s", self, ours[i]), F_OK) < 0)
			return "";
	return arena_printf(arena, "%s/..", self);
}

/* "" with RET_WHY if the directory is a link or belongs to another user. */
static const char *own_cache(const char *path, struct err *ret_why)
{
	AUTO_CLOSE int fd = *path ? owned_dir_open(path, S_IWGRP | S_IWOTH, ret_why) : -1;

	if (*path && fd < 0 && ret_why->code == ERR_REFUSED)
		return "";
	*ret_why = (struct err){0};
	return path;
}

/* The key of the MACs of cache files, which only this account's Cordon can make. */
static int load_cache_key(const char *state, uint8_t ret[CACHE_FILE_KEY], struct err *err)
{
	char path[PATH_MAX];

	_Static_assert((int)CACHE_FILE_KEY == KEY_SEED, "a key of the state directory");
	if (state && state[0] != '/')
		return err_set(err, ERR_USAGE, "the state directory must be an absolute path");
	if (!state && state_path(path, err) < 0)
		return -1;
	AUTO_CLOSE int dir = state_open(state ? state : path, err);
	return dir < 0 ? -1 : key_load_seed(dir, "cache.key", true, ret, err);
}

struct places places_of_program(struct arena *arena)
{
	struct places p = {.self = own_directory(arena)};

	p.checkout = own_checkout(arena, p.self);
	return p;
}

/* "" if there is no such place. */
static const char *below(struct arena *arena, const char *dir, const char *name)
{
	return dir && *dir ? arena_printf(arena, "%s/%s", dir, name) : "";
}

bool places_of_rules(const struct places *p, size_t i, struct arena *arena,
		     struct places_rules *ret)
{
	switch (i) {
	case 0:
		*ret = (struct places_rules){"fetched", below(arena, p->rules, PLACES_FETCHED)};
		return true;
	case 1: /* before the installed rules, so that a moved installation finds its own */
		*ret = (struct places_rules){"built-in",
					     below(arena, p->self, "../share/cordon/rules")};
		return true;
	case 2:
		*ret = (struct places_rules){"built-in", below(arena, p->checkout, "rules")};
		return true;
	case 3:
		*ret = (struct places_rules){"built-in", CORDON_SHARE "/rules"};
		return true;
	default:
		return false;
	}
}

struct places places_of_user(struct arena *arena, const char *state)
{
	struct places p = places_of_program(arena);

	p.rules = places_below(arena, "XDG_DATA_HOME", ".local/share", "cordon/rules");
	p.cache = own_cache(places_below(arena, "XDG_CACHE_HOME", ".cache", "cordon"), &p.no_cache);
	struct err err;
	if (*p.cache && load_cache_key(state, p.cache_key, &err) < 0) {
		p.no_cache = err;
		p.cache = "";
	}
	return p;
}

bool places_note(const struct places *p, char *ret, size_t size)
{
	const struct err *e = &p->no_cache;

	snprintf(ret, size, "the cache is not used, so this takes longer: %s%s%s%s%s", e->message,
		 e->cause[0] ? ": " : "", e->cause, e->cure[0] ? "; " : "", e->cure);
	return e->code != 0;
}

int places_make(const char *path, mode_t mode, struct err *err)
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
