/* SPDX-License-Identifier: MIT
 *
 * The chain: each record has the hash of the record before it. All records are leaves of one tree,
 * whose root is signed in checkpoints. The chain is the same over every backend.
 */
#ifndef CORDON_STORE_CHAIN_H
#define CORDON_STORE_CHAIN_H

#include "store/backend.h"
#include "store/heads.h"
#include "store/keys.h"

#define CHAIN_KEY "log.key"
#define CHAIN_NEXT_KEY "log.key.next"
#define CHAIN_CHECKPOINTS "checkpoints" /* of format 2 and before; the upgrade removes it */
#define CHAIN_HASH_KEY "hash.key"	/* keys the hashes that redact.h puts into text */
enum { CHAIN_FORMAT = 1 };

struct store {
	const struct store_backend *backend;
	void *self;
	int dir;
	int heads; /* the file heads; -1: it is not open, or does not exist yet */
	bool read_only, accepts;
	struct key key; /* signs the checkpoints; not loaded when read_only */
	char boot[RECORD_BOOT + 1];
	struct heads_line
		seen; /* the newest head that this process has seen: the log must not go back behind it */
};

/* Checks the log against the file heads; begins a log where there was never one. */
int chain_open(struct store *s, struct err *err);
/* Commits TX with a checkpoint that NEXT signs; NEXT is then the log's key. ERR_CONFLICT: another
 * process has changed the key. */
int chain_change_key(struct store *s, struct store_tx *tx, const struct key *next, struct err *err);
/* Ends a rotation that was interrupted after the log named the new key: renames the key file. 0:
 * *RET is the key. 1: there is no such key file. */
int chain_take_next_key(int dir, const uint8_t public[KEY_PUBLIC], struct key *ret,
			struct err *err);
/* Commits TX, which accepts that the transactions up to LOST are gone. Numbers continue after LOST. */
int chain_accept(struct store *s, struct store_tx *tx, uint64_t lost, struct err *err);
/* Ends a restore: under the backend's lock, after the log of HEAD has replaced the old one. Adds
 * TX's records and a checkpoint, and commits. IS_FIRST: the state directory had no log. */
int chain_restore(struct store *s, const struct head *head, bool is_first, struct store_tx *tx,
		  struct err *err);
/* Reads the present head from the database. */
int store_head(const struct store *s, struct head *ret, struct err *err);

#endif
