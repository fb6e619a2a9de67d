/* SPDX-License-Identifier: MIT
 *
 * The contract over a backend, without what changes the log: a transaction as a list, and reading.
 * It checks bounds. Records are chained and signed in chain.c when the transaction is committed.
 */
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "store/chain.h"
#include "store/note.h"

enum { OPS_FIRST = 64 }; /* a transaction's initial room */

/* Keeps the first failure. */
static void fail(struct store_tx *tx, enum err_code code, const char *what)
{
	if (!tx->failed.code)
		err_set(&tx->failed, code, "%s", what);
}

static void grow(struct store_tx *tx)
{
	if (tx->count < tx->room)
		return;
	size_t room = tx->room ? 2 * tx->room : OPS_FIRST;
	struct store_op *op = arena_alloc(&tx->arena, room * sizeof(*op));
	if (tx->arena.failed)
		return;
	if (tx->count)
		memcpy(op, tx->op, tx->count * sizeof(*op));
	tx->op = op;
	tx->room = room;
}

static struct store_op *add_op(struct store_tx *tx, enum store_op_kind kind, const void *data,
			       size_t len)
{
	if (tx->failed.code)
		return NULL;
	if (tx->count == STORE_OPS_MAX || len > STORE_BYTES_MAX - tx->bytes) {
		fail(tx, ERR_LIMIT, "a transaction is too large");
		return NULL;
	}
	grow(tx);
	uint8_t *copy = arena_alloc(&tx->arena, len + 1);
	if (tx->arena.failed) {
		fail(tx, ERR_SYSTEM, "out of memory");
		return NULL;
	}
	if (len)
		memcpy(copy, data, len);
	tx->bytes += len;
	struct store_op *op = &tx->op[tx->count++];
	*op = (struct store_op){.op = kind, .data = copy, .len = len};
	return op;
}

static const char *const *copy_refs(struct store_tx *tx, const char *const *refs, size_t refc)
{
	const char **copy = arena_alloc(&tx->arena, (refc + 1) * sizeof(*copy));

	for (size_t i = 0; !tx->arena.failed && i < refc; i++)
		copy[i] = arena_dup(&tx->arena, refs[i]);
	return copy;
}

void store_append(struct store_tx *tx, enum record_kind kind, const char *const *refs, size_t refc,
		  const struct jcs *body)
{
	if (tx->records == STORE_RECORDS_MAX) {
		fail(tx, ERR_LIMIT, "a transaction has too many records");
		return;
	}
	if (refc > RECORD_REFS_MAX || body->out.len > RECORD_BODY_MAX) {
		fail(tx, ERR_LIMIT, "a record is too large");
		return;
	}
	if (body->failed || body->out.failed ||
	    jcs_value(body->out.data, body->out.len) != body->out.len) {
		fail(tx, ERR_INPUT, "a record's body is not complete JSON");
		return;
	}
	for (size_t i = 0; i < refc; i++)
		if (!record_ref_is_good(refs[i]))
			fail(tx, ERR_INPUT, "invalid name of a record");
	struct store_op *op = add_op(tx, STORE_OP_APPEND, body->out.data, body->out.len);
	if (!op)
		return;
	op->record = kind;
	op->ref = copy_refs(tx, refs, refc);
	op->refc = refc;
	tx->records++;
	if (tx->arena.failed)
		fail(tx, ERR_SYSTEM, "out of memory");
}

void store_strip(struct store_tx *tx, uint64_t seq, const uint8_t *stub, const char *const *refs,
		 size_t refc)
{
	struct store_op *op = add_op(tx, STORE_OP_STRIP, stub, RECORD_STUB);

	if (!op)
		return;
	op->seq = seq;
	op->ref = copy_refs(tx, refs, refc);
	op->refc = refc;
	if (tx->arena.failed)
		fail(tx, ERR_SYSTEM, "out of memory");
}

/* Printable ASCII: the same order and the same bytes in every database. */
static bool is_key(const char *key)
{
	size_t len = strnlen(key, STORE_KEY_MAX + 1);

	for (size_t i = 0; i < len; i++)
		if (key[i] <= ' ' || key[i] > '~')
			return false;
	return len > 0 && len <= STORE_KEY_MAX;
}

static void change(struct store_tx *tx, struct store_op op)
{
	if (!is_key(op.key) || op.kind >= STORE_KINDS || op.kind == STORE_HEAD) {
		fail(tx, ERR_INPUT, "invalid key of an item");
		return;
	}
	struct store_op *added = add_op(tx, op.op, op.data, op.len);
	if (!added)
		return;
	added->kind = op.kind;
	added->expected = op.expected;
	added->version = op.version;
	added->key = arena_dup(&tx->arena, op.key);
	if (tx->arena.failed)
		fail(tx, ERR_SYSTEM, "out of memory");
}

