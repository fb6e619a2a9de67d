/* SPDX-License-Identifier: MIT
 *
 * The store: a log that cannot be edited unnoticed, and the items of the gate (conversations,
 * sources, approvals...). There is one contract, and a backend for each database (store/backend.h).
 * A transaction is a list of steps; making it takes no lock. When store_commit returns 0, all of it
 * is on the disk. When it returns -1, none of it is, or the result is unknown, as when a connection
 * breaks. Callers act only after the 0: no record, no run. Nothing here knows what the items mean.
 */
#ifndef CORDON_STORE_STORE_H
#define CORDON_STORE_STORE_H

#include <errno.h>
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
	STORE_BYTES_MAX = 8 << 20,   /* of all its records and values */
	STORE_WAIT_MS = 5000,	     /* for another process to finish writing */
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

/* The sys_errno of store_open's error when the state has a format that this cordon does not know. */
#define STORE_NO_FORMAT EPROTONOSUPPORT

struct store;

struct store_options {
	int dir;	 /* the state directory (store/state.h); kept open by the caller */
	const char *url; /* of a database server; NULL: a file in DIR */
	bool read_only;	 /* nothing is made or changed */
	/* A person is about to accept that the log lacks transactions that the file heads has
	 * (store/accept.h). */
	bool accepts;
	bool is_raw; /* only for restoring (store/backup.h): no log is begun or checked */
	int wait_ms; /* for other processes to finish writing; 0: STORE_WAIT_MS */
};

int store_open(const struct store_options *options, struct store **ret, struct err *err);
void store_close(struct store *s);
static inline void store_close_at(struct store **s)
{
	store_close(*s);
}
#define AUTO_STORE __attribute__((cleanup(store_close_at)))

/* Writing. The caller owns the transaction and zeroes it first; steps copy their arguments. A step
 * that fails leaves its error in the transaction for store_commit to return, so the steps need no
 * checks. */
struct store_tx {
	struct arena arena;
	struct store_op *op;
	size_t count, room, bytes, records;
	struct err failed;
	/* Set by store_commit: */
	uint64_t first_seq; /* of its records, which follow each other */
	uint64_t version;   /* of the items that it has put */
};

/* The version that an item is expected to have. A version is never used twice for one key. */
#define STORE_NEW 0	     /* the item must not exist */
#define STORE_ANY UINT64_MAX /* any version, or no item */

/* BODY is finished (jcs_finish). */
void store_append(struct store_tx *tx, enum record_kind kind, const char *const *refs, size_t refc,
		  const struct jcs *body);
void store_put(struct store_tx *tx, enum store_kind kind, const char *key, const void *value,
	       size_t len, uint64_t expected);
void store_delete(struct store_tx *tx, enum store_kind kind, const char *key, uint64_t expected);
/* The item must still have that version. It keeps it, so two transactions that only expect do not
 * conflict. */
void store_expect(struct store_tx *tx, enum store_kind kind, const char *key, uint64_t expected);
/* Only for archives: replaces a record by its STUB (RECORD_STUB bytes) and removes its REFS from
 * the index. */
void store_strip(struct store_tx *tx, uint64_t seq, const uint8_t *stub, const char *const *refs,
		 size_t refc);
/* Only for upgrades and accepted losses: deletes all items of a kind. */
void store_clear(struct store_tx *tx, enum store_kind kind);
/* Only for upgrades: sets the state's format. */ void store_format(struct store_tx *tx,
								    uint64_t from, uint64_t to);
/* ERR_CONFLICT: an item does not have the expected version. */
int store_commit(struct store *s, struct store_tx *tx, struct err *err);
/* The number and hash of the last record of that kind in a committed transaction; or false. */
bool store_tx_record(const struct store_tx *tx, enum record_kind kind, uint64_t *ret_seq,
		     uint8_t ret_hash[RECORD_HASH]);
void store_tx_done(struct store_tx *tx);
#define AUTO_TX __attribute__((cleanup(store_tx_done)))

/* Redacts text from outside for an item, as records do by themselves. */
int store_redact(const struct store *s, const char *text, size_t len, struct buf *out,
		 struct err *err);

/* Reading. */
struct store_item {
	uint64_t version; /* 0: there is no such item */
	char key[STORE_KEY_MAX + 1];
	const uint8_t *value;
	size_t len;
};
/* RET->value is malloc'd. Returns 0 also when there is no such item. */
int store_get(struct store *s, enum store_kind kind, const char *key, struct store_item *ret,
	      struct err *err);
void store_item_done(struct store_item *item);
#define AUTO_ITEM __attribute__((cleanup(store_item_done)))

/* Is called for each item. A result other than 0 ends the list and becomes the list's result. */
typedef int store_item_fn(void *context, const struct store_item *item, struct err *err);
/* The items whose keys begin with PREFIX and come after AFTER ("" for all), in the order of their
 * keys. */
struct store_range {
	const char *prefix, *after;
	size_t limit; /* 0: all */
	/* Only items with a later version than this. Versions count the transactions of the whole
	 * store, so they tell the order in which items were put. */
	uint64_t newer;
};
int store_list(struct store *s, enum store_kind kind, const struct store_range *range,
	       store_item_fn *fn, void *context, struct err *err);

/* A record as the database has it. BYTES are for record_decode; HASH is the stored hash and not
 * checked. */
struct store_row {
	uint64_t seq;
	const uint8_t *hash, *bytes;
	size_t len;
};
typedef int store_row_fn(void *context, const struct store_row *row, struct err *err);
/* At most LIMIT (0: all), beginning with the first whose number is FROM or higher. */
int store_read(struct store *s, uint64_t from, uint64_t limit, store_row_fn *fn, void *context,
	       struct err *err);
/* The records that have the ref. */
int store_find(struct store *s, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
	       void *context, struct err *err);
/* How many records there are. */
int store_size(struct store *s, uint64_t *ret, struct err *err);

/* Signs the log as it is now, if it has grown since the last checkpoint, and returns the newest
 * checkpoint. TEXT has room for NOTE_MAX bytes. */
int store_checkpoint(struct store *s, char *text, struct err *err);
/* The key that checks such checkpoints, as name+id+key. RET has room for NOTE_VKEY_MAX. */
int store_vkey(struct store *s, char *ret, struct err *err);

#endif
