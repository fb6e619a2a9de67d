/* SPDX-License-Identifier: MIT
 *
 * The backend's calls in SQL, for a PostgreSQL server, on one connection. Every function fills the
 * answer to its call.
 */
#ifndef CORDON_POSTGRES_DB_H
#define CORDON_POSTGRES_DB_H

#include <postgresql/libpq-fe.h>

#include "store/rpc.h"

enum { DB_STATEMENT_MS = 30000 };

struct db {
	PGconn *conn;
	uint32_t wait_ms;
	uint64_t prepared; /* a bit for each statement */
};

int db_open(struct db *db, const struct rpc_request *r, struct err *err);
void db_close(struct db *db);
int db_lock(struct db *db, struct store_tip *ret, struct err *err);
void db_unlock(struct db *db);
int db_add(struct db *db, const struct rpc_request *r, struct err *err);
int db_snapshot(struct db *db, struct err *err);
int db_format(struct db *db, uint64_t *ret, struct err *err);
int db_commit(struct db *db, const struct rpc_request *r, struct err *err);
int db_tip(struct db *db, struct store_tip *ret, struct err *err);

/* The rows of these answers point into *KEEP, which the caller clears. */
int db_get(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, PGresult **keep,
	   struct err *err);
int db_list(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, struct arena *arena,
	    PGresult **keep, struct err *err);
int db_refs(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, struct arena *arena,
	    PGresult **keep, struct err *err);
int db_rows(struct db *db, const struct rpc_request *r, struct rpc_answer *ret, struct arena *arena,
	    PGresult **keep, struct err *err);

#endif
