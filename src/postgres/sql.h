/* SPDX-License-Identifier: MIT
 *
 * Statements with their parameters, and what the server's errors mean. All values go and come in
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
	SQL_COUNT,
};

enum { SQL_PARAMS_MAX = 6 };

struct param {
	const void *data;
	size_t len;
	uint8_t number[8]; /* of a whole number, DATA points here */
};

struct param sql_text(const char *text);
struct param sql_bytes(const void *data, size_t len);
struct param sql_number(uint64_t n);

/* The result, to be cleared by the caller, or NULL. */
PGresult *sql_run(struct db *db, enum sql which, struct param *param, size_t count,
		  struct err *err);
/* Words without parameters; several statements at once. */
int sql_exec(struct db *db, const char *words, struct err *err);
/* What was wrong with RESULT, or with the connection when it is NULL; -1. */
int sql_fail(struct db *db, const PGresult *result, const char *doing, struct err *err);
uint64_t sql_get_number(const PGresult *result, int row, int column);

#endif
