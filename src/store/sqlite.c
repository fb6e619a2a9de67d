/* SPDX-License-Identifier: MIT
 *
 * The backend for a file of SQLite, with a write-ahead log and a sync at every commit. It uses few
 * statements, because every run pays for them. Creating and opening the file is in sqlite_open.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/sqlite.h"

static const char *const sqls[SQL_COUNT] = {
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_COMMIT] = "COMMIT",
	[SQL_TIP] = "SELECT (SELECT value FROM item WHERE kind = 'head' AND key = 'log'),"
		    " (SELECT max(seq) FROM log),"
		    " (SELECT hash FROM log ORDER BY seq DESC LIMIT 1)",
	[SQL_APPEND] = "INSERT INTO log (seq, hash, record) VALUES (?1, ?2, ?3)",
	[SQL_REF] = "INSERT OR IGNORE INTO ref (name, seq) VALUES (?1, ?2)",
	[SQL_PUT] = "INSERT INTO item (kind, key, version, value) VALUES (?1, ?2, ?3, ?4)"
		    " ON CONFLICT (kind, key) DO UPDATE"
		    " SET version = excluded.version, value = excluded.value",
	[SQL_PUT_NEW] = "INSERT INTO item (kind, key, version, value) VALUES (?1, ?2, ?3, ?4)"
			" ON CONFLICT DO NOTHING",
	[SQL_PUT_IF] = "UPDATE item SET version = ?3, value = ?4"
		       " WHERE kind = ?1 AND key = ?2 AND version = ?5",
	[SQL_DELETE] = "DELETE FROM item WHERE kind = ?1 AND key = ?2",
	[SQL_DELETE_IF] = "DELETE FROM item WHERE kind = ?1 AND key = ?2 AND version = ?5",
	[SQL_EXPECT] =
		"UPDATE item SET version = version WHERE kind = ?1 AND key = ?2 AND version = ?5",
	[SQL_GET] = "SELECT version, value FROM item WHERE kind = ?1 AND key = ?2",
	[SQL_LIST] = "SELECT key, version, value FROM item WHERE kind = ?1 AND key > ?2"
		     " AND key >= ?3 AND (?4 = '' OR key < ?4) AND version > ?6"
		     " ORDER BY key LIMIT ?5",
	/* 0 reads from the very first row, even one with a negative number. */
	[SQL_READ] = "SELECT seq, hash, record FROM log"
		     " WHERE seq >= CASE ?1 WHEN 0 THEN -9223372036854775807 ELSE ?1 END"
		     " ORDER BY seq LIMIT ?2",
	[SQL_FIND] = "SELECT log.seq, log.hash, log.record FROM ref JOIN log ON log.seq = ref.seq"
		     " WHERE ref.name = ?1 AND ref.seq >= ?2 ORDER BY ref.seq LIMIT ?3",
	[SQL_REFS] = "SELECT name, seq, x'' FROM ref",
	[SQL_STRIP] = "UPDATE log SET record = ?2 WHERE seq = ?1",
	[SQL_UNREF] = "DELETE FROM ref WHERE name = ?1 AND seq = ?2",
	[SQL_CLEAR] = "DELETE FROM item WHERE kind = ?1",
};

static int prepare(struct lite *l, enum lite_sql which, sqlite3_stmt **ret, struct err *err)
{
	if (sqlite3_prepare_v3(l->db, sqls[which], -1, 0, ret, NULL) != SQLITE_OK)
		return lite_fail(l, "preparing", err);
	return 0;
}

/* Statements are kept: an append uses most of them more than once. */
static sqlite3_stmt *statement(struct lite *l, enum lite_sql which, struct err *err)
{
	if (!l->stmt[which] && prepare(l, which, &l->stmt[which], err) < 0)
		return NULL;
	sqlite3_reset(l->stmt[which]);
	return l->stmt[which];
}

/* For a statement without rows. */
static int run(struct lite *l, sqlite3_stmt *s, struct err *err)
{
	int r = sqlite3_step(s);

	sqlite3_reset(s);
	return r == SQLITE_DONE ? 0 : lite_fail(l, "writing", err);
}

static int run_plain(struct lite *l, enum lite_sql which, struct err *err)
{
	sqlite3_stmt *s = statement(l, which, err);

	return s ? run(l, s, err) : -1;
}

