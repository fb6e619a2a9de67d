/* SPDX-License-Identifier: MIT
 *
 * Appends under the backend's lock: no other process can write while numbers, times and hashes are
 * made, so their order is the order of the log. Before each append the head is compared with the
 * last record. An inconsistent log gets no more records, so nothing runs.
 */
#include "store/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "store/chain_heads.h"
#include "store/note.h"
#include "store/redact.h"

/* A transaction with its records chained, its checkpoint and its head. */
struct batch {
	struct arena *arena;
	const struct key *key; /* signs the checkpoint */
	struct head head;
	struct store_op *op;
	size_t count;
	char note[NOTE_MAX];
	size_t note_len; /* 0: the batch has no checkpoint */
	uint8_t head_bytes[HEAD_MAX];
};

static uint64_t micros(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int seal(const struct store *s, const void *text, size_t len, struct buf *out,
		struct err *err)
{
	uint8_t key[KEY_SEED] = {0};

	_Static_assert((int)REDACT_KEY == (int)KEY_SEED, "one file of a key holds it");
	if (!redact_is_open(text, len)) {
		buf_add(out, text, len);
	} else {
		if (key_load_seed(s->dir, CHAIN_HASH_KEY, true, key, err) < 0)
			return -1;
		redact_seal(out, text, len, key);
		sodium_memzero(key, sizeof(key));
	}
	return out->failed ? err_memory(err) : 0;
}

int store_redact(const struct store *s, const char *text, size_t len, struct buf *out,
		 struct err *err)
{
	AUTO_BUF struct buf open = {.most = REDACT_OUT_MAX};

	redact(&open, text, len);
	return open.failed ? err_memory(err) : seal(s, open.data, open.len, out, err);
}

static int chain_record(const struct store *s, struct batch *b, struct store_op *op,
			struct err *err)
{
	AUTO_BUF struct buf refs = {.most = RECORD_MAX}, out = {.most = RECORD_MAX};
	AUTO_BUF struct buf body = {.most = RECORD_MAX};
	struct head *h = &b->head;
	uint8_t leaf[MERKLE_HASH];

	if (record_write_refs(op->ref, op->refc, &refs, err) < 0 ||
	    seal(s, op->data, op->len, &body, err) < 0)
		return -1;
	struct record r = {.seq = h->tree.size,
			   .time = micros(CLOCK_REALTIME),
			   .mono = micros(CLOCK_BOOTTIME),
			   .kind = op->record,
			   .body = {body.data, body.len},
			   .refs = {refs.data, refs.len}};
	memcpy(r.boot, s->boot, sizeof(r.boot));
	memcpy(r.prev, h->last, RECORD_HASH);
	if (record_encode(&r, &out, err) < 0)
		return -1;
	uint8_t *copy = arena_alloc(b->arena, out.len);
	if (b->arena->failed)
		return err_memory(err);
	memcpy(copy, out.data, out.len);
	op->seq = r.seq;
	op->data = copy;
	op->len = out.len;
	record_hash(copy, out.len, op->hash);
	memcpy(h->last, op->hash, RECORD_HASH);
	merkle_leaf(copy, out.len, leaf);
	merkle_add(&h->tree, leaf);
	return 0;
}

/* Signs the tree as it is and appends the note as the next record. The note is our own text, so it
 * is not redacted. */
static int add_checkpoint(const struct store *s, struct batch *b, struct err *err)
{
	AUTO_BUF struct buf body = {.most = 2UL * NOTE_MAX};
	struct note note = {.size = b->head.tree.size};

	note_origin(b->head.log_id, note.origin);
	merkle_root(&b->head.tree, note.root);
	b->note_len = note_sign(&note, b->key, b->note);
	buf_str(&body, "{\"note\":");
	jcs_write_string(&body, b->note, b->note_len);
	buf_str(&body, "}");
	b->head.checkpoint = note.size;
	struct store_op *op = &b->op[b->count++];
	*op = (struct store_op){.op = STORE_OP_APPEND,
				.record = RECORD_CHECKPOINT,
				.data = body.data,
				.len = body.len};
	return body.failed ? err_memory(err) : chain_record(s, b, op, err);
}

static void add_head(struct batch *b)
{
	struct store_op *op = &b->op[b->count++];

	*op = (struct store_op){.op = STORE_OP_PUT,
				.kind = STORE_HEAD,
				.key = HEAD_KEY,
				.expected = STORE_ANY,
				.version = b->head.writes,
				.data = b->head_bytes,
				.len = head_encode(&b->head, b->head_bytes)};
}

/* Works on copies of the transaction's steps: the caller may commit it again after a failure. */
static int make_batch(const struct store *s, const struct store_tx *tx, bool sign, struct batch *b,
		      struct err *err)
{
	b->op = arena_alloc(b->arena, (tx->count + 2) * sizeof(*b->op));
	if (b->arena->failed)
		return err_memory(err);
	if (tx->count)
		memcpy(b->op, tx->op, tx->count * sizeof(*b->op));
	b->count = tx->count;
	b->head.writes++;
	b->head.heads = 0;
	if (s->heads >= 0 && heads_length(s->heads, &b->head.heads, err) < 0)
		return -1;
	for (size_t i = 0; i < tx->count; i++) {
		if (b->op[i].op != STORE_OP_FORMAT)
			b->op[i].version = b->head.writes;
		if (b->op[i].op == STORE_OP_APPEND && chain_record(s, b, &b->op[i], err) < 0)
			return -1;
	}
	if (sign || b->head.tree.size - b->head.checkpoint >= STORE_CHECKPOINT_EVERY)
		if (add_checkpoint(s, b, err) < 0)
			return -1;
	add_head(b);
	return 0;
}

/* A new file is synced once, because a log without the file is refused. */
static int add_to_heads(struct store *s, const struct head *h, struct err *err)
{
	bool is_new = s->heads < 0 || h->writes <= 1;

	if (s->heads < 0)
		s->heads = heads_open(s->dir, HEADS_MAKE, err);
	if (s->heads < 0 || heads_add(s->heads, h, err) < 0)
		return -1;
	return is_new ? heads_settle(s->dir, s->heads, err) : 0;
}

/* Writes the file after the commit. In the other order, a crash between the two would look like an
 * old copy of the database. After a crash the database is ahead, and the next open adds the missing
 * line. */
static int write_batch(struct store *s, struct batch *b, struct err *err)
{
	struct err lost;

	if (s->backend->commit(s->self, b->op, b->count, err) < 0)
		return -1;
	/* A missing line is no error: the transaction is committed, and the next open adds the
	 * line. But an accepted loss counts only with its line. */
	int added = add_to_heads(s, &b->head, s->accepts ? err : &lost);
	return s->accepts ? added : 0;
}

int chain_take_next_key(int dir, const uint8_t public[KEY_PUBLIC], struct key *ret, struct err *err)
{
	AUTO_KEY struct key next = {0};
	struct err none;

	if (key_load(dir, CHAIN_NEXT_KEY, false, &next, &none) < 0 ||
	    memcmp(next.public, public, KEY_PUBLIC) != 0)
		return 1;
	if (renameat(dir, CHAIN_NEXT_KEY, dir, CHAIN_KEY) < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "renaming the log's new key");
	if (fsync(dir) < 0)
		return err_errno(err, ERR_SYSTEM, "syncing the state directory");
	*ret = next;
	return 0;
}

static int load_key(struct store *s, const struct head *h, struct err *err)
{
	if (key_load(s->dir, CHAIN_KEY, false, &s->key, err) < 0)
		return -1;
	if (memcmp(s->key.public, h->public, KEY_PUBLIC) == 0)
		return 0;
	int r = chain_take_next_key(s->dir, h->public, &s->key, err);
	/* Another process may just have renamed it. */
	if (r == 1 && key_load(s->dir, CHAIN_KEY, false, &s->key, err) < 0)
		return -1;
	if (r < 0 || memcmp(s->key.public, h->public, KEY_PUBLIC) == 0)
		return r < 0 ? -1 : 0;
	err_set(err, ERR_REFUSED, "the key in the state directory is not the key of this log");
	err_cure(err, "put the newest " CHAIN_KEY " back");
	return -1;
}

/* Without a lock: another process may have changed the key since HEAD was read. Then HEAD is read again. */
static int load_newest_key(struct store *s, struct head *head, struct err *err)
{
	uint8_t before[KEY_PUBLIC];
	struct err why;

	do {
		memcpy(before, head->public, sizeof(before));
		if (load_key(s, head, &why) == 0)
			return 0;
		if (store_head(s, head, err) < 0)
			return -1;
	} while (memcmp(before, head->public, sizeof(before)) != 0);
	*err = why;
	return -1;
}

/* The key that signs: NEXT, or the log's key, which another process may have changed since S was
 * opened. */
static int choose_key(struct store *s, const struct key *next, struct batch *b, struct err *err)
{
	bool is_ours = memcmp(s->key.public, b->head.public, KEY_PUBLIC) == 0;

	b->key = next ? next : &s->key;
	if (!next)
		return is_ours ? 0 : load_key(s, &b->head, err);
	if (!is_ours)
		return err_set(err, ERR_CONFLICT, "another process has changed the log's key");
	memcpy(b->head.public, next->public, KEY_PUBLIC);
	return 0;
}

static void see(struct store *s, const struct head *h)
{
	s->seen = (struct heads_line){.writes = h->writes, .size = h->tree.size};
	memcpy(s->seen.last, h->last, RECORD_HASH);
}

/* The database may be replaced by an old copy while it is open. */
static int check_seen(const struct store *s, const struct head *h, struct err *err)
{
	if (h->writes > s->seen.writes ||
	    (h->writes == s->seen.writes && chain_line_is_head(&s->seen, h)))
		return 0;
	err_set(err, ERR_REFUSED, "the log has lost records");
	err_cause(err, "it has %llu records; it had %llu when this process last wrote or opened it",
		  (unsigned long long)h->tree.size, (unsigned long long)s->seen.size);
	err_cure(err, "it was truncated, or replaced by an old copy; run cordon audit verify");
	return -1;
}

/* AFTER: the transaction's number is to be higher than this. */
static int commit(struct store *s, struct store_tx *tx, bool sign, const struct key *next,
		  uint64_t after, struct err *err)
{
	struct arena arena = {0};
	struct batch b = {.arena = &arena};
	struct store_tip tip = {0};
	uint64_t first = 0;
	int r = -1;

	if (s->read_only)
		return err_set(err, ERR_USAGE, "the store was opened for reading only");
	if (s->backend->lock(s->self, &tip, err) < 0)
		return -1;
	if (head_from_tip(&tip, &b.head, err) == 0 && check_seen(s, &b.head, err) == 0 &&
	    choose_key(s, next, &b, err) == 0) {
		first = b.head.tree.size;
		b.head.writes = b.head.writes < after ? after : b.head.writes;
		r = make_batch(s, tx, sign, &b, err);
	}
	if (r < 0)
		s->backend->unlock(s->self);
	else
		r = write_batch(s, &b, err);
	for (size_t i = 0; r == 0 && i < tx->count; i++) {
		tx->op[i].seq = b.op[i].seq;
		memcpy(tx->op[i].hash, b.op[i].hash, RECORD_HASH);
	}
	if (r == 0) {
		tx->first_seq = first;
		tx->version = b.head.writes;
		see(s, &b.head);
	}
	arena_done(&arena);
	return r;
}

int store_commit(struct store *s, struct store_tx *tx, struct err *err)
{
	if (memory_is_out()) /* what the caller read or decided may be incomplete */
		return err_memory(err);
	if (tx->failed.code) {
		*err = tx->failed;
		return -1;
	}
	if (tx->count == 0)
		return err_set(err, ERR_USAGE, "the transaction is empty");
	return commit(s, tx, false, NULL, 0, err);
}

int chain_change_key(struct store *s, struct store_tx *tx, const struct key *next, struct err *err)
{
	return commit(s, tx, true, next, 0, err);
}

static int read_boot(struct store *s, struct err *err)
{
	char text[64];

	if (io_read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text, sizeof(text)) < 0)
		return err_errno(err, ERR_SYSTEM, "/proc/sys/kernel/random/boot_id");
	if (strlen(text) != RECORD_BOOT)
		return err_set(err, ERR_SYSTEM, "/proc/sys/kernel/random/boot_id: no boot id");
	memcpy(s->boot, text, sizeof(s->boot));
	return 0;
}

