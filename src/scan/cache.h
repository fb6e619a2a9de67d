/* SPDX-License-Identifier: MIT
 *
 * A database's file as it lies on disk, for those who read it (cache.c) and who write it
 * (cache_write.c). Nothing in it is a pointer.
 */
#ifndef CORDON_SCAN_CACHE_H
#define CORDON_SCAN_CACHE_H

#include "scan/db_private.h"

#define CACHE_FILE_MAX ((size_t)1 << 30)
#define CACHE_MAGIC "cordndb"

enum {
	CACHE_ALIGN = 64,
	PART_HAS = 0,
	PART_REFUSALS,
	PART_PLACES,
	PART_SOURCES,
	PART_HEAD,			       /* what all compiled expressions begin with */
	PART_CODES_AT,			       /* for each form: where they begin, and one more */
	PART_CODES = PART_CODES_AT + JS_FORMS, /* one for each form */
	PART_TABLES = PART_CODES + JS_FORMS,   /* TABLE_SECTIONS for each form */
	PARTS = PART_TABLES + JS_FORMS * TABLE_SECTIONS,
};

struct cache_header {
	char magic[8];
	struct kept_code code; /* of everything behind it */
	uint8_t key[DB_KEY];
	uint64_t len; /* of the file */
	struct {
		uint64_t at, count; /* items */
	} part[PARTS];
};

#define CACHE_SEALED offsetof(struct cache_header, key) /* where that begins */

size_t cache_item_size(int part);
int cache_write(const struct db_cache *cache, const struct db *db, struct err *err);

#endif
