/* SPDX-License-Identifier: MIT
 *
 * Fingerprints of sources as items of the store, by the conversation they were read in and the time, so
 * that one list gives them all, oldest first.
 */
#ifndef CORDON_TRUST_SOURCEPRINTS_H
#define CORDON_TRUST_SOURCEPRINTS_H

#include "trust/source.h"

/* Most sources have one item, which goes with the source's own row: one wait for the disk, not
 * two. */
struct sourceprints {
	char key[STORE_KEY_MAX + 1];
	struct buf buf; /* the last item */
	uint64_t bytes; /* of all */
};

/* All but the last, in transactions of their own. sourceprints_done is due, also after a failure. */
int sourceprints_put(struct keeper *k, const struct source *s, const struct index *ix,
		     struct sourceprints *ret, struct err *err);
void sourceprints_put_last(const struct sourceprints *p, struct store_tx *tx);
void sourceprints_done(struct sourceprints *p);

/* What an item's key says. */
struct sourceprints_key {
	uint64_t time_us;
	struct id source;
	unsigned number; /* of the source's items, from 0 on */
};
int sourceprints_key(const char *key, struct sourceprints_key *ret, struct err *err);
/* How the keys of all that was read in CONVERSATION begin. */
void sourceprints_prefix(const struct id *conversation, char ret[ID_HEX + 1]);
/* Adds what is in the item; those of one source come in order. */
int sourceprints_read(const struct store_item *item, struct index *ix, struct err *err);
#define AUTO_SOURCEPRINTS __attribute__((cleanup(sourceprints_done)))

#endif