static int write_genesis(struct store *s, struct batch *b, struct err *err)
{
	AUTO_JCS struct jcs body = {0};
	AUTO_TX struct store_tx tx = {0};

	b->key = &s->key;
	randombytes_buf(b->head.log_id, HEAD_LOG_ID);
	memcpy(b->head.public, s->key.public, KEY_PUBLIC);
	jcs_init(&body, RECORD_BODY_MAX);
	jcs_int(&body, "format", CHAIN_FORMAT);
	jcs_hex(&body, "key", s->key.public, KEY_PUBLIC);
	jcs_hex(&body, "log", b->head.log_id, HEAD_LOG_ID);
	if (jcs_finish(&body, err) < 0)
		return -1;
	store_append(&tx, RECORD_GENESIS, NULL, 0, &body);
	if (tx.failed.code) {
		*err = tx.failed;
		return -1;
	}
	return make_batch(s, &tx, true, b, err);
}

/* Of two processes that begin at once, the second finds the log of the first. */
static int begin(struct store *s, struct err *err)
{
	struct arena arena = {0};
	struct batch b = {.arena = &arena};
	struct store_tip tip = {0};
	int r = -1;

	if (key_load(s->dir, CHAIN_KEY, true, &s->key, err) < 0 ||
	    s->backend->lock(s->self, &tip, err) < 0)
		return -1;
	if (tip.head_len || tip.has_last) {
		r = head_from_tip(&tip, &b.head, err);
		s->backend->unlock(s->self);
	} else {
		r = write_genesis(s, &b, err);
		if (r < 0)
			s->backend->unlock(s->self);
		else
			r = write_batch(s, &b, err);
	}
	arena_done(&arena);
	return r;
}

