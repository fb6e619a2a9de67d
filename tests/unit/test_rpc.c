/* SPDX-License-Identifier: MIT
 *
 * The messages between cordon and cordon-postgres: every maximum at itself and one beyond, and a
 * conversation over a real socket that is cut, too long, or late.
 */
#include "store/rpc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "tap.h"

static bool goes_through(const struct rpc_request *r)
{
	AUTO_BUF struct buf out = {.most = RPC_MAX};
	struct arena arena = {0};
	struct rpc_request back;
	struct err err;

	rpc_put_request(&out, r);
	bool good = !out.failed && rpc_get_request(out.data, out.len, &back, &arena, &err) == 0 &&
		    back.count == r->count && (!r->url || !strcmp(back.url, r->url));
	arena_done(&arena);
	return good;
}

static bool text_goes(size_t offset, size_t len)
{
	static char text[RPC_URL_MAX + 2];
	struct rpc_request r = {.call = RPC_OPEN};

	memset(text, 'x', sizeof(text));
	text[len] = '\0';
	*(const char **)(void *)((char *)&r + offset) = text;
	return goes_through(&r);
}

static void test_texts(void)
{
	static const struct {
		const char *name;
		size_t offset, most;
	} rows[] = {{"url", offsetof(struct rpc_request, url), RPC_URL_MAX},
		    {"key", offsetof(struct rpc_request, key), STORE_KEY_MAX},
		    {"prefix", offsetof(struct rpc_request, prefix), STORE_KEY_MAX},
		    {"after", offsetof(struct rpc_request, after), STORE_KEY_MAX},
		    {"ref", offsetof(struct rpc_request, ref), RECORD_REF_MAX}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ok(text_goes(rows[i].offset, rows[i].most), "%s: %zu bytes", rows[i].name,
		   rows[i].most);
		ok(!text_goes(rows[i].offset, rows[i].most + 1), "%s: one more", rows[i].name);
	}
}

static bool ops_go(size_t count, size_t refs, enum store_op_kind kind, size_t len)
{
	static struct store_op op[RPC_OPS_MAX + 1];
	static const char *ref[RECORD_REFS_MAX + 1];
	AUTO_FREE uint8_t *data = calloc(1, len + 1);

	for (size_t i = 0; i <= RECORD_REFS_MAX; i++)
		ref[i] = "run:1";
	for (size_t i = 0; i < count; i++)
		op[i] = (struct store_op){
			.op = kind, .ref = ref, .refc = refs, .key = "k", .data = data, .len = len};
	return goes_through(&(struct rpc_request){.call = RPC_COMMIT, .op = op, .count = count});
}

static void test_ops(void)
{
	ok(ops_go(RPC_OPS_MAX, 0, STORE_OP_PUT, 1), "%d steps", RPC_OPS_MAX);
	ok(!ops_go(RPC_OPS_MAX + 1, 0, STORE_OP_PUT, 1), "one more");
	ok(ops_go(1, RECORD_REFS_MAX, STORE_OP_APPEND, 1), "%d refs", RECORD_REFS_MAX);
	ok(!ops_go(1, RECORD_REFS_MAX + 1, STORE_OP_APPEND, 1), "one more");
	ok(ops_go(1, 0, STORE_OP_APPEND, RECORD_MAX), "a record of %d bytes", RECORD_MAX);
	ok(!ops_go(1, 0, STORE_OP_APPEND, RECORD_MAX + 1), "one more");
	ok(ops_go(1, 0, STORE_OP_PUT, STORE_VALUE_MAX), "a value of %d bytes", STORE_VALUE_MAX);
	ok(!ops_go(1, 0, STORE_OP_PUT, STORE_VALUE_MAX + 1), "one more");
	ok(!ops_go(1, 0, STORE_OP_KINDS, 1), "a step of no kind");
}

static bool page_goes(enum rpc_call call, size_t count)
{
	static struct store_item items[RPC_ROWS_MAX + 1];
	static struct store_row rows[RPC_ROWS_MAX + 1];
	static const uint8_t hash[RECORD_HASH];
	AUTO_BUF struct buf out = {.most = RPC_MAX};
	struct rpc_answer a = {.ok = true, .items = items, .rows = rows, .count = count}, back;
	struct arena arena = {0};
	struct err err;

	for (size_t i = 0; i < count; i++) {
		items[i] = (struct store_item){.version = 1, .key = "k", .value = hash, .len = 1};
		rows[i] = (struct store_row){i, hash, hash, 1};
	}
	rpc_put_answer(&out, call, &a);
	bool good = rpc_get_answer(out.data, out.len, call, &back, &arena, &err) == 0 &&
		    back.count == count;
	arena_done(&arena);
	return good;
}

static void test_pages(void)
{
	static const struct {
		const char *name;
		enum rpc_call call;
		size_t most;
	} rows[] = {{"list", RPC_LIST, RPC_ITEMS_MAX},
		    {"refs", RPC_REFS, RPC_ROWS_MAX},
		    {"read", RPC_READ, RPC_ROWS_MAX},
		    {"find", RPC_FIND, RPC_ROWS_MAX}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ok(page_goes(rows[i].call, rows[i].most), "%s: %zu rows", rows[i].name,
		   rows[i].most);
		ok(!page_goes(rows[i].call, rows[i].most + 1), "%s: one more", rows[i].name);
	}
}

/* What is left of a message when its sender stops after LEN of its bytes. */
static int receive_part(const char *bytes, size_t len, bool close_it, int *ret_errno)
{
	AUTO_BUF struct buf message = {0};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ||
	    write(pair[1], bytes, len) != (ssize_t)len)
		return -2;
	if (close_it)
		close(pair[1]);
	errno = 0;
	int r = rpc_receive(pair[0], &message, 50);
	*ret_errno = errno;
	close(pair[0]);
	if (!close_it)
		close(pair[1]);
	return r;
}

static void test_socket(void)
{
	int why = 0;

	ok(receive_part("", 0, true, &why) == 0, "an end before a message is an end");
	ok(receive_part("\0\0\0\2ab", 6, true, &why) == 1, "a whole message");
	ok(receive_part("\0\0\0\2a", 5, true, &why) < 0 && why == EPROTO, "half a message");
	ok(receive_part("\0\0", 2, true, &why) < 0 && why == EPROTO, "half a length");
	ok(receive_part("\0\0\0\0", 4, true, &why) < 0 && why == EPROTO, "an empty message");
	ok(receive_part("\0\0\0\2a", 5, false, &why) < 0 && why == ETIMEDOUT, "a late one");
	uint32_t most = RPC_MAX + 1;
	char head[4] = {(char)(most >> 24), (char)(most >> 16), (char)(most >> 8), (char)most};
	ok(receive_part(head, 4, true, &why) < 0 && why == EPROTO, "one that is too long");
	struct buf large = {.data = calloc(1, RPC_MAX + 1), .len = RPC_MAX + 1};
	ok(rpc_send(-1, &large) < 0 && errno == EMSGSIZE, "is not sent either");
	free(large.data);
}

int main(void)
{
	test_texts();
	test_ops();
	test_pages();
	test_socket();
	return tap_done();
}
