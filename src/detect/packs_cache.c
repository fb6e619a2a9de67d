/* SPDX-License-Identifier: MIT
 *
 * The user's cache: the trees of the rules' documents, and the compiled database. A file's name is
 * made from its input, so a stale file is never found; the oldest files are removed. A bad file is
 * made again: the cache must never be the reason why a scan fails.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "detect/packs_private.h"
#include "rule/lazy.h"
#include "rule/tree_cache.h"

enum {
	PATTERNS_LEAST = 32,	/* fewer compile in some milliseconds and are not cached */
	BYTES_LEAST = 32 << 10, /* of rules; less YAML is parsed in a millisecond */
	FILES_MAX = 4,		/* of each kind */
	ENTRIES_MAX = 1000,	/* names that are read */
	NAME_BYTES = 16,	/* of the key, used for a file's name */
	NAME_DIGITS = NAME_BYTES * 2,
};

enum { SUFFIX_LENGTH = 3 };

const char *packs_file(struct packs *set, const uint8_t *key, const char *suffix)
{
	char hex[NAME_DIGITS + 1];
	uint8_t name[NAME_BYTES];

	/* The files of two state directories have different names. */
	crypto_generichash(name, sizeof(name), key, NAME_BYTES, set->cache_key, CACHE_FILE_KEY);
	sodium_bin2hex(hex, sizeof(hex), name, sizeof(name));
	return arena_printf(&set->arena, "%s/%s%s", set->cache, hex, suffix);
}

static bool is_ours(const char *name, const char *suffix)
{
	return strlen(name) == NAME_DIGITS + SUFFIX_LENGTH &&
	       strcmp(name + NAME_DIGITS, suffix) == 0;
}

/* Counts the files and finds the oldest one. */
static size_t count(DIR *dir, const char *suffix, char *ret_oldest, size_t size)
{
	struct timespec first = {0};
	struct dirent *entry;
	struct stat st;
	size_t n = 0, seen = 0;

	while (seen++ < ENTRIES_MAX && (entry = io_readdir(dir))) {
		if (!is_ours(entry->d_name, suffix) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!n++ || st.st_mtim.tv_sec < first.tv_sec ||
		    (st.st_mtim.tv_sec == first.tv_sec && st.st_mtim.tv_nsec < first.tv_nsec)) {
			first = st.st_mtim;
			memcpy(ret_oldest, entry->d_name,
			       size); /* all names have the same length */
		}
	}
	return n;
}

void packs_prune(const char *path, const char *suffix)
{
	AUTO_CLOSEDIR DIR *dir = opendir(path);
	char oldest[NAME_DIGITS + SUFFIX_LENGTH + 1] = "";

	while (dir && count(dir, suffix, oldest, sizeof(oldest)) > FILES_MAX &&
	       unlinkat(dirfd(dir), oldest, 0) == 0)
		rewinddir(dir);
}

/* The file for the pack at this path. NULL: the pack is not cached. */
static const char *rules_file(struct packs *set, const char *path)
{
	AUTO_FREE char *real = *set->cache ? realpath(path, NULL) : NULL;
	uint8_t key[NAME_BYTES];

	if (!real)
		return NULL;
	crypto_generichash(key, sizeof(key), (const uint8_t *)real, strlen(real), NULL, 0);
	return packs_file(set, key, PACKS_RULES);
}

static int load_and_keep(struct packs *set, const char *path, const struct pack_options *options,
			 const char *file, struct err *err)
{
	struct pack_record record = {0};
	size_t before = set->pack.rulec, skipped = set->pack.skipped;
	struct err ignored;
	int result = pack_load_recorded(&set->pack, path, options, &record, err);

	/* A pack with a skipped file is not cached, else the file would not be reported again. */
	if (result == 0 && set->pack.skipped == skipped && record.len >= BYTES_LEAST &&
	    places_make(set->cache, 0700, &ignored) == 0 &&
	    tree_cache_write(&set->pack, before, &record, file, set->cache_key, &ignored) == 0)
		packs_prune(set->cache, PACKS_RULES);
	record_done(&record);
	return result;
}

int packs_rules(struct packs *set, const char *path, const struct pack_options *options,
		struct err *err)
{
	const char *file = rules_file(set, path);
	struct err ignored;
	int found = file ? tree_cache_load(&set->pack, path, file, set->cache_key, options,
					   &ignored, err)
			 : 1;

	if (found <= 0)
		return found;
	return file ? load_and_keep(set, path, options, file, err)
		    : pack_load(&set->pack, path, options, err);
}

void packs_on_refused(void *context, size_t number, const struct err *why)
{
	struct packs *set = context;

	(void)number;
	if (!set->refused++)
		set->first_refused = *why;
}

int packs_database(struct packs *set, struct err *err)
{
	const struct pattern_list *list = &set->patterns;
	struct db_cache cache = {0};
	struct err ignored;

	if (!*set->cache || list->count < PATTERNS_LEAST)
		return db_build(list->pattern, list->count, packs_on_refused, set, &set->db, err);
	places_make(set->cache, 0700, &ignored);
	db_key(list->pattern, list->count, cache.key);
	memcpy(cache.mac_key, set->cache_key, CACHE_FILE_KEY);
	cache.path = packs_file(set, cache.key, PACKS_DATABASE);
	if (db_open(&cache, list->pattern, list->count, packs_on_refused, set, &set->db, err) < 0)
		return -1;
	set->file = cache.file;
	set->database = cache.stamp;
	memcpy(set->database_key, cache.key, DB_KEY);
	if (set->file == DB_FILE_WRITTEN)
		packs_prune(set->cache, PACKS_DATABASE);
	return 0;
}

int packs_hash(const struct packs *set, uint8_t ret[PACKS_KEY], struct err *err)
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, PACKS_KEY);
	for (size_t i = 0; i < set->pack.rulec; i++) {
		AUTO_FREE uint8_t *tree = NULL;
		size_t len = 0;
		if (lazy_encode(&set->pack.rule[i], &tree, &len, err) < 0)
			return -1;
		uint64_t before = len;
		crypto_generichash_update(&state, (const uint8_t *)&before, sizeof(before));
		crypto_generichash_update(&state, tree, len);
	}
	crypto_generichash_final(&state, ret, PACKS_KEY);
	return 0;
}
