/* SPDX-License-Identifier: MIT
 *
 * Appends under the backend's lock: numbers, times and hashes are made when nobody else can write,
 * so their order is the order of the log. Before a byte is added the head is held against the last
 * record; a log that does not fit together gets nothing more, and nothing runs.
 */
#include "store/chain.h"

#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "base/scope.h"
#include "store/checkpoint.h"
#include "store/note.h"
#include "store/rotate.h"

enum { BEGINNING = 2 }; /* records of a new log: its first, and a checkpoint */

/* What one transaction becomes. */
struct batch {
	struct arena *arena;
	const struct key *key; /* that signs */
	struct head head;
	struct store_op *op;
	size_t count;
	char note[NOTE_MAX];
	size_t note_len; /* 0: it has no checkpoint */
	uint8_t head_bytes[HEAD_MAX];
};

/* Its making may have been stopped half way: then nothing was ever recorded, and nothing is wrong. A
 * checkpoint is written after the first record, so whoever has one had a log. */
int chain_none(int dir, struct err *err)
{
	struct note kept = {0};
	int has_kept = checkpoint_last(dir, &kept, err);

	if (has_kept < 0)
		return -1;
	if (has_kept == 0)
		return err_set(err, ERR_REFUSED,
			       "the log is gone, and " CHECKPOINT_FILE " knows %llu records of it",
			       (unsigned long long)kept.size);
	err_set(err, ERR_INPUT, "no log has been begun here");
	err_cure(err, "nothing was recorded yet, or it is elsewhere: --state DIR");
	return -1;
}

int chain_head(const struct store_tip *tip, struct head *ret, struct err *err)
{
	if (tip->head_len == 0)
		return err_set(err, ERR_INPUT,
			       tip->has_last ? "the log has records but no head"
					     : "there is no log");
	if (head_decode(tip->head, tip->head_len, ret, err) < 0)
		return -1;
	if (tip->has_last && tip->last_seq == ret->tree.size - 1 &&
	    memcmp(tip->last_hash, ret->last, RECORD_HASH) == 0)
		return 0;
	err_set(err, ERR_INPUT, "the log does not fit together: its last record is not number %llu",
		(unsigned long long)ret->tree.size - 1);
	err_cure(err, "keep a copy of it; cordon audit verify says what is wrong");
	return -1;
}