void store_put(struct store_tx *tx, enum store_kind kind, const char *key, const void *value,
	       size_t len, uint64_t expected)
{
	if (len > STORE_VALUE_MAX) {
		fail(tx, ERR_LIMIT, "an item is too large");
		return;
	}
	change(tx, (struct store_op){.op = STORE_OP_PUT,
				     .kind = kind,
				     .key = key,
				     .data = value,
				     .len = len,
				     .expected = expected});
}

void store_delete(struct store_tx *tx, enum store_kind kind, const char *key, uint64_t expected)
{
	if (expected == STORE_NEW)
		fail(tx, ERR_USAGE, "an item to be deleted must be expected to exist");
	change(tx, (struct store_op){
			   .op = STORE_OP_DELETE, .kind = kind, .key = key, .expected = expected});
}

void store_clear(struct store_tx *tx, enum store_kind kind)
{
	change(tx, (struct store_op){.op = STORE_OP_CLEAR, .kind = kind, .key = "all"});
}

void store_format(struct store_tx *tx, uint64_t from, uint64_t to)
{
	change(tx, (struct store_op){.op = STORE_OP_FORMAT,
				     .kind = STORE_SETTING,
				     .key = "format",
				     .expected = from,
				     .version = to});
}

void store_expect(struct store_tx *tx, enum store_kind kind, const char *key, uint64_t expected)
{
	if (expected == STORE_NEW || expected == STORE_ANY)
		fail(tx, ERR_USAGE, "an expected item must have a version");
	change(tx, (struct store_op){
			   .op = STORE_OP_EXPECT, .kind = kind, .key = key, .expected = expected});
}

bool store_tx_record(const struct store_tx *tx, enum record_kind kind, uint64_t *ret_seq,
		     uint8_t ret_hash[RECORD_HASH])
{
	for (size_t i = tx->count; i > 0 && tx->version; i--) {
		const struct store_op *op = &tx->op[i - 1];
		if (op->op != STORE_OP_APPEND || op->record != kind)
			continue;
		*ret_seq = op->seq;
		memcpy(ret_hash, op->hash, RECORD_HASH);
		return true;
	}
	return false;
}

void store_tx_done(struct store_tx *tx)
{
	arena_done(&tx->arena);
	*tx = (struct store_tx){0};
}

int store_get(struct store *s, enum store_kind kind, const char *key, struct store_item *ret,
	      struct err *err)
{
	struct store_item item = {0};

	if (!is_key(key))
		return err_set(err, ERR_INPUT, "invalid key of an item");
	if (s->backend->get(s->self, kind, key, &item, err) < 0)
		return -1;
	memcpy(item.key, key, strlen(key) + 1);
	*ret = item;
	return 0;
}

void store_item_done(struct store_item *item)
{
	free((void *)item->value);
	*item = (struct store_item){0};
}

int store_list(struct store *s, enum store_kind kind, const struct store_range *range,
	       store_item_fn *fn, void *context, struct err *err)
{
	struct store_range r = *range;

	r.prefix = r.prefix ? r.prefix : "";
	r.after = r.after ? r.after : "";
	if ((r.prefix[0] && !is_key(r.prefix)) || (r.after[0] && !is_key(r.after)))
		return err_set(err, ERR_INPUT, "invalid key of an item");
	return s->backend->list(s->self, kind, &r, fn, context, err);
}

int store_read(struct store *s, uint64_t from, uint64_t limit, store_row_fn *fn, void *context,
	       struct err *err)
{
	if (from > (uint64_t)JCS_NUMBER_MAX)
		return 0;
	return s->backend->read(s->self, from, limit, fn, context, err);
}

int store_find(struct store *s, const char *ref, uint64_t from, uint64_t limit, store_row_fn *fn,
	       void *context, struct err *err)
{
	if (!record_ref_is_good(ref))
		return err_set(err, ERR_INPUT, "invalid name of a record");
	if (from > (uint64_t)JCS_NUMBER_MAX)
		return 0;
	return s->backend->find(s->self, ref, from, limit, fn, context, err);
}

int store_head(const struct store *s, struct head *ret, struct err *err)
{
	struct store_tip tip = {0};

	return s->backend->tip(s->self, &tip, err) < 0 ? -1 : head_from_tip(&tip, ret, err);
}

int store_size(struct store *s, uint64_t *ret, struct err *err)
{
	struct head head = {0};

	if (store_head(s, &head, err) < 0)
		return -1;
	*ret = head.tree.size;
	return 0;
}

int store_vkey(struct store *s, char *ret, struct err *err)
{
	char origin[NOTE_ORIGIN_MAX + 1];
	struct head head = {0};

	if (store_head(s, &head, err) < 0)
		return -1;
	note_origin(head.log_id, origin);
	note_vkey(origin, head.public, ret);
	return 0;
}
