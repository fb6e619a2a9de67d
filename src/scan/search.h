/* SPDX-License-Identifier: MIT
 *
 * Looks for all literals of a table in a folded text, in the order of their places. May say yes
 * where no literal is (two beginnings with the same hash): whoever asks confirms anyway.
 */
#ifndef CORDON_SCAN_SEARCH_H
#define CORDON_SCAN_SEARCH_H

#include "scan/table.h"

enum { SEARCH_BLOCK = 4096 };

/* What a search needs while it runs: places of a block that remain, and what was found there. */
struct search_room {
	size_t places, founds;
	uint16_t at[SEARCH_BLOCK];
	uint8_t tier[SEARCH_BLOCK]; /* bits */
	struct {
		uint32_t node;
		uint16_t at, bytes;
	} found[SEARCH_BLOCK + TABLE_TIERS];
};

/* A literal of LEN bytes at AT means these COUNT entries. */
typedef void search_hit_fn(void *context, const struct table_entry *entry, size_t count, size_t at,
			   size_t len);

void search_run(const struct table *t, const struct folded *text, struct search_room *room,
		search_hit_fn *hit, void *context);

#endif
