/* SPDX-License-Identifier: MIT
 *
 * cordon-postgres: the client of a PostgreSQL server, as a program of its own. Its standard input
 * is a socket: it reads calls, answers each, and ends at the end of the stream. It has no options
 * and prints nothing.
 */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "postgres/db.h"

static int answer_call(struct db *db, const struct rpc_request *r, struct rpc_answer *a,
		       struct arena *arena, PGresult **keep)
{
	if (r->call != RPC_OPEN && !db->conn)
		return err_set(&a->err, ERR_USAGE, "the database is not open");
	switch (r->call) {
	case RPC_OPEN:
		return db_open(db, r, &a->err);
	case RPC_LOCK:
		return db_lock(db, &a->tip, &a->err);
	case RPC_UNLOCK:
		db_unlock(db);
		return 0;
	case RPC_COMMIT:
		return db_commit(db, r, &a->err);
	case RPC_ADD:
		return db_add(db, r, &a->err);
	case RPC_SNAPSHOT:
		return db_snapshot(db, &a->err);
	case RPC_FORMAT:
		return db_format(db, &a->tip.last_seq, &a->err);
	case RPC_TIP:
		return db_tip(db, &a->tip, &a->err);
	case RPC_GET:
		return db_get(db, r, a, keep, &a->err);
	case RPC_LIST:
		return db_list(db, r, a, arena, keep, &a->err);
	case RPC_REFS:
		return db_refs(db, r, a, arena, keep, &a->err);
	case RPC_READ:
	case RPC_FIND:
		return db_rows(db, r, a, arena, keep, &a->err);
	case RPC_CALLS:
		break;
	}
	return err_set(&a->err, ERR_INPUT, "unknown call");
}

/* An invalid message ends the program, because the stream after it cannot be trusted. */
static int serve_one(struct db *db, const struct buf *message)
{
	struct arena arena = {0};
	struct rpc_request r = {0};
	struct rpc_answer a = {0};
	AUTO_BUF struct buf out = {.most = RPC_MAX};
	PGresult *keep = NULL;
	int said = -1;

	if (rpc_get_request(message->data, message->len, &r, &arena, &a.err) == 0) {
		a.ok = answer_call(db, &r, &a, &arena, &keep) == 0;
		rpc_put_answer(&out, r.call, &a);
		said = rpc_send(STDIN_FILENO, &out);
	}
	PQclear(keep);
	arena_done(&arena);
	return said;
}

int main(void)
{
	AUTO_BUF struct buf message = {0};
	struct db db = {0};

	/* No core dump: the URL in memory may hold a password. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	while (rpc_receive(STDIN_FILENO, &message, -1) == 1)
		if (serve_one(&db, &message) < 0)
			break;
	db_close(&db);
	return 0;
}
