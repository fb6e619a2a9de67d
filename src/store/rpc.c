/* SPDX-License-Identifier: MIT
 *
 * Encodes messages: numbers big-endian, bytes and texts after their length. A text must not contain
 * a zero; the reader terminates it in its arena. Bytes left over at the end of a message are an
 * error.
 */
#include "store/rpc.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"

static void put_number(struct buf *out, uint64_t n, unsigned bytes)
{
	uint8_t high_first[8];

	for (unsigned i = 0; i < bytes; i++)
		high_first[i] = (uint8_t)(n >> (8 * (bytes - 1 - i)));
	buf_add(out, high_first, bytes);
}

static void put_bytes(struct buf *out, const void *data, size_t len)
{
	put_number(out, len, 4);
	buf_add(out, data, len);
}

static void put_text(struct buf *out, const char *text)
{
	put_bytes(out, text ? text : "", text ? strlen(text) : 0);
}

struct in {
	const uint8_t *p, *end;
	struct arena *arena;
	bool failed;
};

static const uint8_t *get_raw(struct in *in, size_t len)
{
	static const uint8_t zeros[64];
	const uint8_t *p = in->p;

	if (in->failed || (size_t)(in->end - in->p) < len) {
		in->failed = true;
		return len <= sizeof(zeros) ? zeros : NULL;
	}
	in->p += len;
	return p;
}

static uint64_t get_number(struct in *in, unsigned bytes)
{
	const uint8_t *p = get_raw(in, bytes);
	uint64_t n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n = n << 8 | p[i];
	return n;
}

/* One of LIMIT values from 0. */
static unsigned get_choice(struct in *in, unsigned limit)
{
	uint64_t n = get_number(in, 1);

	in->failed = in->failed || n >= limit;
	return in->failed ? 0 : (unsigned)n;
}

static const uint8_t *get_bytes(struct in *in, size_t most, size_t *ret_len)
{
	size_t len = get_number(in, 4);

	in->failed = in->failed || len > most;
	const uint8_t *p = in->failed ? NULL : get_raw(in, len);
	*ret_len = p && !in->failed ? len : 0;
	return p;
}

static const char *get_text(struct in *in, size_t most)
{
	size_t len = 0;
	const uint8_t *p = get_bytes(in, most, &len);

	if (in->failed || (len && memchr(p, '\0', len))) {
		in->failed = true;
		return "";
	}
	char *copy = arena_alloc(in->arena, len + 1);
	if (in->arena->failed) {
		in->failed = true;
		return "";
	}
	if (len)
		memcpy(copy, p, len);
	copy[len] = '\0';
	return copy;
}

static bool has_record(enum store_op_kind op)
{
	return op == STORE_OP_APPEND || op == STORE_OP_STRIP;
}

static void put_op(struct buf *out, const struct store_op *op)
{
	put_number(out, op->op, 1);
	if (has_record(op->op)) {
		put_number(out, op->seq, 8);
		buf_add(out, op->hash, RECORD_HASH);
		put_number(out, op->refc, 4);
		for (size_t i = 0; i < op->refc; i++)
			put_text(out, op->ref[i]);
	} else {
		put_number(out, op->kind, 1);
		put_text(out, op->key);
		put_number(out, op->expected, 8);
		put_number(out, op->version, 8);
	}
	put_bytes(out, op->data, op->len);
}

static void get_append(struct in *in, struct store_op *op)
{
	op->seq = get_number(in, 8);
	memcpy(op->hash, get_raw(in, RECORD_HASH), RECORD_HASH);
	size_t count = get_number(in, 4);
	in->failed = in->failed || count > RECORD_REFS_MAX;
	const char **ref = in->failed ? NULL : arena_alloc(in->arena, (count + 1) * sizeof(*ref));
	if (in->failed || in->arena->failed) {
		in->failed = true;
		return;
	}
	for (op->refc = 0; op->refc < count && !in->failed; op->refc++)
		ref[op->refc] = get_text(in, RECORD_REF_MAX);
	op->ref = ref;
}

static void get_op(struct in *in, struct store_op *op)
{
	*op = (struct store_op){.op = (enum store_op_kind)get_choice(in, STORE_OP_KINDS)};
	if (has_record(op->op)) {
		get_append(in, op);
	} else {
		op->kind = (enum store_kind)get_choice(in, STORE_KINDS + 1);
		in->failed |= op->kind == STORE_KINDS && op->op != STORE_OP_CLEAR;
		op->key = get_text(in, STORE_KEY_MAX);
		op->expected = get_number(in, 8);
		op->version = get_number(in, 8);
	}
	op->data = get_bytes(in, has_record(op->op) ? RECORD_MAX : STORE_VALUE_MAX, &op->len);
}

