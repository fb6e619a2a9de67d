/* SPDX-License-Identifier: MIT
 *
 * One good example of everything that the store reads; the byte before it is the target's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "seeds.h"
#include "store/head.h"
#include "store/note.h"
#include "store/rpc.h"

const int seed_rounds = 4000;

static void make_record(struct buf *out)
{
	static const char body[] = "{\"a\":[1,-2,\"x\\n\\u0001\xc3\xa4\"],\"b\":{}}";
	struct record r = {.seq = 7,
			   .time = 1700000000000000,
			   .mono = 123456,
			   .kind = RECORD_VERDICT,
			   .boot = "01234567-89ab-cdef-0123-456789abcdef",
			   .body = {(const uint8_t *)body, sizeof(body) - 1},
			   .refs = {(const uint8_t *)"[\"run:1\",\"src:ab\"]", 18}};
	struct err err;

	record_encode(&r, out, &err);
}

static void make_note(struct buf *out)
{
	static const uint8_t seed[] = "12345678901234567890123456789012", id[HEAD_LOG_ID] = {1};
	struct key key = {.public = {1}};
	struct note note = {.size = 1024};
	char text[NOTE_MAX];

	memcpy(key.secret, seed, KEY_SEED);
	note_origin(id, note.origin);
	buf_add(out, text, note_sign(&note, &key, text));
}

static void make_file(struct buf *out)
{
	for (int i = 0; i < 3; i++) {
		buf_str(out, "\n\n");
		make_note(out);
	}
	out->len -= 20;
}

static void make_request(struct buf *out)
{
	static const char *const refs[] = {"run:1", "src:2"};
	struct store_op ops[] = {
		{.op = STORE_OP_APPEND,
		 .ref = refs,
		 .refc = 2,
		 .seq = 9,
		 .data = (const uint8_t *)"{}",
		 .len = 2},
		{.op = STORE_OP_PUT,
		 .kind = STORE_CONVERSATION,
		 .key = "k",
		 .expected = 3,
		 .version = 4,
		 .data = (const uint8_t *)"value",
		 .len = 5},
		{.op = STORE_OP_DELETE, .kind = STORE_TICKET, .key = "k2", .expected = STORE_ANY},
	};
	struct rpc_request r = {.call = RPC_COMMIT, .wait_ms = 5000, .op = ops, .count = 3};

	rpc_put_request(out, &r);
}

static void make_list_request(struct buf *out)
{
	struct rpc_request r = {.call = RPC_LIST,
				.kind = STORE_SOURCE,
				.url = "postgres://h/d",
				.key = "k",
				.prefix = "a/",
				.after = "a/b",
				.ref = "run:1",
				.from = 1,
				.limit = 2};

	rpc_put_request(out, &r);
}

static void make_error(struct buf *out)
{
	struct rpc_answer a = {.ok = false};

	err_set(&a.err, ERR_CONFLICT, "it has been changed");
	err_cure(&a.err, "read it again");
	rpc_put_answer(out, RPC_COMMIT, &a);
}

static void make_rows(struct buf *out)
{
	static const uint8_t hash[RECORD_HASH] = {1};
	struct store_row rows[] = {{1, hash, (const uint8_t *)"{}", 2},
				   {2, hash, (const uint8_t *)"{}", 2}};
	struct rpc_answer a = {.ok = true, .rows = rows, .count = 2, .has_more = true};

	rpc_put_answer(out, RPC_READ, &a);
}

static void make_items(struct buf *out)
{
	struct store_item items[] = {
		{.version = 1, .key = "a", .value = (const uint8_t *)"v", .len = 1}};
	struct rpc_answer a = {.ok = true, .items = items, .count = 1};

	rpc_put_answer(out, RPC_LIST, &a);
}

static void make_tip(struct buf *out)
{
	struct rpc_answer a = {.ok = true,
			       .tip = {.head_len = 40, .has_last = true, .last_seq = 6}};

	rpc_put_answer(out, RPC_TIP, &a);
}

static void make_heads(struct buf *out)
{
	static const char hash[] =
		"5f1c0a5f1c0a5f1c0a5f1c0a5f1c0a5f1c0a5f1c0a5f1c0a5f1c0a5f1c0a5f1c";

	buf_printf(out, "\n1 2 1763496000 %s\n2 3 1763496001 %s\n3 4 17634", hash, hash);
	buf_printf(out, "\n{\"heads\":[\"3 4 1763496002 %s\"]}", hash);
}

static void make_head(struct buf *out)
{
	struct head h = {.writes = 3, .checkpoint = 1, .tree.size = 5};
	uint8_t bytes[HEAD_MAX];

	buf_add(out, bytes, head_encode(&h, bytes));
}

static void make_text(struct buf *out)
{
	buf_str(out, "curl -H 'Authorization: Bearer 0123456789abcdef' https://u:p@h/ --password x "
		     "token=\"abc\" {\\\"api_key\\\": \\\"k\\\"} AKIA0123456789ABCDEF "
		     "eyJhbGciOiJIUzI1NiJ9."
		     "eyJzdWIiOiIxIn0.c2lnbmF0dXJl -----BEGIN PRIVATE KEY-----\nMII\n");
}

static void make_proof(struct buf *out)
{
	buf_str(out, "c2sp.org/tlog-proof@v1\nextra e30=\nindex 1\n"
		     "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n\n");
	make_note(out);
}

static void put_frame(struct buf *out, char kind, const void *data, size_t len)
{
	const uint8_t head[] = {(uint8_t)kind, 0, 0, (uint8_t)(len >> 8), (uint8_t)len};

	buf_add(out, head, sizeof(head));
	buf_add(out, data, len);
}

static void make_backup(struct buf *out)
{
	static const uint8_t first[24] = {[7] = 3, [15] = 1};
	AUTO_BUF struct buf row = {.most = RECORD_MAX}, item = {.most = RECORD_MAX};

	buf_str(out, "cordon-backup 1\n");
	put_frame(out, 'F', "checkpoints\0x", 13);
	put_frame(out, 'H', first, sizeof(first));
	buf_add(&row, (const uint8_t[8 + RECORD_HASH]){0}, 8 + RECORD_HASH);
	make_record(&row);
	put_frame(out, 'R', row.data, row.len);
	buf_add(&item, "head\0log\0\0\0\0\0\0\0\0\1", 17);
	make_head(&item);
	put_frame(out, 'I', item.data, item.len);
	put_frame(out, 'E', (const uint8_t[32]){0}, 32);
}

/* A frame without bytes, which have no address either. */
static void make_empty_frames(struct buf *out)
{
	buf_str(out, "cordon-backup 1\n");
	put_frame(out, 'F', "", 0);
	put_frame(out, 'E', "", 0);
}

static void make_archive(struct buf *out)
{
	AUTO_BUF struct buf row = {.most = RECORD_MAX};

	buf_str(out, "cordon-archive 1\n");
	put_frame(out, 'H', "cordon-log/00", 13);
	buf_add(&row, (const uint8_t[8 + RECORD_HASH]){0}, 8 + RECORD_HASH);
	make_record(&row);
	put_frame(out, 'R', row.data, row.len);
	put_frame(out, 'E', (const uint8_t[32]){0}, 32);
}

static const struct {
	uint8_t as;
	void (*make)(struct buf *out);
} rows[] = {{0, make_record},	    {1, make_note},	    {2, make_file},    {3, make_request},
	    {3, make_list_request}, {4, make_error},	    {4, make_rows},    {4, make_items},
	    {4, make_tip},	    {5, make_head},	    {6, make_text},    {7, make_proof},
	    {8, make_backup},	    {8, make_empty_frames}, {8, make_archive}, {9, make_heads}};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	struct buf out = {.most = RPC_MAX};

	if (i >= ARRAY_SIZE(rows))
		return NULL;
	buf_add(&out, &rows[i].as, 1);
	rows[i].make(&out);
	*ret_len = out.len;
	return out.data;
}
