/* SPDX-License-Identifier: MIT
 *
 * The format of packs_warm.c's file. Numbers have fixed sizes; there is no padding and no pointer.
 */
#ifndef CORDON_DETECT_PACKS_WARM_H
#define CORDON_DETECT_PACKS_WARM_H

#include "detect/packs_private.h"
#include "rule/lazy.h"

enum { WARM_ALIGN = 64, WARM_KEY = 32 };
#define WARM_FILE_MAX ((size_t)256 << 20)
#define WARM_MAGIC "cordnwm"

/* TREES is the last and not covered by the file's MAC: each tree has its own. */
enum warm_part {
	WARM_META,
	WARM_DIRS,
	WARM_FILES,
	WARM_NAMES,
	WARM_ROWS,
	WARM_SET, /* the engine's arrays */
	WARM_TREES,
	WARM_PARTS,
};

struct warm_header {
	char magic[8];
	struct cache_file_mac mac; /* of all that follows, up to the trees */
	uint8_t key[WARM_KEY];
	uint64_t len; /* of the file */
	struct {
		uint64_t at, count; /* items */
	} part[WARM_PARTS];
};

struct warm_meta {
	char boot[STAMP_BOOT];
	uint8_t database_key[DB_KEY];
	uint8_t rules_key[PACKS_KEY]; /* see packs_key */
	struct stamp database;
	uint64_t patterns;
	uint64_t bytes, nodes, files, warnings; /* the pack's */
	uint64_t
		stamp_names; /* bytes of the names of the stamps; the rest are names of rules' files */
	uint64_t sources;
	uint64_t rules[PACKS_SOURCES_MAX];
};

/* The size of an item of each part. */
extern const size_t warm_item_size[WARM_PARTS];
#define WARM_SEALED offsetof(struct warm_header, key) /* where the authenticated bytes begin */

#endif