static void unlock(void *self)
{
	struct lite *l = self;

	if (!sqlite3_get_autocommit(l->db))
		sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
}

static int take_tip(sqlite3_stmt *s, struct store_tip *ret, struct err *err)
{
	struct store_tip tip = {0};

	if (sqlite3_column_type(s, 0) != SQLITE_NULL) {
		const void *head = sqlite3_column_blob(s, 0);
		tip.head_len = (size_t)sqlite3_column_bytes(s, 0);
		if (tip.head_len == 0 || tip.head_len > sizeof(tip.head))
			return err_set(err, ERR_INPUT, "the head of the log is damaged");
		memcpy(tip.head, head, tip.head_len);
	}
	tip.has_last = sqlite3_column_type(s, 1) != SQLITE_NULL;
	tip.last_seq = (uint64_t)sqlite3_column_int64(s, 1);
	if (tip.has_last && sqlite3_column_bytes(s, 2) == RECORD_HASH)
		memcpy(tip.last_hash, sqlite3_column_blob(s, 2), RECORD_HASH);
	*ret = tip;
	return 0;
}

static int tip(void *self, struct store_tip *ret, struct err *err)
{
	struct lite *l = self;
	sqlite3_stmt *s = statement(l, SQL_TIP, err);

	if (!s)
		return -1;
	int r = sqlite3_step(s) == SQLITE_ROW ? take_tip(s, ret, err)
					      : lite_fail(l, "reading the head", err);
	sqlite3_reset(s);
	return r;
}

static int lock(void *self, struct store_tip *ret, struct err *err)
{
	if (run_plain(self, SQL_BEGIN, err) < 0)
		return -1;
	if (tip(self, ret, err) == 0)
		return 0;
	unlock(self);
	return -1;
}

/* Runs WHICH for each ref of the record. */
static int run_refs(struct lite *l, const struct store_op *op, enum lite_sql which, struct err *err)
{
	for (size_t i = 0; i < op->refc; i++) {
		sqlite3_stmt *s = statement(l, which, err);
		if (!s)
			return -1;
		sqlite3_bind_text(s, 1, op->ref[i], -1, SQLITE_STATIC);
		sqlite3_bind_int64(s, 2, (sqlite3_int64)op->seq);
		if (run(l, s, err) < 0)
			return -1;
	}
	return 0;
}

static int append(struct lite *l, const struct store_op *op, struct err *err)
{
	sqlite3_stmt *s = statement(l, SQL_APPEND, err);

	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)op->seq);
	sqlite3_bind_blob(s, 2, op->hash, RECORD_HASH, SQLITE_STATIC);
	sqlite3_bind_blob(s, 3, op->data, (int)op->len, SQLITE_STATIC);
	return run(l, s, err) < 0 ? -1 : run_refs(l, op, SQL_REF, err);
}

/* The statement with the right condition on the item's version. */
static enum lite_sql choose(const struct store_op *op)
{
	if (op->op == STORE_OP_EXPECT)
		return SQL_EXPECT;
	if (op->op == STORE_OP_DELETE)
		return op->expected == STORE_ANY ? SQL_DELETE : SQL_DELETE_IF;
	if (op->expected == STORE_ANY)
		return SQL_PUT;
	return op->expected == STORE_NEW ? SQL_PUT_NEW : SQL_PUT_IF;
}

static int change(struct lite *l, const struct store_op *op, struct err *err)
{
	sqlite3_stmt *s = statement(l, choose(op), err);

	if (!s)
		return -1;
	sqlite3_bind_text(s, 1, store_kind_name(op->kind), -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, op->key, -1, SQLITE_STATIC);
	if (op->op == STORE_OP_PUT) {
		sqlite3_bind_int64(s, 3, (sqlite3_int64)op->version);
		/* SQLite binds a NULL pointer as NULL, not as an empty blob. */
		sqlite3_bind_blob(s, 4, op->len ? (const void *)op->data : "", (int)op->len,
				  SQLITE_STATIC);
	}
	if (op->expected != STORE_ANY && op->expected != STORE_NEW)
		sqlite3_bind_int64(s, 5, (sqlite3_int64)op->expected);
	if (run(l, s, err) < 0)
		return -1;
	if (op->expected != STORE_ANY && sqlite3_changes(l->db) != 1)
		return store_conflict(op, err);
	return 0;
}

