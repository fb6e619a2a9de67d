/* SPDX-License-Identifier: MIT
 *
 * Statements are prepared at their first use. An error's cause quotes the server's message, but
 * never the URL, which may hold a password.
 */
#include "postgres/sql.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"

static const struct {
	const char *name, *words;
} statements[SQL_COUNT] = {
	[SQL_TIP] = {"tip", "SELECT (SELECT value FROM item WHERE kind = 'head' AND key = 'log'),"
			    " (SELECT max(seq) FROM log),"
			    " (SELECT hash FROM log ORDER BY seq DESC LIMIT 1)"},
	[SQL_APPEND] = {"append", "INSERT INTO log (seq, hash, record) VALUES ($1, $2, $3)"},
	[SQL_REF] = {"ref", "INSERT INTO ref (name, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING"},
	[SQL_PUT] = {"put", "INSERT INTO item (kind, key, version, value) VALUES ($1, $2, $3, $4)"
			    " ON CONFLICT (kind, key) DO UPDATE"
			    " SET version = excluded.version, value = excluded.value"},
	[SQL_PUT_NEW] = {"put_new",
			 "INSERT INTO item (kind, key, version, value) VALUES ($1, $2, $3, $4)"
			 " ON CONFLICT DO NOTHING"},
	[SQL_PUT_IF] = {"put_if", "UPDATE item SET version = $3, value = $4"
				  " WHERE kind = $1 AND key = $2 AND version = $5"},
	[SQL_DELETE] = {"delete", "DELETE FROM item WHERE kind = $1 AND key = $2"},
	[SQL_DELETE_IF] = {"delete_if",
			   "DELETE FROM item WHERE kind = $1 AND key = $2 AND version = $3"},
	[SQL_EXPECT] = {"expect", "UPDATE item SET version = version"
				  " WHERE kind = $1 AND key = $2 AND version = $3"},
	[SQL_GET] = {"get", "SELECT key, version, value FROM item WHERE kind = $1 AND key = $2"},
	[SQL_LIST] = {"list", "SELECT key, version, value FROM item WHERE kind = $1 AND key > $2"
			      " AND key >= $3 AND ($4 = '' OR key < $4) AND version > $6"
			      " ORDER BY key LIMIT $5"},
	[SQL_READ] = {"read",
		      "SELECT seq, hash, record FROM log"
		      " WHERE seq >= CASE $1::bigint WHEN 0 THEN -9223372036854775807 ELSE $1 END"
		      " ORDER BY seq LIMIT $2"},
	[SQL_FIND] = {"find", "SELECT log.seq, log.hash, log.record FROM ref"
			      " JOIN log ON log.seq = ref.seq"
			      " WHERE ref.name = $1 AND ref.seq >= $2 ORDER BY ref.seq LIMIT $3"},
	[SQL_REFS] = {"refs", "SELECT name, seq, ''::bytea FROM ref WHERE (name, seq) > ($1, $2)"
			      " ORDER BY name, seq LIMIT $3"},
	[SQL_STRIP] = {"strip", "UPDATE log SET record = $2 WHERE seq = $1"},
	[SQL_UNREF] = {"unref", "DELETE FROM ref WHERE name = $1 AND seq = $2"},
	[SQL_CLEAR] = {"clear", "DELETE FROM item WHERE kind = $1"},
	[SQL_FORMAT] = {"format",
			"UPDATE meta SET version = $1 WHERE version = $2 OR $2 = -1::bigint"},
};

struct param sql_text(const char *text)
{
	return (struct param){.data = text, .len = strlen(text)};
}

struct param sql_bytes(const void *data, size_t len)
{
	return (struct param){.data = len ? data : "", .len = len};
}

struct param sql_number(uint64_t n)
{
	struct param p = {.len = sizeof(p.number)};

	for (int i = 0; i < 8; i++)
		p.number[i] = (uint8_t)(n >> (56 - 8 * i));
	return p;
}

