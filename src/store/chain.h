/* SPDX-License-Identifier: MIT
 *
 * The chain: each record names the hash of the one before, all of them are leaves of one tree, and
 * its root is signed now and then. The same over every backend.
 */
#ifndef CORDON_STORE_CHAIN_H
#define CORDON_STORE_CHAIN_H

#include "store/backend.h"
#include "store/keys.h"

#define CHAIN_KEY "log.key"
enum { CHAIN_FORMAT = 1 };

struct store {
	const struct store_backend *backend;
	void *self;
	int dir;
	bool read_only, accepts_unkept;
	struct key key; /* of the checkpoints; not there when read_only */
	char boot[RECORD_BOOT + 1];
	uint64_t seen; /* records that the log had: it has never less */
};

/* Begins the log if it is new. */
int chain_open(struct store *s, struct err *err);
/* SIGN: with a checkpoint in any case. */
int chain_commit(struct store *s, struct store_tx *tx, bool sign, struct err *err);
/* The same, and from its checkpoint on the log's key is NEXT. ERR_CONFLICT: it is not S's any more. */
int chain_change_key(struct store *s, struct store_tx *tx, const struct key *next, struct err *err);
/* There is no log in the state directory: was there one? Sets ERR, and returns -1. */
int chain_none(int dir, struct err *err);
/* The head that the database has; ERR_INPUT when it does not fit to the last record. */
int chain_head(const struct store_tip *tip, struct head *ret, struct err *err);

#endif
