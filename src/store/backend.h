/* SPDX-License-Identifier: MIT
 *
 * The interface of a database. A backend knows rows and transactions only; the chain, the tree and
 * the checkpoints are above it (chain.c). A new backend is a file that fills in this table, a row
 * in open.c, and a row in tests/run (list_store).
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
	STORE_OP_STRIP,	 /* replaces a record by its leaf hash (store/archive.h) */
	STORE_OP_CLEAR,	 /* deletes all items of a kind; STORE_KINDS: the log and all items */
	STORE_OP_FORMAT, /* changes the state's format from EXPECTED to VERSION */
	STORE_OP_KINDS
};

struct store_op {
	enum store_op_kind op;
	/* append and strip */
	enum record_kind record;
	const char *const *ref;
	size_t refc;
	uint64_t seq;
	uint8_t hash[RECORD_HASH];
	/* put, delete, expect, clear and format */
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

/* The format of what is stored: see store/upgrade.h. */
enum { STORE_FORMAT_OLDEST = 2, STORE_FORMAT = 3 };
/* Sets the error that VERSION is not between them; -1. */
int store_no_format(const char *what, uint64_t version, struct err *err);

struct store_backend {
	int (*open)(const struct store_options *options, void **ret, struct err *err);
	void (*close)(void *self);
	/* Keeps every other writer out until commit or unlock. Waits at most STORE_WAIT_MS. */
	int (*lock)(void *self, struct store_tip *ret, struct err *err);
	void (*unlock)(void *self);
	/* All or nothing, and durable when it returns 0. Releases the lock either way. */
	int (*commit)(void *self, const struct store_op *op, size_t count, struct err *err);
	/* Adds the steps without committing them, under the lock. UNLOCK undoes them. */
	int (*add)(void *self, const struct store_op *op, size_t count, struct err *err);
	/* Until unlock every read sees the state of one moment. */
	int (*snapshot)(void *self, struct err *err);
	int (*format)(void *self, uint64_t *ret, struct err *err);
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
	/* The whole index of find: each item's key is a ref, its version is a record's number. */
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