static int strip(struct lite *l, const struct store_op *op, struct err *err)
{
	sqlite3_stmt *s = statement(l, SQL_STRIP, err);

	if (!s)
		return -1;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)op->seq);
	sqlite3_bind_blob(s, 2, op->data, (int)op->len, SQLITE_STATIC);
	return run(l, s, err) < 0 ? -1 : run_refs(l, op, SQL_UNREF, err);
}

static int clear(struct lite *l, const struct store_op *op, struct err *err)
{
	if (op->kind == STORE_KINDS)
		return sqlite3_exec(l->db, "DELETE FROM log; DELETE FROM ref; DELETE FROM item",
				    NULL, NULL, NULL) == SQLITE_OK
			       ? 0
			       : lite_fail(l, "writing", err);
	sqlite3_stmt *s = statement(l, SQL_CLEAR, err);
	if (!s)
		return -1;
	sqlite3_bind_text(s, 1, store_kind_name(op->kind), -1, SQLITE_STATIC);
	return run(l, s, err);
}

/* The pragma is part of the transaction. */
static int set_format(struct lite *l, const struct store_op *op, struct err *err)
{
	char words[64];
	int now = 0;

	if (lite_number(l, "PRAGMA user_version", &now, err) < 0)
		return -1;
	if (op->expected != STORE_ANY && (uint64_t)now != op->expected)
		return store_conflict(op, err);
	snprintf(words, sizeof(words), "PRAGMA user_version = %d", (int)op->version);
	return sqlite3_exec(l->db, words, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : lite_fail(l, "writing", err);
}

typedef int op_fn(struct lite *l, const struct store_op *op, struct err *err);

static int add(void *self, const struct store_op *op, size_t count, struct err *err)
{
	static op_fn *const rows[STORE_OP_KINDS] = {
		[STORE_OP_APPEND] = append,    [STORE_OP_PUT] = change,	 [STORE_OP_DELETE] = change,
		[STORE_OP_EXPECT] = change,    [STORE_OP_STRIP] = strip, [STORE_OP_CLEAR] = clear,
		[STORE_OP_FORMAT] = set_format};
	struct lite *l = self;

	for (size_t i = 0; i < count; i++)
		if (rows[op[i].op](l, &op[i], err) < 0)
			return -1;
	return 0;
}

static int commit(void *self, const struct store_op *op, size_t count, struct err *err)
{
	struct lite *l = self;
	int r = add(self, op, count, err);

	if (r == 0)
		r = run_plain(l, SQL_COMMIT, err);
	if (r < 0)
		unlock(l);
	return r;
}

static int get(void *self, enum store_kind kind, const char *key, struct store_item *ret,
	       struct err *err)
{
	struct lite *l = self;
	sqlite3_stmt *s = statement(l, SQL_GET, err);
	struct store_item item = {0};

	if (!s)
		return -1;
	sqlite3_bind_text(s, 1, store_kind_name(kind), -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, key, -1, SQLITE_STATIC);
	int r = sqlite3_step(s);
	if (r == SQLITE_ROW) {
		item.len = (size_t)sqlite3_column_bytes(s, 1);
		uint8_t *copy = malloc(item.len + 1);
		if (copy && item.len)
			memcpy(copy, sqlite3_column_blob(s, 1), item.len);
		item.value = copy;
		item.version = (uint64_t)sqlite3_column_int64(s, 0);
	}
	sqlite3_reset(s);
	if (r != SQLITE_ROW && r != SQLITE_DONE)
		return lite_fail(l, "reading", err);
	if (item.version && !item.value)
		return err_memory(err);
	*ret = item;
	return 0;
}

/* Reads one row's columns and calls the caller's function. */
typedef int row_fn(sqlite3_stmt *s, void *context, struct err *err);

/* Uses a statement of its own: the callback may read something else meanwhile. */
static int each(struct lite *l, sqlite3_stmt *s, row_fn *fn, void *context, struct err *err)
{
	int r = SQLITE_ROW, said = 0;

	while (said == 0 && (r = sqlite3_step(s)) == SQLITE_ROW)
		said = fn(s, context, err);
	if (said == 0 && r != SQLITE_DONE)
		said = lite_fail(l, "reading", err);
	sqlite3_finalize(s);
	return said;
}

static sqlite3_int64 as_limit(uint64_t limit)
{
	return limit && limit <= INT64_MAX ? (sqlite3_int64)limit : -1;
}

struct item_call {
	store_item_fn *fn;
	void *context;
};

static int item_row(sqlite3_stmt *s, void *context, struct err *err)
{
	struct item_call *call = context;
	struct store_item item = {.version = (uint64_t)sqlite3_column_int64(s, 1),
				  .value = sqlite3_column_blob(s, 2),
				  .len = (size_t)sqlite3_column_bytes(s, 2)};
	const char *key = (const char *)sqlite3_column_text(s, 0);

	if (!key || strlen(key) > STORE_KEY_MAX)
		return err_set(err, ERR_INPUT, "a key in the database is damaged");
	memcpy(item.key, key, strlen(key) + 1);
	return call->fn(call->context, &item, err);
}

static int list(void *self, enum store_kind kind, const struct store_range *range,
		store_item_fn *fn, void *context, struct err *err)
{
	struct lite *l = self;
	struct item_call call = {fn, context};
	char end[STORE_KEY_MAX + 1];
	sqlite3_stmt *s = NULL;

	if (prepare(l, SQL_LIST, &s, err) < 0)
		return -1;
	store_prefix_end(range->prefix, end);
	sqlite3_bind_text(s, 1, store_kind_name(kind), -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, range->after, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, range->prefix, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 4, end, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 5, as_limit(range->limit));
	sqlite3_bind_int64(s, 6, (sqlite3_int64)range->newer);
	return each(l, s, item_row, &call, err);
}

struct row_call {
	store_row_fn *fn;
	void *context;
};

static int log_row(sqlite3_stmt *s, void *context, struct err *err)
{
	struct row_call *call = context;
	struct store_row row = {.seq = (uint64_t)sqlite3_column_int64(s, 0),
				.hash = sqlite3_column_blob(s, 1),
				.bytes = sqlite3_column_blob(s, 2),
				.len = (size_t)sqlite3_column_bytes(s, 2)};

	if (sqlite3_column_bytes(s, 1) != RECORD_HASH || !row.bytes)
		return err_set(err, ERR_INPUT, "record %llu is damaged",
			       (unsigned long long)row.seq);
	return call->fn(call->context, &row, err);
}

static int read_log(void *self, uint64_t from, uint64_t limit, store_row_fn *fn, void *context,
		    struct err *err)
{
	struct row_call call = {fn, context};
	sqlite3_stmt *s = NULL;

	if (prepare(self, SQL_READ, &s, err) < 0)
		return -1;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)from);
	sqlite3_bind_int64(s, 2, as_limit(limit));
	return each(self, s, log_row, &call, err);
}

