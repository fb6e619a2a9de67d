/* SPDX-License-Identifier: MIT
 *
 * The protocol between cordon and cordon-postgres on a socket pair: each call of the backend is one
 * message and one answer. A message is its length (4 bytes, big-endian) and its bytes; every field
 * has a maximum. Neither side trusts the other's bytes.
 */
#ifndef CORDON_STORE_RPC_H
#define CORDON_STORE_RPC_H

#include "base/arena.h"
#include "store/backend.h"

enum {
	RPC_MAX = STORE_BYTES_MAX + (1 << 20), /* a transaction, or a page of rows */
	RPC_URL_MAX = 4096,
	RPC_ROWS_MAX = 512, /* records or refs in a page */
	RPC_ITEMS_MAX = 16, /* items in a page */
	RPC_OPS_MAX = STORE_OPS_MAX + 2,
	RPC_WAIT_MS = 60000, /* for an answer */
};

enum rpc_call {
	RPC_OPEN,
	RPC_LOCK,
	RPC_UNLOCK,
	RPC_COMMIT,
	RPC_TIP,
	RPC_GET,
	RPC_LIST,
	RPC_READ,
	RPC_FIND,
	RPC_REFS,
	RPC_ADD,
	RPC_SNAPSHOT,
	RPC_FORMAT,
	RPC_CALLS,
};

/* A call's arguments; those that it does not need are empty. */
struct rpc_request {
	enum rpc_call call;
	bool read_only;
	uint32_t wait_ms;
	enum store_kind kind;
	const char *url, *key, *prefix, *after, *ref;
	uint64_t from, limit; /* list: FROM is store_range's NEWER */
	const struct store_op *op;
	size_t count;
};

/* OK and the call's results, or an error. */
struct rpc_answer {
	bool ok;
	struct err err;
	struct store_tip tip;	  /* format: LAST_SEQ is the number */
	struct store_item item;	  /* get; its value points into the message */
	struct store_item *items; /* list and refs */
	struct store_row *rows;	  /* read and find */
	size_t count;
	bool has_more;
};

void rpc_put_request(struct buf *out, const struct rpc_request *r);
int rpc_get_request(const uint8_t *data, size_t len, struct rpc_request *ret, struct arena *arena,
		    struct err *err);
void rpc_put_answer(struct buf *out, enum rpc_call call, const struct rpc_answer *a);
int rpc_get_answer(const uint8_t *data, size_t len, enum rpc_call call, struct rpc_answer *ret,
		   struct arena *arena, struct err *err);

/* Send and receive a whole message. rpc_receive replaces RET's bytes and returns 1; 0 at the end
 * of the stream; -1 with errno. WAIT_MS -1: no timeout. */
int rpc_send(int sock, const struct buf *message);
int rpc_receive(int sock, struct buf *ret, int wait_ms);

#endif
