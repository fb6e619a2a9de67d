/* SPDX-License-Identifier: MIT
 *
 * Looks for all literals of a table in a folded text, in the order of their places. May say yes
 * where no literal is (two beginnings with the same hash): whoever asks confirms anyway.
 */
#ifndef CORDON_SCAN_SEARCH_H
#define CORDON_SCAN_SEARCH_H

#include "scan/table.h"

/* A literal of LEN bytes at AT means these COUNT entries. */
typedef void search_hit_fn(void *context, const struct table_entry *entry, size_t count, size_t at,
			   size_t len);

void search_run(const struct table *t, const struct folded *text, search_hit_fn *hit,
		void *context);

#endif