uint64_t sql_get_number(const PGresult *result, int row, int column)
{
	const uint8_t *p = (const uint8_t *)PQgetvalue(result, row, column);
	uint64_t n = 0;

	for (int i = 0; i < PQgetlength(result, row, column); i++)
		n = n << 8 | p[i];
	return n;
}

/* By SQLSTATE or its first characters. */
static const struct {
	const char *state;
	enum err_code code;
	const char *words, *cure;
} meanings[] = {
	{"53100", ERR_SYSTEM, "the server's disk is full", "free some disk space on the server"},
	{"25006", ERR_SYSTEM, "the server is read-only", "use the primary server"},
	{"42501", ERR_SYSTEM, "the server does not allow it",
	 "give the role CREATE on the database, or make the schema cordon for it"},
	{"28", ERR_SYSTEM, "the server does not know us", "check the URL's user and password"},
	{"3D", ERR_SYSTEM, "the server has no such database", "check the URL"},
	{"23505", ERR_INPUT, "the log already has a record with that number",
	 "run cordon audit verify"},
	{"57014", ERR_SYSTEM, "the server took too long",
	 "check the server's activity (pg_stat_activity)"},
	{"42P01", ERR_INPUT, "a table is missing", "find out what changed the database"},
	{"XX", ERR_INPUT, "the server's data is damaged", "check the server's messages"},
	{"", ERR_SYSTEM, "it failed", ""},
};

static void tell(struct err *err, const char *state, const char *words, const char *doing)
{
	size_t i = 0;

	while (strncmp(state, meanings[i].state, strlen(meanings[i].state)) != 0)
		i++;
	err_set(err, meanings[i].code, "%s the database: %s", doing, meanings[i].words);
	err_cause(err, "PostgreSQL says: %s%s%s", words, state[0] ? ", " : "", state);
	err_cure(err, "%s", meanings[i].cure);
}

int sql_fail(struct db *db, const PGresult *result, const char *doing, struct err *err)
{
	const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	const char *words = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	char line[256];

	/* 55P03 is lock_timeout: another writer has the lock. */
	if (state && strcmp(state, "55P03") == 0)
		return store_busy((int)db->wait_ms, err);
	snprintf(line, sizeof(line), "%s", words ? words : PQerrorMessage(db->conn));
	line[strcspn(line, "\n")] = '\0';
	tell(err, state ? state : "", line, doing);
	return -1;
}

static int prepare(struct db *db, enum sql which, struct err *err)
{
	if (db->prepared & (1ULL << which))
		return 0;
	PGresult *r = PQprepare(db->conn, statements[which].name, statements[which].words, 0, NULL);
	int failed = PQresultStatus(r) != PGRES_COMMAND_OK ? sql_fail(db, r, "asking", err) : 0;
	PQclear(r);
	if (!failed)
		db->prepared |= 1ULL << which;
	return failed;
}

PGresult *sql_run(struct db *db, enum sql which, struct param *param, size_t count, struct err *err)
{
	const char *value[SQL_PARAMS_MAX];
	int len[SQL_PARAMS_MAX], format[SQL_PARAMS_MAX];

	if (prepare(db, which, err) < 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		value[i] = param[i].data ? param[i].data : (const char *)param[i].number;
		len[i] = (int)param[i].len;
		format[i] = 1;
	}
	PGresult *r =
		PQexecPrepared(db->conn, statements[which].name, (int)count, value, len, format, 1);
	ExecStatusType status = PQresultStatus(r);
	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
		return r;
	sql_fail(db, r, "asking", err);
	PQclear(r);
	return NULL;
}

int sql_exec(struct db *db, const char *words, struct err *err)
{
	PGresult *r = PQexec(db->conn, words);
	ExecStatusType status = PQresultStatus(r);
	int failed = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
			     ? 0
			     : sql_fail(db, r, "asking", err);

	PQclear(r);
	return failed;
}