static void get_ops(struct in *in, struct rpc_request *r)
{
	size_t count = get_number(in, 4);

	in->failed = in->failed || count > RPC_OPS_MAX;
	struct store_op *op = in->failed ? NULL : arena_alloc(in->arena, (count + 1) * sizeof(*op));
	if (in->failed || in->arena->failed) {
		in->failed = true;
		return;
	}
	for (r->count = 0; r->count < count && !in->failed; r->count++)
		get_op(in, &op[r->count]);
	r->op = op;
}

void rpc_put_request(struct buf *out, const struct rpc_request *r)
{
	put_number(out, r->call, 1);
	put_number(out, r->read_only, 1);
	put_number(out, r->wait_ms, 4);
	put_number(out, r->kind, 1);
	put_text(out, r->url);
	put_text(out, r->key);
	put_text(out, r->prefix);
	put_text(out, r->after);
	put_text(out, r->ref);
	put_number(out, r->from, 8);
	put_number(out, r->limit, 8);
	put_number(out, r->count, 4);
	for (size_t i = 0; i < r->count; i++)
		put_op(out, &r->op[i]);
}

int rpc_get_request(const uint8_t *data, size_t len, struct rpc_request *ret, struct arena *arena,
		    struct err *err)
{
	struct in in = {data, data + len, arena, false};
	struct rpc_request r = {.call = (enum rpc_call)get_choice(&in, RPC_CALLS)};

	r.read_only = get_choice(&in, 2);
	r.wait_ms = (uint32_t)get_number(&in, 4);
	r.kind = (enum store_kind)get_choice(&in, STORE_KINDS);
	r.url = get_text(&in, RPC_URL_MAX);
	r.key = get_text(&in, STORE_KEY_MAX);
	r.prefix = get_text(&in, STORE_KEY_MAX);
	r.after = get_text(&in, STORE_KEY_MAX);
	r.ref = get_text(&in, RECORD_REF_MAX);
	r.from = get_number(&in, 8);
	r.limit = get_number(&in, 8);
	get_ops(&in, &r);
	if (in.failed || in.p != in.end)
		return err_set(err, ERR_INPUT, "a message to cordon-postgres is damaged");
	*ret = r;
	return 0;
}

static void put_error(struct buf *out, const struct err *err)
{
	put_number(out, err->code, 4);
	put_number(out, (uint32_t)err->sys_errno, 4);
	put_text(out, err->message);
	put_text(out, err->cause);
	put_text(out, err->cure);
}

static void get_error(struct in *in, struct err *ret)
{
	struct err err = {.code = (uint32_t)get_number(in, 4)};

	err.sys_errno = (int32_t)(uint32_t)get_number(in, 4);
	const char *message = get_text(in, sizeof(err.message) - 1);
	const char *cause = get_text(in, sizeof(err.cause) - 1);
	const char *cure = get_text(in, sizeof(err.cure) - 1);
	memcpy(err.message, message, strlen(message) + 1);
	memcpy(err.cause, cause, strlen(cause) + 1);
	memcpy(err.cure, cure, strlen(cure) + 1);
	err_sanitise(&err);
	*ret = err;
}

static void put_tip(struct buf *out, const struct store_tip *tip)
{
	put_bytes(out, tip->head, tip->head_len);
	put_number(out, tip->has_last, 1);
	put_number(out, tip->last_seq, 8);
	buf_add(out, tip->last_hash, RECORD_HASH);
}

static void get_tip(struct in *in, struct store_tip *ret)
{
	const uint8_t *head = get_bytes(in, HEAD_MAX, &ret->head_len);

	if (ret->head_len)
		memcpy(ret->head, head, ret->head_len);
	ret->has_last = get_choice(in, 2);
	ret->last_seq = get_number(in, 8);
	memcpy(ret->last_hash, get_raw(in, RECORD_HASH), RECORD_HASH);
}

static void put_item(struct buf *out, const struct store_item *item)
{
	put_text(out, item->key);
	put_number(out, item->version, 8);
	put_bytes(out, item->value, item->len);
}

static void get_item(struct in *in, struct store_item *ret)
{
	const char *key = get_text(in, STORE_KEY_MAX);

	memcpy(ret->key, key, strlen(key) + 1);
	ret->version = get_number(in, 8);
	ret->value = get_bytes(in, STORE_VALUE_MAX, &ret->len);
}

static void put_row(struct buf *out, const struct store_row *row)
{
	put_number(out, row->seq, 8);
	buf_add(out, row->hash, RECORD_HASH);
	put_bytes(out, row->bytes, row->len);
}

static void get_row(struct in *in, struct store_row *ret)
{
	ret->seq = get_number(in, 8);
	ret->hash = get_raw(in, RECORD_HASH);
	/* No check of the record: verify must see what the database has. */
	ret->bytes = get_bytes(in, RPC_MAX, &ret->len);
}

