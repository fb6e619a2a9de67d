/* SPDX-License-Identifier: MIT
 *
 * The protocol between cordon and cordon-postgres on a socket pair: each call of the backend is one
 * message and one answer. A message is its length (4 bytes, big-endian) and its bytes; every field
 * has a maximum. Neither side trusts the other's bytes.
 */
#ifndef CORDON_STORE_WIRE_H
#define CORDON_STORE_WIRE_H

#include "base/arena.h"
#include "store/backend.h"

enum {
	WIRE_MAX = STORE_BYTES_MAX + (1 << 20), /* a transaction, or a page of rows */
	WIRE_URL_MAX = 4096,
	WIRE_ROWS_MAX = 512, /* records or refs in a page */
	WIRE_ITEMS_MAX = 16, /* items in a page */
	WIRE_OPS_MAX = STORE_OPS_MAX + 2,
	WIRE_WAIT_MS = 60000, /* for an answer */
};

enum wire_call {
	WIRE_OPEN,
	WIRE_LOCK,
	WIRE_UNLOCK,
	WIRE_COMMIT,
	WIRE_TIP,
	WIRE_GET,
	WIRE_LIST,
	WIRE_READ,
	WIRE_FIND,
	WIRE_REFS,
	WIRE_ADD,
	WIRE_SNAPSHOT,
	WIRE_FORMAT,
	WIRE_CALLS,
};

/* A call's arguments; those that it does not need are empty. */
struct wire_request {
	enum wire_call call;
	bool read_only;
	uint32_t wait_ms;
	enum store_kind kind;
	const char *url, *key, *prefix, *after, *ref;
	uint64_t from, limit; /* list: FROM is store_range's NEWER */
	const struct store_op *op;
	size_t count;
};

/* OK and the call's results, or an error. */
struct wire_answer {
	bool ok;
	struct err err;
	struct store_tip tip;	  /* format: LAST_SEQ is the number */
	struct store_item item;	  /* get; its value points into the message */
	struct store_item *items; /* list and refs */
	struct store_row *rows;	  /* read and find */
	size_t count;
	bool has_more;
};

void wire_put_request(struct buf *out, const struct wire_request *r);
int wire_get_request(const uint8_t *data, size_t len, struct wire_request *ret, struct arena *arena,
		     struct err *err);
void wire_put_answer(struct buf *out, enum wire_call call, const struct wire_answer *a);
int wire_get_answer(const uint8_t *data, size_t len, enum wire_call call, struct wire_answer *ret,
		    struct arena *arena, struct err *err);

/* Send and receive a whole message. wire_receive replaces RET's bytes and returns 1; 0 at the end
 * of the stream; -1 with errno. WAIT_MS -1: no timeout. */
int wire_send(int sock, const struct buf *message);
int wire_receive(int sock, struct buf *ret, int wait_ms);

#endif
