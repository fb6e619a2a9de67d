/* SPDX-License-Identifier: MIT
 *
 * The backend over libpq. A writer locks one table, so the head it reads is current until its
 * commit. Readers do not block writers. A server that does not sync its commits is refused, because
 * a run must not start without a durable record.
 */
#include "postgres/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "postgres/sql.h"

/* "cordon" as a number: an advisory lock, so that one process creates the tables. */
#define MAKERS_LOCK "109317094305646"

static const char schema[] =
	"BEGIN; SELECT pg_advisory_xact_lock(" MAKERS_LOCK ");"
	"CREATE SCHEMA IF NOT EXISTS cordon; SET LOCAL search_path = cordon;"
	"CREATE TABLE IF NOT EXISTS log (seq bigint PRIMARY KEY, hash bytea NOT NULL,"
	" record bytea NOT NULL);"
	"CREATE TABLE IF NOT EXISTS ref (name text COLLATE \"C\" NOT NULL, seq bigint NOT NULL,"
	" PRIMARY KEY (name, seq));"
	"CREATE TABLE IF NOT EXISTS item (kind text COLLATE \"C\" NOT NULL,"
	" key text COLLATE \"C\" NOT NULL, version bigint NOT NULL, value bytea NOT NULL,"
	" PRIMARY KEY (kind, key));"
	"CREATE TABLE IF NOT EXISTS meta (version bigint NOT NULL);"
	"INSERT INTO meta (version) SELECT 3 WHERE NOT EXISTS (SELECT FROM meta);"
	"COMMIT";

static void say_nothing(void *context, const PGresult *result)
{
	(void)context;
	(void)result;
}

/* The URL comes last, so that its connect_timeout overrides ours. */
static int connect_db(struct db *db, const char *url, struct err *err)
{
	static const char *const names[] = {"connect_timeout", "fallback_application_name",
					    "dbname", NULL};
	const char *const values[] = {"5", "cordon", url, NULL};

	db->conn = PQconnectdbParams(names, values, 1);
	if (PQstatus(db->conn) != CONNECTION_OK)
		return sql_fail(db, NULL, "connecting to", err);
	PQsetNoticeReceiver(db->conn, say_nothing, NULL);
	return 0;
}

/* The first value of a query's result as text, or "". */
static int ask_text(struct db *db, const char *words, char *ret, size_t size, struct err *err)
{
	PGresult *r = PQexec(db->conn, words);
	int failed = 0;

	ret[0] = '\0';
	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		failed = sql_fail(db, r, "asking", err);
	else if (PQntuples(r) > 0 && !PQgetisnull(r, 0, 0))
		snprintf(ret, size, "%s", PQgetvalue(r, 0, 0));
	PQclear(r);
	return failed;
}

static int configure(struct db *db, bool read_only, struct err *err)
{
	char words[512], fsync[16];

	snprintf(words, sizeof(words),
		 "SET client_encoding = 'UTF8'; SET synchronous_commit = on;"
		 "SET search_path = cordon; SET client_min_messages = error;"
		 "SET lock_timeout = %u; SET statement_timeout = %u;"
		 "SET idle_in_transaction_session_timeout = %u;"
		 "SET default_transaction_read_only = %s",
		 db->wait_ms, db->wait_ms + DB_STATEMENT_MS, db->wait_ms + DB_STATEMENT_MS,
		 read_only ? "on" : "off");
	if (sql_exec(db, words, err) < 0 ||
	    ask_text(db, "SHOW fsync", fsync, sizeof(fsync), err) < 0)
		return -1;
	if (strcmp(fsync, "on") == 0)
		return 0;
	err_set(err, ERR_REFUSED, "the database server does not sync its commits");
	err_cure(err, "set fsync = on in postgresql.conf");
	return -1;
}

int db_format(struct db *db, uint64_t *ret, struct err *err)
{
	char text[32];

	if (ask_text(db, "SELECT max(version) FROM cordon.meta", text, sizeof(text), err) < 0)
		return -1;
	*ret = strtoull(text, NULL, 10);
	return 0;
}