static bool has_tip(enum rpc_call call)
{
	return call == RPC_LOCK || call == RPC_TIP || call == RPC_FORMAT;
}

static bool has_items(enum rpc_call call)
{
	return call == RPC_LIST || call == RPC_REFS;
}

static bool has_rows(enum rpc_call call)
{
	return call == RPC_READ || call == RPC_FIND;
}

void rpc_put_answer(struct buf *out, enum rpc_call call, const struct rpc_answer *a)
{
	put_number(out, a->ok, 1);
	if (!a->ok) {
		put_error(out, &a->err);
		return;
	}
	if (has_tip(call))
		put_tip(out, &a->tip);
	if (call == RPC_GET)
		put_item(out, &a->item);
	if (!has_items(call) && !has_rows(call))
		return;
	put_number(out, a->has_more, 1);
	put_number(out, a->count, 4);
	for (size_t i = 0; i < a->count; i++) {
		if (has_items(call))
			put_item(out, &a->items[i]);
		else
			put_row(out, &a->rows[i]);
	}
}

static void get_page(struct in *in, enum rpc_call call, struct rpc_answer *a)
{
	a->has_more = get_choice(in, 2);
	size_t count = get_number(in, 4);
	in->failed = in->failed || count > (call == RPC_LIST ? RPC_ITEMS_MAX : RPC_ROWS_MAX);
	if (in->failed)
		return;
	a->items = arena_alloc(in->arena, (count + 1) * sizeof(*a->items));
	a->rows = arena_alloc(in->arena, (count + 1) * sizeof(*a->rows));
	in->failed = in->arena->failed;
	for (a->count = 0; a->count < count && !in->failed; a->count++) {
		if (has_items(call))
			get_item(in, &a->items[a->count]);
		else
			get_row(in, &a->rows[a->count]);
	}
}

int rpc_get_answer(const uint8_t *data, size_t len, enum rpc_call call, struct rpc_answer *ret,
		   struct arena *arena, struct err *err)
{
	struct in in = {data, data + len, arena, false};
	struct rpc_answer a = {.ok = get_choice(&in, 2)};

	if (!a.ok)
		get_error(&in, &a.err);
	else if (has_tip(call))
		get_tip(&in, &a.tip);
	else if (call == RPC_GET)
		get_item(&in, &a.item);
	else if (has_items(call) || has_rows(call))
		get_page(&in, call, &a);
	if (in.failed || in.p != in.end)
		return err_set(err, ERR_SYSTEM, "an answer of cordon-postgres is damaged");
	*ret = a;
	return 0;
}

/* MSG_NOSIGNAL: the peer may have ended. */
static int send_all(int sock, const uint8_t *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(sock, data, len, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int rpc_send(int sock, const struct buf *message)
{
	size_t len = message->len;
	uint8_t head[4] = {(uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8),
			   (uint8_t)len};

	if (message->failed || len > RPC_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	return send_all(sock, head, sizeof(head)) < 0 ? -1 : send_all(sock, message->data, len);
}

/* 1: LEN bytes. 0: the stream ended before the first. */
static int receive_all(int sock, uint8_t *data, size_t len, uint64_t end)
{
	size_t got = 0;

	while (got < len) {
		struct pollfd p = {.fd = sock, .events = POLLIN};
		uint64_t now = io_now_ns();
		int left = end == UINT64_MAX ? -1
			   : end > now	     ? (int)((end - now) / 1000000) + 1
					     : 0;
		int ready = poll(&p, 1, left);
		if (ready == 0)
			errno = ETIMEDOUT;
		if (ready == 0 || (ready < 0 && errno != EINTR))
			return -1;
		ssize_t n = ready < 0 ? -1 : recv(sock, data + got, len - got, 0);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n == 0 && got > 0)
			errno = EPROTO;
		if (n == 0)
			return got > 0 ? -1 : 0;
		got += n > 0 ? (size_t)n : 0;
	}
	return 1;
}

int rpc_receive(int sock, struct buf *ret, int wait_ms)
{
	uint64_t end = wait_ms < 0 ? UINT64_MAX : io_now_ns() + (uint64_t)wait_ms * 1000000;
	uint8_t head[4];
	int r = receive_all(sock, head, sizeof(head), end);

	if (r <= 0)
		return r;
	size_t len = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
	if (len == 0 || len > RPC_MAX) {
		errno = EPROTO;
		return -1;
	}
	buf_done(ret);
	ret->most = RPC_MAX;
	if (!buf_reserve(ret, len)) {
		errno = ENOMEM;
		return -1;
	}
	r = receive_all(sock, ret->data, len, end);
	ret->len = r == 1 ? len : 0;
	if (r == 0)
		errno = EPROTO;
	return r == 1 ? 1 : -1;
}
