/* SPDX-License-Identifier: MIT
 *
 * A backup is written in one pass over a snapshot. A backup that is read is untrusted: it is
 * checked whole before it is restored, and the second reading must give the same checksum. A file
 * is written only under a name in the table below.
 */
#include "store/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "store/backend.h"
#include "store/chain.h"

/* The files of the state directory that go into a backup. */
static const struct {
	const char *name;
	bool is_key;
} files[] = {
	{CHAIN_KEY, true},
	{CHAIN_NEXT_KEY, true},
	{CHAIN_HASH_KEY, true},
	{"cache.key", true},
};

struct out {
	struct store *s;
	bool keys;
	struct frames_out frames;
	struct backup_info info;
};

/* A missing file is left out. */
static int put_file(struct out *o, int dir, const char *name, struct err *err)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, ERR_SYSTEM, "%s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > FRAMES_MAX)
		return err_set(err, ERR_LIMIT,
			       "%s is not a regular file, or too large for a backup", name);
	struct buf *b = frames_begin(&o->frames);
	buf_add(b, name, strlen(name) + 1);
	AUTO_FREE char *data = malloc((size_t)st.st_size + 1);
	ssize_t n = data ? io_read_full(fd, data, (size_t)st.st_size) : -1;
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading %s", name);
	buf_add(b, data, (size_t)n);
	sodium_memzero(data, (size_t)n);
	o->info.files++;
	return frames_put(&o->frames, 'F', err);
}

static int put_record(void *context, const struct store_row *row, struct err *err)
{
	struct out *o = context;

	struct buf *b = frames_begin(&o->frames);
	frames_add_number(b, row->seq);
	buf_add(b, row->hash, RECORD_HASH);
	buf_add(b, row->bytes, row->len);
	o->info.records++;
	return frames_put(&o->frames, 'R', err);
}

struct items {
	struct out *out;
	enum store_kind kind;
};