static int check_version(struct db *db, struct err *err)
{
	uint64_t version = 0;

	if (db_format(db, &version, err) < 0)
		return -1;
	if (version >= STORE_FORMAT_OLDEST && version <= STORE_FORMAT)
		return 0;
	return store_no_format("the database", version, err);
}

/* Committed rows must stay. An unlogged table is empty after a crash; a foreign trigger or rule can
 * delete what was just written; a view or partition may hide another table. Cordon's schema has
 * none of these. */
static int check_tables(struct db *db, struct err *err)
{
	static const char ask[] =
		"SELECT min(c.relname || w.what) FROM pg_catalog.pg_class c,"
		" LATERAL (SELECT ' is not logged' AS what WHERE c.relpersistence <> 'p'"
		" UNION ALL SELECT ' is no table' WHERE c.relkind <> 'r'"
		" UNION ALL SELECT ' has a trigger' FROM pg_catalog.pg_trigger t"
		" WHERE t.tgrelid = c.oid AND NOT t.tgisinternal"
		" UNION ALL SELECT ' refers to another' FROM pg_catalog.pg_constraint k"
		" WHERE k.conrelid = c.oid AND k.contype = 'f'"
		" UNION ALL SELECT ' has a rule' FROM pg_catalog.pg_rewrite r WHERE r.ev_class = "
		"c.oid) w"
		" WHERE c.relnamespace = 'cordon'::pg_catalog.regnamespace AND c.relname IN"
		" ('log', 'ref', 'item', 'meta')";
	char what[128] = "";

	if (ask_text(db, ask, what, sizeof(what), err) < 0)
		return -1;
	if (!what[0])
		return 0;
	err_set(err, ERR_REFUSED, "the database does not keep what is written: %.100s", what);
	err_cure(err,
		 "remove it, or ALTER TABLE ... SET LOGGED, and find out what changed the table");
	return -1;
}

static int prepare_schema(struct db *db, bool read_only, struct err *err)
{
	char table[64];

	if (ask_text(db, "SELECT to_regclass('cordon.meta')", table, sizeof(table), err) < 0)
		return -1;
	if (table[0])
		return check_version(db, err) < 0 ? -1 : read_only ? 0 : check_tables(db, err);
	if (read_only)
		return err_set(err, ERR_INPUT, "the database has no log");
	if (sql_exec(db, schema, err) < 0) {
		PQclear(PQexec(db->conn, "ROLLBACK"));
		return -1;
	}
	return check_version(db, err);
}

int db_open(struct db *db, const struct rpc_request *r, struct err *err)
{
	if (db->conn)
		return err_set(err, ERR_USAGE, "the database is open already");
	db->wait_ms = r->wait_ms;
	if (connect_db(db, r->url, err) < 0 || configure(db, r->read_only, err) < 0 ||
	    prepare_schema(db, r->read_only, err) < 0) {
		db_close(db);
		return -1;
	}
	return 0;
}

void db_close(struct db *db)
{
	PQfinish(db->conn);
	*db = (struct db){0};
}

static int take_tip(const PGresult *r, struct store_tip *ret, struct err *err)
{
	struct store_tip tip = {0};

	if (!PQgetisnull(r, 0, 0)) {
		tip.head_len = (size_t)PQgetlength(r, 0, 0);
		if (tip.head_len == 0 || tip.head_len > sizeof(tip.head))
			return err_set(err, ERR_INPUT, "the head of the log is damaged");
		memcpy(tip.head, PQgetvalue(r, 0, 0), tip.head_len);
	}
	tip.has_last = !PQgetisnull(r, 0, 1);
	tip.last_seq = tip.has_last ? sql_get_number(r, 0, 1) : 0;
	if (tip.has_last && PQgetlength(r, 0, 2) == RECORD_HASH)
		memcpy(tip.last_hash, PQgetvalue(r, 0, 2), RECORD_HASH);
	*ret = tip;
	return 0;
}