static int take_note(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	if (r.kind != RECORD_CHECKPOINT || !jcs_text_at(r.body, "note", context, NOTE_MAX))
		return err_set(err, ERR_INPUT, "record %llu is no checkpoint",
			       (unsigned long long)row->seq);
	return 1;
}

int chain_open(struct store *s, struct err *err)
{
	struct heads_line newest = {0};
	struct store_tip tip = {0};
	struct head head = {0};
	uint64_t from = 0;

	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "the system has no random numbers");
	/* A damaged log can still be opened for reading. */
	if (s->read_only)
		return 0;
	/* The file is read before the head: other processes write the head first. */
	int none = chain_read_heads(s, &newest, &from, err);
	if (none < 0 || read_boot(s, err) < 0 || s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	bool is_empty = !tip.head_len && !tip.has_last;
	/* Nothing is written before the person has agreed: see chain_accept. */
	if (is_empty && s->accepts)
		return 0;
	if (is_empty && !none)
		return heads_no_log(s->dir, err);
	/* This process or another one may just have begun the log and its file. */
	if ((is_empty && begin(s, err) < 0) ||
	    (none && (none = chain_read_heads(s, &newest, &from, err)) < 0))
		return -1;
	if (store_head(s, &head, err) < 0)
		return -1;
	/* The process that began the log may have made the file and written since. */
	if (none && head.writes > 1 &&
	    ((none = chain_read_heads(s, &newest, &from, err)) < 0 ||
	     store_head(s, &head, err) < 0))
		return -1;
	if (load_newest_key(s, &head, err) < 0)
		return -1;
	see(s, &head);
	if (s->accepts)
		return 0;
	if (chain_check_heads(s, none ? NULL : &newest, from, &head, err) < 0)
		return -1;
	return none || newest.writes < head.writes ? add_to_heads(s, &head, err) : 0;
}

