/* SPDX-License-Identifier: MIT
 *
 * A database as a file. PCRE2 believes the bytes it is given, so nothing of a file is looked at
 * before its owner, its rights, its key and its sum are right; any doubt and the file is as good as
 * not there. It must never be the reason why somebody cannot scan.
 */
#ifndef CORDON_SCAN_CACHE_H
#define CORDON_SCAN_CACHE_H

#include "scan/db.h"

enum { CACHE_KEY = 32, CACHE_FORMAT = 3 };
#define CACHE_FILE_MAX ((size_t)1 << 30)

/* Of everything that decides what the file holds. */
void cache_key(const struct db_pattern *pattern, size_t count, uint8_t ret[CACHE_KEY]);
int cache_read(const char *path, const uint8_t key[CACHE_KEY], size_t count, struct db **ret,
	       struct err *err);
int cache_write(const char *path, const uint8_t key[CACHE_KEY], const struct db *db,
		struct err *err);

#endif