static int find(void *self, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
		void *context, struct err *err)
{
	struct row_call call = {fn, context};
	sqlite3_stmt *s = NULL;

	if (prepare(self, SQL_FIND, &s, err) < 0)
		return -1;
	sqlite3_bind_text(s, 1, ref, -1, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)from);
	sqlite3_bind_int64(s, 3, as_limit(limit));
	return each(self, s, log_row, &call, err);
}

static int refs(void *self, store_item_fn *fn, void *context, struct err *err)
{
	struct item_call call = {fn, context};
	sqlite3_stmt *s = NULL;

	return prepare(self, SQL_REFS, &s, err) < 0 ? -1 : each(self, s, item_row, &call, err);
}

/* The first read of the transaction fixes its moment. */
static int snapshot(void *self, struct err *err)
{
	struct lite *l = self;
	struct store_tip now;

	if (sqlite3_exec(l->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		return lite_fail(l, "reading", err);
	return tip(self, &now, err);
}

static int format(void *self, uint64_t *ret, struct err *err)
{
	int now = 0;

	if (lite_number(self, "PRAGMA user_version", &now, err) < 0)
		return -1;
	*ret = (uint64_t)now;
	return 0;
}

static void close_it(void *self)
{
	struct lite *l = self;

	unlock(l);
	lite_tidy(l);
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(l->stmt[i]);
	lite_free(l);
}

const struct store_backend store_sqlite = {
	.open = lite_open,
	.close = close_it,
	.lock = lock,
	.unlock = unlock,
	.commit = commit,
	.add = add,
	.snapshot = snapshot,
	.format = format,
	.tip = tip,
	.get = get,
	.list = list,
	.read = read_log,
	.find = find,
	.refs = refs,
};