int db_tip(struct db *db, struct store_tip *ret, struct err *err)
{
	PGresult *r = sql_run(db, SQL_TIP, NULL, 0, err);

	if (!r)
		return -1;
	int failed = take_tip(r, ret, err);
	PQclear(r);
	return failed;
}

void db_unlock(struct db *db)
{
	if (PQtransactionStatus(db->conn) != PQTRANS_IDLE)
		PQclear(PQexec(db->conn, "ROLLBACK"));
}

/* Read committed: the query of the head after the lock has a snapshot of its own. */
int db_lock(struct db *db, struct store_tip *ret, struct err *err)
{
	if (sql_exec(db,
		     "BEGIN ISOLATION LEVEL READ COMMITTED;"
		     "LOCK TABLE log IN SHARE ROW EXCLUSIVE MODE",
		     err) == 0 &&
	    db_tip(db, ret, err) == 0)
		return 0;
	db_unlock(db);
	return -1;
}

static int run_and_drop(struct db *db, enum sql which, struct param *param, size_t count,
			int *ret_rows, struct err *err)
{
	PGresult *r = sql_run(db, which, param, count, err);

	if (!r)
		return -1;
	*ret_rows = strcmp(PQcmdTuples(r), "1") == 0;
	PQclear(r);
	return 0;
}

/* A rule or trigger can suppress the write without an error. */
static int not_taken(struct err *err)
{
	err_set(err, ERR_SYSTEM, "the database has not stored what was written");
	err_cure(err, "look for rules and triggers on the tables of the schema cordon");
	return -1;
}

static int append(struct db *db, const struct store_op *op, struct err *err)
{
	struct param row[] = {sql_number(op->seq), sql_bytes(op->hash, RECORD_HASH),
			      sql_bytes(op->data, op->len)};
	int rows;

	if (run_and_drop(db, SQL_APPEND, row, ARRAY_SIZE(row), &rows, err) < 0)
		return -1;
	if (!rows)
		return not_taken(err);
	for (size_t i = 0; i < op->refc; i++) {
		struct param ref[] = {sql_text(op->ref[i]), sql_number(op->seq)};
		if (run_and_drop(db, SQL_REF, ref, ARRAY_SIZE(ref), &rows, err) < 0)
			return -1;
	}
	return 0;
}

static int put(struct db *db, const struct store_op *op, int *ret_rows, struct err *err)
{
	struct param row[] = {sql_text(store_kind_name(op->kind)), sql_text(op->key),
			      sql_number(op->version), sql_bytes(op->data, op->len),
			      sql_number(op->expected)};
	enum sql which = op->expected == STORE_ANY   ? SQL_PUT
			 : op->expected == STORE_NEW ? SQL_PUT_NEW
						     : SQL_PUT_IF;

	return run_and_drop(db, which, row, which == SQL_PUT_IF ? 5 : 4, ret_rows, err);
}

/* Delete and expect have the same parameters. */
static int drop(struct db *db, const struct store_op *op, int *ret_rows, struct err *err)
{
	struct param row[] = {sql_text(store_kind_name(op->kind)), sql_text(op->key),
			      sql_number(op->expected)};
	bool any = op->expected == STORE_ANY;

	if (op->op == STORE_OP_EXPECT)
		return run_and_drop(db, SQL_EXPECT, row, ARRAY_SIZE(row), ret_rows, err);
	return run_and_drop(db, any ? SQL_DELETE : SQL_DELETE_IF, row, any ? 2 : 3, ret_rows, err);
}

static int strip(struct db *db, const struct store_op *op, struct err *err)
{
	struct param row[] = {sql_number(op->seq), sql_bytes(op->data, op->len)};
	int rows;

	if (run_and_drop(db, SQL_STRIP, row, ARRAY_SIZE(row), &rows, err) < 0)
		return -1;
	if (!rows)
		return not_taken(err);
	for (size_t i = 0; i < op->refc; i++) {
		struct param ref[] = {sql_text(op->ref[i]), sql_number(op->seq)};
		if (run_and_drop(db, SQL_UNREF, ref, ARRAY_SIZE(ref), &rows, err) < 0)
			return -1;
	}
	return 0;
}

