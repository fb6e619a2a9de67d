/* SPDX-License-Identifier: MIT
 *
 * Finds all literals of a table in a folded text, in the order of their places. It may report a
 * literal that is not there (two beginnings with the same hash); the caller confirms each match.
 */
#ifndef CORDON_SCAN_LITERAL_SEARCH_H
#define CORDON_SCAN_LITERAL_SEARCH_H

#include "scan/find/literal_table.h"

enum { SEARCH_BLOCK = 4096, SEARCH_WANTS = 512, SEARCH_HITS = 512 };

/* A literal of LEN bytes at AT means these COUNT entries. */
struct search_hit {
	const struct table_entry *entry;
	uint32_t at;
	uint16_t len;
	uint32_t count;
};

/* Memory of a search: places of a block that remain, and the literals found there. */
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

/* Receives hits in the order of their places. */
typedef void search_hits_fn(void *context, const struct search_hit *hit, size_t count);

void search_run(const struct table *t, const struct folded *text, struct search_room *room,
		search_hits_fn *take, void *context);

#endif
