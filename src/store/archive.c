/* SPDX-License-Identifier: MIT
 *
 * Writes archives, removes bodies from the log, reads archives. The first transaction that removes
 * bodies also has the record of the archive, so the log always names the archive of a missing body.
 * If the process is killed, some bodies are in the archive and in the log; the next archive takes
 * them.
 */
#include "store/archive.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/chain.h"
#include "store/note.h"

enum { BATCH = 200, BATCH_BYTES = 4 << 20, SETS_FIRST = 64 };

/* The bulk of the log. */
static bool may_go(enum record_kind kind)
{
	static const enum record_kind kinds[] = {RECORD_INGEST,	 RECORD_REQUEST, RECORD_SCAN,
						 RECORD_VERDICT, RECORD_START,	 RECORD_DENIAL,
						 RECORD_RESULT,	 RECORD_EGRESS,	 RECORD_APPLY};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

struct job {
	struct store *s;
	uint64_t before_us;
	struct frames_out out;
	struct archive_info info;
	uint64_t oldest_us;
};

/* Decodes a row; *RET: it can be archived. 1: it is too young, and so are all later ones. */
static int look(const struct job *j, const struct store_row *row, struct record *r, bool *ret,
		struct err *err)
{
	*ret = false;
	if (record_is_stub(row->bytes, row->len))
		return 0;
	if (record_decode(row->bytes, row->len, r, err) < 0) {
		err_context(err, "record %llu", (unsigned long long)row->seq);
		err_cure(err, "nothing was archived; run cordon audit verify");
		return -1;
	}
	if (r->time >= j->before_us)
		return 1;
	*ret = may_go(r->kind);
	return 0;
}

static int write_row(void *context, const struct store_row *row, struct err *err)
{
	struct job *j = context;
	struct record r;
	bool goes;
	int said = look(j, row, &r, &goes, err);

	if (said || !goes)
		return said;
	struct buf *b = frames_begin(&j->out);
	frames_add_number(b, row->seq);
	buf_add(b, row->hash, RECORD_HASH);
	buf_add(b, row->bytes, row->len);
	if (!j->info.records++)
		j->info.first = row->seq;
	j->info.last = row->seq;
	j->info.bytes += row->len;
	return frames_put(&j->out, 'R', err);
}

static int write_all(void *context, int fd, struct err *err)
{
	struct job *j = context;
	char key[NOTE_VKEY_MAX];

	if (store_vkey(j->s, key, err) < 0 || frames_create(&j->out, fd, ARCHIVE_MAGIC, err) < 0)
		return -1;
	buf_add(frames_begin(&j->out), key, strcspn(key, "+"));
	if (frames_put(&j->out, 'H', err) < 0 || store_read(j->s, 0, 0, write_row, j, err) < 0)
		return -1;
	if (frames_finish(&j->out, err) < 0)
		return -1;
	memcpy(j->info.sha256, j->out.sha256, sizeof(j->info.sha256));
	return 0;
}

/* One transaction. */
struct batch {
	const struct job *job;
	struct store_tx *tx;
	uint64_t next; /* the first record of the next batch */
	size_t count, bytes;
};

static int strip_row(void *context, const struct store_row *row, struct err *err)
{
	struct batch *b = context;
	const char *refs[RECORD_REFS_MAX];
	uint8_t stub[RECORD_STUB];
	char ref[RECORD_REF_MAX + 1];
	size_t refc = 0, at = 0;
	struct record r;
	bool goes;

	if (row->seq > b->job->info.last)
		return 1;
	int said = look(b->job, row, &r, &goes, err);
	if (said)
		return said;
	if (goes && (b->count == BATCH || b->bytes > BATCH_BYTES))
		return 1;
	b->next = row->seq + 1;
	if (!goes)
		return 0;
	while (refc < RECORD_REFS_MAX && record_next_ref(&r, &at, ref))
		refs[refc++] = arena_dup(&b->tx->arena, ref);
	record_make_stub(row->bytes, row->len, stub);
	store_strip(b->tx, row->seq, stub, refs, refc);
	b->count++;
	b->bytes += row->len;
	return 0;
}

static int record_it(const struct job *j, struct store_tx *tx, struct err *err)
{
	AUTO_JCS struct jcs body = {0};
	const char *ref = ARCHIVE_REF;

	jcs_init(&body, RECORD_BODY_MAX);
	jcs_hex(&body, "archive_sha256", j->info.sha256, sizeof(j->info.sha256));
	jcs_int(&body, "before", (int64_t)j->before_us);
	jcs_int(&body, "count", (int64_t)j->info.records);
	jcs_word(&body, "event", "archived");
	jcs_int(&body, "first", (int64_t)j->info.first);
	jcs_int(&body, "last", (int64_t)j->info.last);
	if (jcs_finish(&body, err) < 0)
		return -1;
	store_append(tx, RECORD_STATE, &ref, 1, &body);
	return 0;
}

static int strip_all(const struct job *j, struct err *err)
{
	struct batch b = {.job = j, .next = j->info.first};
	bool recorded = false;

	for (bool more = true; more;) {
		AUTO_TX struct store_tx tx = {0};
		b.tx = &tx;
		b.count = b.bytes = 0;
		if (!recorded && record_it(j, &tx, err) < 0)
			return -1;
		if (store_read(j->s, b.next, 0, strip_row, &b, err) < 0)
			return -1;
		more = b.count > 0;
		if (more && store_commit(j->s, &tx, err) < 0)
			return -1;
		recorded = true;
	}
	return 0;
}

int archive_make(struct store *s, uint64_t before_us, int dir, const char *name,
		 struct archive_info *ret, struct err *err)
{
	struct job j = {.s = s, .before_us = before_us};
	uint64_t oldest = 0;

	if (archive_oldest(s, &oldest, err) < 0)
		return -1;
	*ret = j.info;
	if (!oldest || oldest >= before_us)
		return 0;
	int r = frames_write_file(dir, name, write_all, &j, err);
	frames_out_done(&j.out);
	if (r < 0)
		return -1;
	*ret = j.info;
	if (strip_all(&j, err) == 0)
		return 0;
	err_cause(err, "the archive is complete; some of its records are still in the log too");
	return -1;
}

static int find_oldest(void *context, const struct store_row *row, struct err *err)
{
	struct job *j = context;
	struct record r;
	bool goes;

	if (look(j, row, &r, &goes, err) < 0)
		return -1;
	if (goes)
		j->oldest_us = r.time;
	return goes;
}

int archive_oldest(struct store *s, uint64_t *ret_us, struct err *err)
{
	struct job j = {.s = s, .before_us = UINT64_MAX};

	if (store_read(s, 0, 0, find_oldest, &j, err) < 0)
		return -1;
	*ret_us = j.oldest_us;
	return 0;
}

/* Reading. */
static void *grow(void *rows, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return rows;
	size_t more = *room ? 2 * *room : SETS_FIRST;
	void *grown = reallocarray(rows, more, size);
	if (grown)
		*room = more;
	return grown;
}

/* Number and hash are taken from the record's bytes; the archive's own must agree. */
static int load_row(struct archive_set *set, const struct frames_in *in, struct err *err)
{
	const uint8_t *p = in->frame.data, *bytes = p + FRAMES_NUMBER + RECORD_HASH;
	size_t head = FRAMES_NUMBER + RECORD_HASH, len = in->frame.len;
	struct archive_row row;
	struct record r;

	if (len <= head || len - head > RECORD_MAX)
		return frames_damaged(err);
	row.seq = frames_number(p);
	record_hash(bytes, len - head, row.hash);
	if (record_decode(bytes, len - head, &r, err) < 0 || r.seq != row.seq ||
	    memcmp(row.hash, p + FRAMES_NUMBER, RECORD_HASH) != 0)
		return frames_damaged(err);
	record_leaf(bytes, len - head, row.leaf);
	struct archive_row *rows = grow(set->row, set->count, &set->room, sizeof(*rows));
	if (!rows)
		return err_memory(err);
	set->row = rows;
	set->row[set->count++] = row;
	return 0;
}

static int by_seq(const void *a, const void *b)
{
	uint64_t x = ((const struct archive_row *)a)->seq, y = ((const struct archive_row *)b)->seq;

	return (x > y) - (x < y);
}

static int load_frames(struct archive_set *set, struct frames_in *in, struct err *err)
{
	bool begun = false;

	while (!in->has_end) {
		if (frames_next(in, err) < 0)
			return -1;
		if (in->kind == 'E')
			break;
		if (begun ? in->kind != 'R' : in->kind != 'H')
			return frames_damaged(err);
		if (begun && load_row(set, in, err) < 0)
			return -1;
		begun = true;
	}
	return begun ? 0 : frames_damaged(err);
}

int archive_load(struct archive_set *set, int fd, struct err *err)
{
	struct frames_in in;
	int r = frames_open(&in, fd, ARCHIVE_MAGIC, err);

	if (r == 0)
		r = load_frames(set, &in, err);
	frames_in_done(&in);
	if (r == 0 && set->count)
		qsort(set->row, set->count, sizeof(*set->row), by_seq);
	return r;
}

const struct archive_row *archive_find(const struct archive_set *set, uint64_t seq)
{
	struct archive_row wanted = {.seq = seq};

	return set && set->count ? bsearch(&wanted, set->row, set->count, sizeof(wanted), by_seq)
				 : NULL;
}

void archive_set_done(struct archive_set *set)
{
	free(set->row);
	*set = (struct archive_set){0};
}

/* verify reports damaged records. */
static int take_span(void *context, const struct store_row *row, struct err *err)
{
	struct archive_spans *a = context;
	int64_t first, last, count;
	char event[16];
	struct jcs_span v;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0 || r.kind != RECORD_STATE ||
	    !jcs_text_at(r.body, "event", event, sizeof(event)) || strcmp(event, "archived") != 0)
		return 0;
	if (!jcs_member(r.body, "first", &v) || !jcs_get_int(v, &first) ||
	    !jcs_member(r.body, "last", &v) || !jcs_get_int(v, &last) ||
	    !jcs_member(r.body, "count", &v) || !jcs_get_int(v, &count) || first < 0 ||
	    last < first || count < 0 || (uint64_t)last >= row->seq)
		return 0;
	struct archive_span *spans = grow(a->span, a->count, &a->room, sizeof(*spans));
	if (!spans)
		return err_memory(err);
	a->span = spans;
	a->span[a->count++] =
		(struct archive_span){(uint64_t)first, (uint64_t)last, (uint64_t)count, 0};
	return 0;
}

int archive_spans_load(struct archive_spans *spans, struct store *s, struct err *err)
{
	return store_find(s, ARCHIVE_REF, 0, 0, take_span, spans, err);
}

/* Archives overlap where one was interrupted: each counts as many records as its record says. */
bool archive_spans_meet(struct archive_spans *spans, uint64_t seq)
{
	for (size_t i = 0; i < spans->count; i++) {
		struct archive_span *a = &spans->span[i];
		if (seq >= a->first && seq <= a->last && a->met < a->count) {
			a->met++;
			return true;
		}
	}
	return false;
}

void archive_spans_done(struct archive_spans *spans)
{
	free(spans->span);
	*spans = (struct archive_spans){0};
}