static int clear(struct db *db, const struct store_op *op, struct err *err)
{
	int rows;

	if (op->kind == STORE_KINDS)
		return sql_exec(db, "DELETE FROM log; DELETE FROM ref; DELETE FROM item", err);
	struct param row[] = {sql_text(store_kind_name(op->kind))};
	return run_and_drop(db, SQL_CLEAR, row, ARRAY_SIZE(row), &rows, err);
}

static int set_format(struct db *db, const struct store_op *op, struct err *err)
{
	struct param row[] = {sql_number(op->version), sql_number(op->expected)};
	int rows = 0;

	if (run_and_drop(db, SQL_FORMAT, row, ARRAY_SIZE(row), &rows, err) < 0)
		return -1;
	return rows ? 0 : store_conflict(op, err);
}

static int apply(struct db *db, const struct store_op *op, struct err *err)
{
	int rows = 0;

	switch (op->op) {
	case STORE_OP_APPEND:
		return append(db, op, err);
	case STORE_OP_STRIP:
		return strip(db, op, err);
	case STORE_OP_CLEAR:
		return clear(db, op, err);
	case STORE_OP_FORMAT:
		return set_format(db, op, err);
	default:
		break;
	}
	int failed = op->op == STORE_OP_PUT ? put(db, op, &rows, err) : drop(db, op, &rows, err);
	if (failed < 0)
		return -1;
	if (op->expected != STORE_ANY && !rows)
		return store_conflict(op, err);
	return op->op == STORE_OP_PUT && !rows ? not_taken(err) : 0;
}

/* PostgreSQL answers a COMMIT of a failed transaction with ROLLBACK and no error. */
static int finish(struct db *db, struct err *err)
{
	PGresult *r = PQexec(db->conn, "COMMIT");
	int failed = 0;

	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		failed = sql_fail(db, r, "committing to", err);
	else if (strcmp(PQcmdStatus(r), "COMMIT") != 0)
		failed = err_set(err, ERR_SYSTEM, "the database did not commit");
	PQclear(r);
	return failed;
}

int db_add(struct db *db, const struct rpc_request *r, struct err *err)
{
	int failed = 0;

	if (PQtransactionStatus(db->conn) != PQTRANS_INTRANS)
		failed = err_set(err, ERR_SYSTEM, "the lock on the log was lost");
	for (size_t i = 0; i < r->count && !failed; i++)
		failed = apply(db, &r->op[i], err);
	return failed;
}

int db_snapshot(struct db *db, struct err *err)
{
	return sql_exec(db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err);
}

int db_commit(struct db *db, const struct rpc_request *r, struct err *err)
{
	int failed = db_add(db, r, err);

	if (!failed)
		failed = finish(db, err);
	if (failed)
		db_unlock(db);
	return failed;
}

static int take_item(const PGresult *r, int row, struct store_item *ret, struct err *err)
{
	size_t len = (size_t)PQgetlength(r, row, 0);

	*ret = (struct store_item){.version = sql_get_number(r, row, 1),
				   .value = (const uint8_t *)PQgetvalue(r, row, 2),
				   .len = (size_t)PQgetlength(r, row, 2)};
	if (len > STORE_KEY_MAX || ret->len > STORE_VALUE_MAX)
		return err_set(err, ERR_INPUT, "an item in the database is damaged");
	memcpy(ret->key, PQgetvalue(r, row, 0), len);
	return 0;
}

int db_get(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, PGresult **keep,
	   struct err *err)
{
	struct param param[] = {sql_text(store_kind_name(r->kind)), sql_text(r->key)};

