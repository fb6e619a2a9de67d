/* SPDX-License-Identifier: MIT
 *
 * Looks for all literals of a table in a folded text, in the order of their places. May say yes
 * where no literal is (two beginnings with the same hash): whoever asks confirms anyway.
 */
#ifndef CORDON_SCAN_SEARCH_H
#define CORDON_SCAN_SEARCH_H

#include "scan/table.h"

enum { SEARCH_BLOCK = 4096, SEARCH_WANTS = 512, SEARCH_HITS = 512 };

/* A literal of LEN bytes at AT means these COUNT entries. */
struct search_hit {
	const struct table_entry *entry;
	uint32_t at;
	uint16_t len;
	uint32_t count;
};

/* What a search needs while it runs: places of a block that remain, and what was found there. */
struct search_room {
	size_t places, wants, founds;
	uint16_t at[SEARCH_BLOCK];
	uint8_t tier[SEARCH_BLOCK]; /* bits */
	struct {
		uint32_t root;
		uint16_t at, tier;
	} want[SEARCH_WANTS + TABLE_TIERS];
	struct {
		uint32_t node;
		uint16_t at, bytes;
	} found[SEARCH_WANTS + TABLE_TIERS];
	size_t hits;
	struct search_hit hit[SEARCH_HITS];
};

/* Takes hits in the order of their places. */
typedef void search_hits_fn(void *context, const struct search_hit *hit, size_t count);

void search_run(const struct table *t, const struct folded *text, struct search_room *room,
		search_hits_fn *take, void *context);

#endif
