/* SPDX-License-Identifier: MIT
 *
 * Statements with their parameters, and the meaning of the server's errors. All values are in
 * binary form.
 */
#ifndef CORDON_POSTGRES_SQL_H
#define CORDON_POSTGRES_SQL_H

#include "postgres/db.h"

enum sql {
	SQL_TIP,
	SQL_APPEND,
	SQL_REF,
	SQL_PUT,
	SQL_PUT_NEW,
	SQL_PUT_IF,
	SQL_DELETE,
	SQL_DELETE_IF,
	SQL_EXPECT,
	SQL_GET,
	SQL_LIST,
	SQL_READ,
	SQL_FIND,
	SQL_REFS,
	SQL_STRIP,
	SQL_UNREF,
	SQL_CLEAR,
	SQL_FORMAT,
	SQL_COUNT,
};

enum { SQL_PARAMS_MAX = 6 };

struct param {
	const void *data;
	size_t len;
	uint8_t number[8]; /* the bytes of a number, for DATA to point at */
};

struct param sql_text(const char *text);
struct param sql_bytes(const void *data, size_t len);
struct param sql_number(uint64_t n);

/* The result, which the caller clears; NULL on failure. */
PGresult *sql_run(struct db *db, enum sql which, struct param *param, size_t count,
		  struct err *err);
/* Runs one or more statements without parameters. */
int sql_exec(struct db *db, const char *words, struct err *err);
/* Sets the error of RESULT, or of the connection if RESULT is NULL; -1. */
int sql_fail(struct db *db, const PGresult *result, const char *doing, struct err *err);
uint64_t sql_get_number(const PGresult *result, int row, int column);

#endif
