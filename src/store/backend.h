/* SPDX-License-Identifier: MIT
 *
 * What a database must be able to do. The chain, the tree and the checkpoints are the same over all
 * of them (store.c); a backend knows rows and transactions only. A new one is a file with this
 * table filled in, a row in store.c, and a row in tests/run (list_store).
 */
#ifndef CORDON_STORE_BACKEND_H
#define CORDON_STORE_BACKEND_H

#include "store/head.h"
#include "store/store.h"

/* One step of a transaction, ready to be written. */
enum store_op_kind {
	STORE_OP_APPEND,
	STORE_OP_PUT,
	STORE_OP_DELETE,
	STORE_OP_EXPECT, /* changes nothing */
	STORE_OP_KINDS
};

struct store_op {
	enum store_op_kind op;
	/* append */
	enum record_kind record;
	const char *const *ref;
	size_t refc;
	uint64_t seq;
	uint8_t hash[RECORD_HASH];
	/* put, delete and expect */
	enum store_kind kind;
	const char *key;
	uint64_t expected, version; /* version: the new one */
	/* the record, its body before it is chained, or the value */
	const uint8_t *data;
	size_t len;
};

/* The end of the log as the database has it, read under the lock. */
struct store_tip {
	uint8_t head[HEAD_MAX];
	size_t head_len; /* 0: there is none */
	bool has_last;
	uint64_t last_seq;
	uint8_t last_hash[RECORD_HASH];
};

struct store_backend {
	int (*open)(const struct store_options *options, void **ret, struct err *err);
	void (*close)(void *self);
	/* Nobody else writes until commit or unlock. Waits at most STORE_WAIT_MS. */
	int (*lock)(void *self, struct store_tip *ret, struct err *err);
	void (*unlock)(void *self);
	/* All or nothing, and durable when it returns 0; the lock is gone either way. */
	int (*commit)(void *self, const struct store_op *op, size_t count, struct err *err);
	/* The tip without the lock. */
	int (*tip)(void *self, struct store_tip *ret, struct err *err);
	/* As in store.h. */
	int (*get)(void *self, enum store_kind kind, const char *key, struct store_item *ret,
		   struct err *err);
	int (*list)(void *self, enum store_kind kind, const struct store_range *range,
		    store_item_fn *fn, void *context, struct err *err);
	int (*read)(void *self, uint64_t from, uint64_t limit, store_row_fn *fn, void *context,
		    struct err *err);
	int (*find)(void *self, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
		    void *context, struct err *err);
	/* All that find goes by: of each item the key is a ref and the version a record's number. */
	int (*refs)(void *self, store_item_fn *fn, void *context, struct err *err);
};

extern const struct store_backend store_sqlite, store_postgres;

/* For both databases, which sort keys as bytes: the first key after all that begin with PREFIX.
 * Empty when there is no end. */
void store_prefix_end(const char *prefix, char ret[STORE_KEY_MAX + 1]);
int store_conflict(const struct store_op *op, struct err *err);
int store_busy(int wait_ms, struct err *err);
int store_wait(const struct store_options *options);

#endif
