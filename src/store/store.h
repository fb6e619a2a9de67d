/* SPDX-License-Identifier: MIT
 *
 * What Cordon remembers: a log that no process can quietly edit, and the items of the gate (conversations,
 * sources, approvals...). One contract, a backend for each database behind it (store/backend.h). A
 * transaction is a list of what is to be written; nothing waits for a lock while it is made. When
 * store_commit has returned 0, all of it is on the disk; when it returns -1, none of it is, or it is not
 * known, as when a connection breaks. No record, no run: callers act after the 0 and not before.
 * Nothing here knows what the items mean.
 */
#ifndef CORDON_STORE_STORE_H
#define CORDON_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/jcs.h"
#include "store/record.h"

enum {
	STORE_KEY_MAX = 128,	     /* bytes of an item's key */
	STORE_VALUE_MAX = 4 << 20,   /* and of its value */
	STORE_OPS_MAX = 1024,	     /* in one transaction */
	STORE_RECORDS_MAX = 256,     /* of them records */
	STORE_BYTES_MAX = 8 << 20,   /* of all its records, keys and values */
	STORE_WAIT_MS = 5000,	     /* for one other to finish writing */
	STORE_CHECKPOINT_EVERY = 256 /* records */
};

/* Kinds of items. A new kind is a row in kinds.c. */
enum store_kind {
	STORE_HEAD, /* the log's own */
	STORE_CONVERSATION,
	STORE_SOURCE,
	STORE_FINGERPRINTS,
	STORE_APPROVAL,
	STORE_TICKET,
	STORE_DIRECTORY,
	STORE_KEY,
	STORE_SETTING,
	STORE_KINDS,
};
const char *store_kind_name(enum store_kind kind);

struct store;

struct store_options {
	int dir;	 /* the state directory (store/state.h); kept open by the caller */
	const char *url; /* of a database server; NULL: a file in DIR */
	bool read_only;	 /* nothing is made or changed */
	/* Somebody has looked: that the file of checkpoints is gone is no reason to refuse. */
	bool accepts_unkept;
	int wait_ms; /* for others to finish writing; 0: STORE_WAIT_MS */
};

int store_open(const struct store_options *options, struct store **ret, struct err *err);
void store_close(struct store *s);
static inline void store_close_at(struct store **s)
{
	store_close(*s);
}
#define AUTO_STORE __attribute__((cleanup(store_close_at)))

/* Writing. A transaction is the caller's, all zero at first; what is put into it is copied. A step
 * that fails leaves its error in it for commit to return, so a transaction reads as a list. */
struct store_tx {
	struct arena arena;
	struct store_op *op;
	size_t count, room, bytes, records;
	bool is_final; /* it ends something that an old copy of the log would bring back: it is signed */
	struct err failed;
	/* When it is committed: */
	uint64_t first_seq; /* of its records, which follow each other */
	uint64_t version;   /* of the items it put */
};

/* What an item's version must be. A version is never used twice for one key. */
#define STORE_NEW 0	     /* it must not be there yet */
#define STORE_ANY UINT64_MAX /* whatever is there */

/* BODY is finished (jcs_finish). */
void store_append(struct store_tx *tx, enum record_kind kind, const char *const *refs, size_t refc,
		  const struct jcs *body);
void store_put(struct store_tx *tx, enum store_kind kind, const char *key, const void *value,
	       size_t len, uint64_t expected);
void store_delete(struct store_tx *tx, enum store_kind kind, const char *key, uint64_t expected);
/* The item must still have that version; it keeps it, so two who only look do not meet. */
void store_expect(struct store_tx *tx, enum store_kind kind, const char *key, uint64_t expected);
/* ERR_CONFLICT: an item has another version than was expected. */
int store_commit(struct store *s, struct store_tx *tx, struct err *err);
/* When it is committed: the last record of that kind in it, by number and hash; or false. */
bool store_tx_record(const struct store_tx *tx, enum record_kind kind, uint64_t *ret_seq,
		     uint8_t ret_hash[RECORD_HASH]);
void store_tx_done(struct store_tx *tx);
#define AUTO_TX __attribute__((cleanup(store_tx_done)))

/* Reading. */
struct store_item {
	uint64_t version; /* 0: it is not there */
	char key[STORE_KEY_MAX + 1];
	const uint8_t *value;
	size_t len;
};
/* RET->value is malloc'd. 0 also when it is not there. */
int store_get(struct store *s, enum store_kind kind, const char *key, struct store_item *ret,
	      struct err *err);
void store_item_done(struct store_item *item);
#define AUTO_ITEM __attribute__((cleanup(store_item_done)))

/* Is called for each; what it returns other than 0 ends the list and is returned. */
typedef int store_item_fn(void *context, const struct store_item *item, struct err *err);
/* In the order of their keys, those that begin with PREFIX and come after AFTER ("" for all). */
struct store_range {
	const char *prefix, *after;
	size_t limit; /* 0: all */
	/* Only those with a later version than this. Versions count transactions of the whole store, so what
	 * was put behind something else has a later one. */
	uint64_t newer;
};
int store_list(struct store *s, enum store_kind kind, const struct store_range *range,
	       store_item_fn *fn, void *context, struct err *err);

/* A record as it is stored; BYTES are what record_decode takes, HASH what they are said to hash to. */
struct store_row {
	uint64_t seq;
	const uint8_t *hash, *bytes;
	size_t len;
};
typedef int store_row_fn(void *context, const struct store_row *row, struct err *err);
/* At most LIMIT (0: all), beginning with the first whose number is FROM or higher. */
int store_read(struct store *s, uint64_t from, uint64_t limit, store_row_fn *fn, void *context,
	       struct err *err);
/* Those that have the ref. */
int store_find(struct store *s, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
	       void *context, struct err *err);
/* How many records there are. */
int store_size(struct store *s, uint64_t *ret, struct err *err);

/* Signs the log as it is now, if it has grown since the last time, and gives the newest note;
 * TEXT has room for NOTE_MAX bytes. */
int store_checkpoint(struct store *s, char *text, struct err *err);
/* What somebody else needs to check such notes: name+id+key. RET has room for NOTE_VKEY_MAX. */
int store_vkey(struct store *s, char *ret, struct err *err);

#endif