int chain_accept(struct store *s, struct store_tx *tx, uint64_t lost, struct err *err)
{
	struct store_tip tip = {0};
	struct head head = {0};

	if (!s->accepts)
		return err_set(err, ERR_USAGE, "the store was not opened to accept a loss");
	if (s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	if (!tip.head_len && !tip.has_last) {
		if (begin(s, err) < 0 || store_head(s, &head, err) < 0 ||
		    load_key(s, &head, err) < 0)
			return -1;
		see(s, &head);
	}
	return commit(s, tx, true, NULL, lost, err);
}

/* In a directory without a log and without heads, the first line is the backup's. It is written
 * before the commit: after a crash between the two the same backup can be restored again, but no
 * older one. */
static int begin_heads(struct store *s, const struct head *head, struct err *err)
{
	struct heads_line newest;
	uint64_t from;
	int none = chain_read_heads(s, &newest, &from, err);

	return none <= 0			? none
	       : add_to_heads(s, head, err) < 0 ? -1
						: heads_settle(s->dir, s->heads, err);
}

int chain_restore(struct store *s, const struct head *head, bool is_first, struct store_tx *tx,
		  struct err *err)
{
	struct arena arena = {0};
	struct batch b = {.arena = &arena, .key = &s->key, .head = *head};
	int r = read_boot(s, err);

	if (r == 0)
		r = load_key(s, head, err);
	if (r == 0 && is_first)
		r = begin_heads(s, head, err);
	if (r == 0)
		r = make_batch(s, tx, true, &b, err);
	if (r < 0)
		s->backend->unlock(s->self);
	else
		r = s->backend->commit(s->self, b.op, b.count, err);
	/* No line is added here: the existing file must show that the restored log is older. */
	arena_done(&arena);
	return r;
}

int store_checkpoint(struct store *s, char *text, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct head head = {0};

	if (store_head(s, &head, err) < 0)
		return -1;
	if (head.tree.size > head.checkpoint + 1 &&
	    (commit(s, &tx, true, NULL, 0, err) < 0 || store_head(s, &head, err) < 0))
		return -1;
	int r = store_read(s, head.checkpoint, 1, take_note, text, err);
	return r == 1 ? 0 : r == 0 ? err_set(err, ERR_INPUT, "there is no checkpoint") : -1;
}