	*keep = sql_run(db, SQL_GET, param, ARRAY_SIZE(param), err);
	if (!*keep)
		return -1;
	return PQntuples(*keep) ? take_item(*keep, 0, &ret->item, err) : 0;
}

static uint64_t page(uint64_t limit, uint64_t most)
{
	return limit && limit < most ? limit : most;
}

/* Takes as many rows as fit into one message; the next page has the others. */
enum { FRAME = 1024 };

static int take_items(const PGresult *r, uint64_t most, struct rpc_answer *ret, struct arena *arena,
		      struct err *err)
{
	int count = PQntuples(r);
	size_t bytes = FRAME;

	ret->items = arena_alloc(arena, ((size_t)count + 1) * sizeof(*ret->items));
	if (arena->failed)
		return err_memory(err);
	for (int i = 0; i < count; i++) {
		if (take_item(r, i, &ret->items[i], err) < 0)
			return -1;
		bytes += ret->items[i].len + STORE_KEY_MAX + 16;
		if (bytes > RPC_MAX)
			break;
		ret->count++;
	}
	ret->has_more = ret->count < (size_t)count || (uint64_t)count == most;
	return 0;
}

int db_list(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, struct arena *arena,
	    PGresult **keep, struct err *err)
{
	uint64_t most = page(r->limit, RPC_ITEMS_MAX);
	char end[STORE_KEY_MAX + 1];

	store_prefix_end(r->prefix, end);
	struct param param[] = {sql_text(store_kind_name(r->kind)),
				sql_text(r->after),
				sql_text(r->prefix),
				sql_text(end),
				sql_number(most),
				sql_number(r->from)};
	*keep = sql_run(db, SQL_LIST, param, ARRAY_SIZE(param), err);
	return *keep ? take_items(*keep, most, ret, arena, err) : -1;
}

int db_refs(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, struct arena *arena,
	    PGresult **keep, struct err *err)
{
	struct param param[] = {sql_text(r->ref), sql_number(r->from), sql_number(RPC_ROWS_MAX)};

	*keep = sql_run(db, SQL_REFS, param, ARRAY_SIZE(param), err);
	return *keep ? take_items(*keep, RPC_ROWS_MAX, ret, arena, err) : -1;
}

static int take_row(const PGresult *r, int i, struct store_row *ret, struct err *err)
{
	*ret = (struct store_row){.seq = sql_get_number(r, i, 0),
				  .hash = (const uint8_t *)PQgetvalue(r, i, 1),
				  .bytes = (const uint8_t *)PQgetvalue(r, i, 2),
				  .len = (size_t)PQgetlength(r, i, 2)};
	if (PQgetlength(r, i, 1) != RECORD_HASH || ret->len > RPC_MAX - 2 * FRAME)
		return err_set(err, ERR_INPUT, "record %llu is damaged",
			       (unsigned long long)ret->seq);
	return 0;
}

int db_rows(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, struct arena *arena,
	    PGresult **keep, struct err *err)
{
	uint64_t most = page(r->limit, RPC_ROWS_MAX);
	struct param find[] = {sql_text(r->ref), sql_number(r->from), sql_number(most)};
	bool is_find = r->call == RPC_FIND;
	size_t bytes = FRAME;

	*keep = sql_run(db, is_find ? SQL_FIND : SQL_READ, is_find ? find : find + 1,
			is_find ? 3 : 2, err);
	if (!*keep)
		return -1;
	int count = PQntuples(*keep);
	ret->rows = arena_alloc(arena, ((size_t)count + 1) * sizeof(*ret->rows));
	if (arena->failed)
		return err_memory(err);
	for (int i = 0; i < count; i++) {
		if (take_row(*keep, i, &ret->rows[i], err) < 0)
			return -1;
		bytes += ret->rows[i].len + RECORD_HASH + 16;
		if (bytes > RPC_MAX)
			break;
		ret->count++;
	}
	ret->has_more = ret->count < (size_t)count || (uint64_t)count == most;
	return 0;
}
