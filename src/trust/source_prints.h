/* SPDX-License-Identifier: MIT
 *
 * Fingerprints of sources as items of the store. Their keys begin with conversation and time, so that
 * one list gives them all, oldest first.
 */
#ifndef CORDON_TRUST_SOURCE_PRINTS_H
#define CORDON_TRUST_SOURCE_PRINTS_H

#include "trust/source.h"

/* Most sources have one item. It is committed with the source's row, to wait for the disk only once. */
struct source_prints {
	char key[STORE_KEY_MAX + 1];
	struct buf buf; /* the last item */
	uint64_t bytes; /* of all items */
};

/* Writes all items but the last. Call source_prints_done also after a failure. */
int source_prints_put(struct keeper *k, const struct source *s, const struct index *ix,
		      struct source_prints *ret, struct err *err);
void source_prints_put_last(const struct source_prints *p, struct store_tx *tx);
void source_prints_done(struct source_prints *p);

/* The prefix of the keys of one conversation. */
void source_prints_prefix(const struct id *conversation, char ret[ID_HEX + 1]);
#define AUTO_SOURCE_PRINTS __attribute__((cleanup(source_prints_done)))

#endif