static uint64_t micros(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int chain_record(const struct store *s, struct batch *b, struct store_op *op,
			struct err *err)
{
	AUTO_BUF struct buf refs = {.most = RECORD_MAX}, out = {.most = RECORD_MAX};
	struct head *h = &b->head;
	uint8_t leaf[MERKLE_HASH];

	if (record_write_refs(op->ref, op->refc, &refs, err) < 0)
		return -1;
	struct record r = {.seq = h->tree.size,
			   .time = micros(CLOCK_REALTIME),
			   .mono = micros(CLOCK_BOOTTIME),
			   .kind = op->record,
			   .body = {op->data, op->len},
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

/* Signs the tree as it is and puts the note into the log as its next record. Base64 is no text of
 * anybody's: it is written as it is. */
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

/* The transaction's own steps stay as they are until it is committed: that may be tried again. */
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
	for (size_t i = 0; i < tx->count; i++) {
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

/* The file comes after the commit: before it, a crash between the two would look like a cut. What is
 * committed is committed, and whoever opens the log next adds the note; but where the caller asked for it
 * (NEEDS_NOTE), an old copy could bring back what was just used up, and nothing may follow from that. */
static int write_batch(struct store *s, struct batch *b, bool needs_note, struct err *err)
{
	struct err unwritten;

	if (s->backend->commit(s->self, b->op, b->count, err) < 0)
		return -1;
	if (!b->note_len || checkpoint_add(s->dir, b->note, b->note_len, &unwritten) == 0)
		return 0;
	if (needs_note)
		*err = unwritten;
	return needs_note ? -1 : 0;
}

static int load_key(struct store *s, const struct head *h, struct err *err);

/* Which key signs: the log's own, which may have been changed since S was opened, or the next. */
static int choose_key(struct store *s, const struct key *next, struct batch *b, struct err *err)
{
	bool is_ours = memcmp(s->key.public, b->head.public, KEY_PUBLIC) == 0;

	b->key = next ? next : &s->key;
	if (!next)
		return is_ours ? 0 : load_key(s, &b->head, err);
	if (!is_ours)
		return err_set(err, ERR_CONFLICT, "somebody else has changed the log's key");
	memcpy(b->head.public, next->public, KEY_PUBLIC);
	return 0;
}

/* An old copy may come while we have it open. */
static int check_seen(const struct store *s, const struct head *h, struct err *err)
{
	if (h->tree.size >= s->seen)
		return 0;
	err_set(err, ERR_REFUSED, "the log is shorter than it was");
	err_cause(err, "it has %llu records, and had %llu when we last wrote or opened it",
		  (unsigned long long)h->tree.size, (unsigned long long)s->seen);
	err_cure(err, "it was cut, or an old copy was put in its place: cordon audit verify");
	return -1;
}

static int commit(struct store *s, struct store_tx *tx, bool sign, const struct key *next,
		  struct err *err)
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
	if (chain_head(&tip, &b.head, err) == 0 && check_seen(s, &b.head, err) == 0 &&
	    choose_key(s, next, &b, err) == 0) {
		first = b.head.tree.size;
		r = make_batch(s, tx, sign, &b, err);
	}
	if (r < 0)
		s->backend->unlock(s->self);
	else
		r = write_batch(s, &b, sign, err);
	for (size_t i = 0; r == 0 && i < tx->count; i++) {
		tx->op[i].seq = b.op[i].seq;
		memcpy(tx->op[i].hash, b.op[i].hash, RECORD_HASH);
	}
	if (r == 0) {
		tx->first_seq = first;
		tx->version = b.head.writes;
		s->seen = b.head.tree.size;
	}
	arena_done(&arena);
	return r;
}

int chain_commit(struct store *s, struct store_tx *tx, bool sign, struct err *err)
{
	return commit(s, tx, sign, NULL, err);
}

int chain_change_key(struct store *s, struct store_tx *tx, const struct key *next, struct err *err)
{
	return commit(s, tx, true, next, err);
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

/* Whoever comes second finds the first one's log. */
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
		r = chain_head(&tip, &b.head, err);
		s->backend->unlock(s->self);
	} else {
		r = write_genesis(s, &b, err);
		if (r < 0)
			s->backend->unlock(s->self);
		else
			r = write_batch(s, &b, true, err);
	}
	arena_done(&arena);
	return r;
}

/* An old copy of the log in the place of the log is shorter than what was signed. */
static int check_kept(const struct note *kept, const struct head *h, struct err *err)
{
	char origin[NOTE_ORIGIN_MAX + 1];

	note_origin(h->log_id, origin);
	if (strcmp(origin, kept->origin) == 0 && kept->size <= h->tree.size)
		return 0;
	err_set(err, ERR_REFUSED, "the log is not the one that was signed");
	err_cause(err, "it has %llu records, and the newest checkpoint is of %llu in %s",
		  (unsigned long long)h->tree.size, (unsigned long long)kept->size, kept->origin);
	err_cure(err, "it was cut, or another was put in its place: cordon audit verify");
	return -1;
}

static int load_key(struct store *s, const struct head *h, struct err *err)
{
	if (key_load(s->dir, CHAIN_KEY, false, &s->key, err) < 0)
		return -1;
	if (memcmp(s->key.public, h->public, KEY_PUBLIC) == 0)
		return 0;
	int r = rotate_finish(s->dir, h->public, &s->key, err);
	/* Somebody else may just have done that. */
	if (r == 1 && key_load(s->dir, CHAIN_KEY, false, &s->key, err) < 0)
		return -1;
	if (r < 0 || memcmp(s->key.public, h->public, KEY_PUBLIC) == 0)
		return r < 0 ? -1 : 0;
	err_set(err, ERR_REFUSED, "the key in the state directory is not this log's");
	err_cure(err, "put the " CHAIN_KEY " back that was there last");
	return -1;
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

/* Whoever was killed between the commit and the file, or had no room for it, has left the newest
 * checkpoint in the log only, where it does not show that the log was cut. It is put into the file. */
static int keep_newest(struct store *s, const struct head *h, struct err *err)
{
	char text[NOTE_MAX];
	struct note note;

	if (store_read(s, h->checkpoint, 1, take_note, text, err) != 1)
		return err->code ? -1 : err_set(err, ERR_INPUT, "the newest checkpoint is gone");
	if (note_parse(text, strlen(text), &note, err) < 0)
		return -1;
	if (!note_is_signed(text, strlen(text), &note, s->key.public))
		return err_set(err, ERR_REFUSED, "the newest checkpoint is not signed by us");
	return checkpoint_add(s->dir, text, strlen(text), err);
}

/* Whoever has written more than the log's beginning had a checkpoint in the file before. Without it an old
 * copy in the log's place looks like the log, and what was used up once is there again. */
static int check_unkept(const struct store *s, const struct head *h, struct err *err)
{
	if (s->accepts_unkept || h->tree.size <= BEGINNING)
		return 0;
	err_set(err, ERR_REFUSED,
		"the file " CHECKPOINT_FILE " is gone, and the log has %llu records",
		(unsigned long long)h->tree.size);
	err_cause(err, "its end may have been cut off, or an old copy put in its place");
	err_cure(err,
		 "put the file back; or look at the log (cordon audit verify --checkpoint KEPT), "
		 "then: cordon audit accept");
	return -1;
}

int chain_open(struct store *s, struct err *err)
{
	struct store_tip tip = {0};
	struct note kept = {0};
	struct head head = {0};

	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "there are no random numbers");
	/* A reader looks at logs that are broken, too. */
	if (s->read_only)
		return 0;
	/* Before the head: others write both meanwhile, the head first. */
	int has_kept = checkpoint_last(s->dir, &kept, err);
	if (has_kept < 0 || read_boot(s, err) < 0 || s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	if (!tip.head_len && !tip.has_last && has_kept == 0)
		return chain_none(s->dir, err);
	if (!tip.head_len && !tip.has_last &&
	    (begin(s, err) < 0 || s->backend->tip(s->self, &tip, err) < 0))
		return -1;
	if (chain_head(&tip, &head, err) < 0 || load_key(s, &head, err) < 0)
		return -1;
	s->seen = head.tree.size;
	if (has_kept == 0 && check_kept(&kept, &head, err) < 0)
		return -1;
	/* Looked at again only if it seems to be missing: others may have added it meanwhile. */
	if ((has_kept == 0 && kept.size >= head.checkpoint) ||
	    ((has_kept = checkpoint_last(s->dir, &kept, err)) == 0 && kept.size >= head.checkpoint))
		return 0;
	if (has_kept < 0 || (has_kept == 1 && check_unkept(s, &head, err) < 0))
		return -1;
	*err = (struct err){0};
	return keep_newest(s, &head, err);
}

int store_size(struct store *s, uint64_t *ret, struct err *err)
{
	struct store_tip tip = {0};
	struct head head = {0};

	if (s->backend->tip(s->self, &tip, err) < 0 || chain_head(&tip, &head, err) < 0)
		return -1;
	*ret = head.tree.size;
	return 0;
}

int store_checkpoint(struct store *s, char *text, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct store_tip tip = {0};
	struct head head = {0};

	if (s->backend->tip(s->self, &tip, err) < 0 || chain_head(&tip, &head, err) < 0)
		return -1;
	if (head.tree.size > head.checkpoint + 1) {
		if (chain_commit(s, &tx, true, err) < 0 ||
		    s->backend->tip(s->self, &tip, err) < 0 || chain_head(&tip, &head, err) < 0)
			return -1;
	}
	int r = store_read(s, head.checkpoint, 1, take_note, text, err);
	return r == 1 ? 0 : r == 0 ? err_set(err, ERR_INPUT, "there is no checkpoint") : -1;
}

int store_vkey(struct store *s, char *ret, struct err *err)
{
	char origin[NOTE_ORIGIN_MAX + 1];
	struct store_tip tip = {0};
	struct head head = {0};

	if (s->backend->tip(s->self, &tip, err) < 0 || chain_head(&tip, &head, err) < 0)
		return -1;
	note_origin(head.log_id, origin);
	note_vkey(origin, head.public, ret);
	return 0;
}