static int put_item(void *context, const struct store_item *item, struct err *err)
{
	const struct items *i = context;
	struct out *o = i->out;
	const char *kind = store_kind_name(i->kind);

	struct buf *b = frames_begin(&o->frames);
	buf_add(b, kind, strlen(kind) + 1);
	buf_add(b, item->key, strlen(item->key) + 1);
	frames_add_number(b, item->version);
	buf_add(b, item->value, item->len);
	o->info.items++;
	return frames_put(&o->frames, 'I', err);
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int put_head(struct out *o, struct store *s, struct err *err)
{
	uint64_t size = 0;

	if (s->backend->format(s->self, &o->info.format, err) < 0 || store_size(s, &size, err) < 0)
		return -1;
	o->info.time_us = now_us();
	struct buf *b = frames_begin(&o->frames);
	frames_add_number(b, o->info.format);
	frames_add_number(b, size);
	frames_add_number(b, o->info.time_us);
	return frames_put(&o->frames, 'H', err);
}

static int put_all(struct out *o, struct store *s, struct err *err)
{
	if (put_head(o, s, err) < 0 || store_read(s, 0, 0, put_record, o, err) < 0)
		return -1;
	for (unsigned kind = 0; kind < STORE_KINDS; kind++) {
		struct items i = {o, (enum store_kind)kind};
		if (store_list(s, i.kind, &(struct store_range){0}, put_item, &i, err) < 0)
			return -1;
	}
	return 0;
}

/* The files come first: they must not be newer than the log of the snapshot. */
static int write_frames(struct out *o, struct err *err)
{
	struct store *s = o->s;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if ((o->keys || !files[i].is_key) && put_file(o, s->dir, files[i].name, err) < 0)
			return -1;
	o->info.has_keys = o->keys;
	if (s->backend->snapshot(s->self, err) < 0)
		return -1;
	int r = put_all(o, s, err);
	s->backend->unlock(s->self);
	if (r < 0 || frames_finish(&o->frames, err) < 0)
		return -1;
	memcpy(o->info.sha256, o->frames.sha256, sizeof(o->info.sha256));
	return 0;
}

static int write_backup(void *context, int fd, struct err *err)
{
	struct out *o = context;
	int r = frames_create(&o->frames, fd, BACKUP_MAGIC, err);

	if (r == 0)
		r = write_frames(o, err);
	frames_out_done(&o->frames);
	return r;
}

int backup_write(struct store *s, bool keys, int dir, const char *name, struct backup_info *ret,
		 struct err *err)
{
	struct out o = {.s = s, .keys = keys};
	int r = frames_write_file(dir, name, write_backup, &o, err);

	*ret = o.info;
	return r;
}

/* Restoring. */
enum { BATCH_OPS = 256, BATCH_BYTES = 4 << 20 };

struct in {
	struct frames_in frames;
	struct backup_info info;
	uint64_t said; /* records that the first frame announces */
	bool has_head;
	struct merkle tree;
	uint8_t last[RECORD_HASH];
	struct head head; /* the item with the head */
	bool has_log;
};

/* Reads a terminated text of the frame. */
static const char *take_text(const struct in *in, size_t *at, size_t most)
{
	size_t left = in->frames.frame.len - *at;

	if (left == 0) /* the data of an empty frame may be NULL */
		return NULL;
	const uint8_t *p = in->frames.frame.data + *at;
	const uint8_t *end = memchr(p, '\0', left);
	if (!end || (size_t)(end - p) > most)
		return NULL;
	*at += (size_t)(end - p) + 1;
	return (const char *)p;
}

static int check_head(struct in *in, struct err *err)
{
	if (in->has_head || in->frames.frame.len != 3UL * FRAMES_NUMBER)
		return frames_damaged(err);
	in->has_head = true;
	in->info.format = frames_number(in->frames.frame.data);
	in->said = frames_number(in->frames.frame.data + FRAMES_NUMBER);
	in->info.time_us = frames_number(in->frames.frame.data + 2UL * FRAMES_NUMBER);
	if (in->info.format < STORE_FORMAT_OLDEST || in->info.format > STORE_FORMAT)
		return store_no_format("the backup", in->info.format, err);
	return 0;
}

/* Checks number, hash, chain and tree, as in a log. OP: the step that restores the record. */
static int check_record(struct in *in, struct store_op *op, struct record *r, struct err *err)
{
	const uint8_t *p = in->frames.frame.data, *bytes = p + FRAMES_NUMBER + RECORD_HASH;
	uint8_t hash[RECORD_HASH], leaf[MERKLE_HASH];

	if (!in->has_head || in->frames.frame.len <= FRAMES_NUMBER + RECORD_HASH)
		return frames_damaged(err);
	size_t len = in->frames.frame.len - FRAMES_NUMBER - RECORD_HASH;
	*op = (struct store_op){
		.op = STORE_OP_APPEND, .seq = frames_number(p), .data = bytes, .len = len};
	memcpy(op->hash, p + FRAMES_NUMBER, RECORD_HASH);
	*r = (struct record){0};
	if (op->seq != in->tree.size)
		return frames_damaged(err);
	if (!record_is_stub(bytes, len)) {
		record_hash(bytes, len, hash);
		if (record_decode(bytes, len, r, err) < 0 || r->seq != op->seq ||
		    memcmp(hash, op->hash, RECORD_HASH) != 0 ||
		    memcmp(r->prev, in->last, RECORD_HASH) != 0)
			return frames_damaged(err);
	}
	memcpy(in->last, op->hash, RECORD_HASH);
	record_leaf(bytes, len, leaf);
	merkle_add(&in->tree, leaf);
	in->info.records++;
	return 0;
}

static int check_item(struct in *in, struct store_op *op, struct err *err)
{
	size_t at = 0;
	const char *kind = take_text(in, &at, BACKUP_NAME_MAX);
	const char *key = kind ? take_text(in, &at, STORE_KEY_MAX) : NULL;
	unsigned k = 0;

	while (key && k < STORE_KINDS && strcmp(store_kind_name((enum store_kind)k), kind) != 0)
		k++;
	if (!in->has_head || !key || !*key || k == STORE_KINDS ||
	    in->frames.frame.len - at < FRAMES_NUMBER ||
	    in->frames.frame.len - at - FRAMES_NUMBER > STORE_VALUE_MAX)
		return frames_damaged(err);
	for (const char *c = key; *c; c++)
		if (*c <= ' ' || *c > '~')
			return frames_damaged(err);
	*op = (struct store_op){.op = STORE_OP_PUT,
				.kind = (enum store_kind)k,
				.key = key,
				.expected = STORE_NEW,
				.version = frames_number(in->frames.frame.data + at),
				.data = in->frames.frame.data + at + FRAMES_NUMBER,
				.len = in->frames.frame.len - at - FRAMES_NUMBER};
	if (op->version == 0 || op->version > (uint64_t)JCS_NUMBER_MAX)
		return frames_damaged(err);
	if (k == STORE_HEAD) {
		if (in->has_log || strcmp(key, HEAD_KEY) != 0 ||
		    head_decode(op->data, op->len, &in->head, err) < 0)
			return frames_damaged(err);
		in->has_log = true;
	}
	in->info.items++;
	return 0;
}

static int check_file(struct in *in, const char **ret_name, size_t *ret_at, struct err *err)
{
	size_t at = 0;
	const char *name = take_text(in, &at, BACKUP_NAME_MAX);

	for (unsigned i = 0; name && i < ARRAY_SIZE(files); i++)
		if (strcmp(files[i].name, name) == 0) {
			*ret_name = files[i].name;
			*ret_at = at;
			in->info.has_keys |= strcmp(name, CHAIN_KEY) == 0;
			in->info.files++;
			return 0;
		}
	return frames_damaged(err);
}

static int check_end(const struct in *in, struct err *err)
{
	const struct head *h = &in->head;

	if (!in->has_log || in->info.records != in->said || in->tree.size != h->tree.size ||
	    memcmp(in->last, h->last, RECORD_HASH) != 0 ||
	    memcmp(in->tree.edge, h->tree.edge, (size_t)merkle_edges(&in->tree) * MERKLE_HASH) != 0)
		return frames_damaged(err);
	return 0;
}

/* Restores each frame. NULL: frames are only checked. */
struct restorer {
	struct store *s;
	struct arena arena;
	struct store_op op[BATCH_OPS];
	size_t count, bytes;
};

static int flush_ops(struct restorer *r, struct err *err)
{
	int said = r->count ? r->s->backend->add(r->s->self, r->op, r->count, err) : 0;

	arena_done(&r->arena);
	r->arena = (struct arena){0};
	r->count = r->bytes = 0;
	return said;
}

/* Copies the step: the next frame overwrites this one's bytes. */
static int keep_op(struct restorer *r, const struct store_op *op, const struct record *record,
		   struct err *err)
{
	char ref[RECORD_REF_MAX + 1];
	size_t at = 0, refc = 0;

	if ((r->count == BATCH_OPS || r->bytes + op->len > BATCH_BYTES) && flush_ops(r, err) < 0)
		return -1;
	struct store_op *kept = &r->op[r->count];
	*kept = *op;
	uint8_t *copy = arena_alloc(&r->arena, op->len + 1);
	const char **refs = arena_alloc(&r->arena, (RECORD_REFS_MAX + 1) * sizeof(*refs));
	if (r->arena.failed)
		return err_memory(err);
	if (op->data)
		memcpy(copy, op->data, op->len);
	kept->data = copy;
	kept->key = op->key ? arena_dup(&r->arena, op->key) : NULL;
	while (record && record->refs.len && record_next_ref(record, &at, ref))
		refs[refc++] = arena_dup(&r->arena, ref);
	kept->ref = refs;
	kept->refc = refc;
	if (r->arena.failed)
		return err_memory(err);
	r->count++;
	r->bytes += op->len + (size_t)2 * STORE_KEY_MAX;
	return 0;
}

/* Existing files stay, because they may belong to a newer log. But another log key is refused. */
static int put_back_file(struct restorer *r, const struct in *in, const char *name, size_t at,
			 struct err *err)
{
	size_t len = in->frames.frame.len - at;
	AUTO_FREE char *there = malloc(len + 2);
	char temp[BACKUP_NAME_MAX + 16];

	if (!there)
		return err_memory(err);
	AUTO_CLOSE int old =
		openat(r->s->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (old >= 0) {
		ssize_t n = io_read_full(old, there, len + 1);
		if (strcmp(name, CHAIN_KEY) == 0 &&
		    (n != (ssize_t)len || memcmp(there, in->frames.frame.data + at, len) != 0)) {
			err_set(err, ERR_REFUSED, "the state directory has a different " CHAIN_KEY);
			err_cure(err, "restore into another directory: --state DIR");
			return -1;
		}
		return 0;
	}
	snprintf(temp, sizeof(temp), "%s.restored", name);
	unlinkat(r->s->dir, temp, 0);
	AUTO_CLOSE int fd =
		openat(r->s->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || io_write_all(fd, in->frames.frame.data + at, len) < 0 || fsync(fd) < 0 ||
	    renameat(r->s->dir, temp, r->s->dir, name) < 0 || fsync(r->s->dir) < 0)
		return err_errno(err, ERR_SYSTEM, "writing %s", name);
	return 0;
}

static int take_frame(struct in *in, struct restorer *r, struct err *err)
{
	struct store_op op = {0};
	struct record record = {0};
	const char *name = NULL;
	size_t at = 0;

	switch (in->frames.kind) {
	case 'H':
		return check_head(in, err);
	case 'F':
		if (check_file(in, &name, &at, err) < 0 || !name)
			return -1;
		return r ? put_back_file(r, in, name, at, err) : 0;
	case 'R':
		if (check_record(in, &op, &record, err) < 0)
			return -1;
		return r ? keep_op(r, &op, &record, err) : 0;
	case 'I':
		if (check_item(in, &op, err) < 0)
			return -1;
		return r ? keep_op(r, &op, NULL, err) : 0;
	case 'E':
		return check_end(in, err);
	default:
		return frames_damaged(err);
	}
}

static int read_frames(struct in *in, struct restorer *r, struct err *err)
{
	while (!in->frames.has_end)
		if (frames_next(&in->frames, err) < 0 || take_frame(in, r, err) < 0)
			return -1;
	memcpy(in->info.sha256, in->frames.sha256, sizeof(in->info.sha256));
	return 0;
}

static int read_file(int fd, struct restorer *r, struct in *in, struct err *err)
{
	*in = (struct in){0};
	int said = frames_open(&in->frames, fd, BACKUP_MAGIC, err);

	if (said == 0)
		said = read_frames(in, r, err);
	frames_in_done(&in->frames);
	return said;
}

int backup_check(int fd, struct backup_info *ret, struct err *err)
{
	struct in in;
	int r = read_file(fd, NULL, &in, err);

	*ret = in.info;
	return r;
}

/* Records the restore as the first record after the backup's own. */
static int record_it(struct store *s, const struct in *in, const struct store_tip *tip,
		     bool is_first, struct err *err)
{
	AUTO_JCS struct jcs body = {0};
	AUTO_TX struct store_tx tx = {0};
	struct head old;
	struct err none;
	bool had = tip->head_len && head_decode(tip->head, tip->head_len, &old, &none) == 0;

	jcs_init(&body, RECORD_BODY_MAX);
	jcs_hex(&body, "backup_sha256", in->info.sha256, sizeof(in->info.sha256));
	jcs_int(&body, "backup_time", (int64_t)in->info.time_us);
	jcs_int(&body, "by", geteuid());
	jcs_word(&body, "event", "restored");
	jcs_int(&body, "records", (int64_t)in->info.records);
	if (had)
		jcs_hex(&body, "replaced_last", old.last, RECORD_HASH);
	jcs_int(&body, "replaced_records", had ? (int64_t)old.tree.size : 0);
	if (jcs_finish(&body, err) < 0)
		return -1;
	store_append(&tx, RECORD_STATE, NULL, 0, &body);
	if (tx.failed.code) {
		*err = tx.failed;
		return -1;
	}
	return chain_restore(s, &in->head, is_first, &tx, err);
}

int backup_restore(struct store *s, int fd, bool over, struct backup_info *ret, struct err *err)
{
	AUTO_FREE struct restorer *r = calloc(1, sizeof(*r));
	struct store_tip tip = {0};
	struct backup_info first;
	struct in in = {0};

	if (sodium_init() < 0 || !r)
		return err_memory(err);
	r->s = s;
	if (backup_check(fd, &first, err) < 0 || s->backend->lock(s->self, &tip, err) < 0)
		return -1;
	if ((tip.head_len || tip.has_last) && !over) {
		s->backend->unlock(s->self);
		err_set(err, ERR_REFUSED, "there is a log already");
		err_cure(err, "restore into another directory (--state DIR), or replace this log "
			      "(--over)");
		return -1;
	}
	bool is_first = !tip.head_len && !tip.has_last;
	const struct store_op before[] = {{.op = STORE_OP_CLEAR, .kind = STORE_KINDS, .key = "all"},
					  {.op = STORE_OP_FORMAT,
					   .key = "format",
					   .expected = STORE_ANY,
					   .version = first.format}};
	int said = s->backend->add(s->self, before, ARRAY_SIZE(before), err);
	if (said == 0)
		said = read_file(fd, r, &in, err);
	if (said == 0)
		said = flush_ops(r, err);
	if (said == 0 && memcmp(in.info.sha256, first.sha256, sizeof(first.sha256)) != 0)
		said = frames_damaged(err);
	arena_done(&r->arena);
	if (said < 0) {
		s->backend->unlock(s->self);
		return -1;
	}
	*ret = in.info;
	return record_it(s, &in, &tip, is_first, err);
}
