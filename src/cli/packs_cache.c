/* SPDX-License-Identifier: MIT
 *
 * The compiled database on disk, in the user's cache. It is kept by what it was made of, so a stale
 * one is never found; the oldest go when there are too many. Whatever is wrong with it, the database
 * is made anew: the cache must never be the reason why somebody cannot scan.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/packs.h"
#include "scan/cache.h"

enum {
	CACHE_LEAST = 500, /* patterns: fewer are made as fast as they are read */
	CACHE_FILES_MAX = 4,
	CACHE_ENTRIES_MAX = 1000, /* names that are looked at */
	NAME_BYTES = 16,	  /* of the key, in a file's name */
	NAME_DIGITS = NAME_BYTES * 2,
};

#define SUFFIX ".db"

/* "" when there is no home. */
static const char *directory(struct arena *arena)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		return arena_printf(arena, "%s/cordon", cache);
	return home && home[0] == '/' ? arena_printf(arena, "%s/.cache/cordon", home) : "";
}

static const char *file_name(struct arena *arena, const uint8_t *key)
{
	char hex[NAME_DIGITS + 1];

	for (size_t i = 0; i < NAME_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	return arena_printf(arena, "%s" SUFFIX, hex);
}

static bool is_ours(const char *name)
{
	size_t len = strlen(name);

	return len == NAME_DIGITS + strlen(SUFFIX) && strcmp(name + NAME_DIGITS, SUFFIX) == 0;
}

/* How many there are, and which of them was written first. */
static size_t count(DIR *dir, char *ret_oldest, size_t size)
{
	struct timespec first = {0};
	struct dirent *entry;
	struct stat st;
	size_t n = 0, seen = 0;

	while (seen++ < CACHE_ENTRIES_MAX && (entry = io_readdir(dir))) {
		if (!is_ours(entry->d_name) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!n++ || st.st_mtim.tv_sec < first.tv_sec ||
		    (st.st_mtim.tv_sec == first.tv_sec && st.st_mtim.tv_nsec < first.tv_nsec)) {
			first = st.st_mtim;
			memcpy(ret_oldest, entry->d_name, size); /* all are equally long */
		}
	}
	return n;
}

static void prune(const char *path)
{
	AUTO_CLOSEDIR DIR *dir = opendir(path);
	char oldest[NAME_DIGITS + sizeof(SUFFIX)] = "";

	while (dir && count(dir, oldest, sizeof(oldest)) > CACHE_FILES_MAX &&
	       unlinkat(dirfd(dir), oldest, 0) == 0)
		rewinddir(dir);
}

int packs_database(struct packs *set, const struct db_pattern *patterns, size_t count,
		   db_refused_fn *refused, struct err *err)
{
	uint8_t key[CACHE_KEY];
	const char *dir = count >= CACHE_LEAST ? directory(&set->arena) : "", *path = NULL;
	struct err ignored;

	if (*dir) {
		cache_key(patterns, count, key);
		path = arena_printf(&set->arena, "%s/%s", dir, file_name(&set->arena, key));
		if (cache_read(path, key, count, &set->db, &ignored) == 0)
			return 0;
	}
	if (db_build(patterns, count, refused, set, &set->db, err) < 0)
		return -1;
	/* Nobody would be told of the refused ones again. */
	if (!path || set->refused || packs_make_directories(dir, 0700, &ignored) < 0)
		return 0;
	if (cache_write(path, key, set->db, &ignored) == 0)
		prune(dir);
	return 0;
}
