/* SPDX-License-Identifier: MIT
 *
 * Only the tree's edge is stored, so a proof is made by reading the log once and hashing the
 * proof's ranges. A proof is checked without a log.
 */
#include "store/proof.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/chain.h"

#define FIRST_LINE "c2sp.org/tlog-proof@v1\n"
#define EXTRA "extra "
#define INDEX "index "
enum { HASH_TEXT = 44 };

struct hashing {
	struct merkle_range range[MERKLE_PROOF_MAX];
	struct merkle *tree; /* one for each range */
	size_t count;
	uint64_t next;
	uint64_t wanted; /* the record to be copied */
	struct buf *record;
};

static int hash_row(void *context, const struct store_row *row, struct err *err)
{
	struct hashing *h = context;
	uint8_t leaf[MERKLE_HASH];

	if (row->seq != h->next++)
		return err_set(err, ERR_INPUT, "record %llu is missing",
			       (unsigned long long)h->next - 1);
	if (h->record && row->seq == h->wanted && record_is_stub(row->bytes, row->len))
		return err_set(err, ERR_INPUT, "record %llu is in an archive",
			       (unsigned long long)row->seq);
	if (h->record && row->seq == h->wanted)
		buf_add(h->record, row->bytes, row->len);
	record_leaf(row->bytes, row->len, leaf);
	for (size_t i = 0; i < h->count; i++)
		if (row->seq >= h->range[i].from && row->seq < h->range[i].to)
			merkle_add(&h->tree[i], leaf);
	return 0;
}

static int hash_ranges(struct store *s, struct hashing *h, uint64_t size, struct merkle_proof *ret,
		       struct err *err)
{
	AUTO_FREE struct merkle *tree = calloc(h->count + 1, sizeof(*tree));

	if (!tree)
		return err_memory(err);
	h->tree = tree;
	if (store_read(s, 0, size, hash_row, h, err) < 0)
		return -1;
	if (h->next != size)
		return err_set(err, ERR_INPUT, "the log has %llu records instead of %llu",
			       (unsigned long long)h->next, (unsigned long long)size);
	ret->count = h->count;
	for (size_t i = 0; i < h->count; i++)
		merkle_root(&h->tree[i], ret->hash[i]);
	return 0;
}

/* Encodes in pieces, so that no buffer is as long as the record. Each is a multiple of 3 bytes, so
 * that only the last has padding. */
static void add_base64(struct buf *out, const uint8_t *data, size_t len)
{
	enum { STEP = 3 * 1024 };
	char text[STEP / 3 * 4 + 1];

	for (size_t at = 0; at < len; at += STEP) {
		size_t part = len - at < STEP ? len - at : STEP;
		sodium_bin2base64(text, sizeof(text), data + at, part,
				  sodium_base64_VARIANT_ORIGINAL);
		buf_str(out, text);
	}
}

/* The newest checkpoint, which covers SEQ; makes one if necessary. */
static int covering_note(struct store *s, uint64_t seq, char text[NOTE_MAX], struct note *ret,
			 struct err *err)
{
	uint64_t size = 0;

	if (store_size(s, &size, err) < 0)
		return -1;
	if (seq >= size)
		return err_set(err, ERR_USAGE, "the log has no record %llu, only %llu records",
			       (unsigned long long)seq, (unsigned long long)size);
	if (store_checkpoint(s, text, err) < 0 || note_parse(text, strlen(text), ret, err) < 0)
		return -1;
	if (ret->size <= seq) /* SEQ is the checkpoint's own record */
		return err_set(
			err, ERR_USAGE,
			"record %llu is the newest checkpoint, and no later one covers it yet",
			(unsigned long long)seq);
	return 0;
}

int proof_make(struct store *s, uint64_t seq, struct buf *out, struct err *err)
{
	AUTO_BUF struct buf record = {.most = RECORD_MAX};
	struct hashing h = {.wanted = seq, .record = &record};
	struct merkle_proof proof = {0};
	char text[NOTE_MAX];
	struct note note = {0};

	if (covering_note(s, seq, text, &note, err) < 0)
		return -1;
	h.count = merkle_inclusion(seq, note.size, h.range);
	if (hash_ranges(s, &h, note.size, &proof, err) < 0)
		return -1;
	buf_str(out, FIRST_LINE EXTRA);
	add_base64(out, record.data, record.len);
	buf_printf(out, "\n" INDEX "%llu\n", (unsigned long long)seq);
	for (size_t i = 0; i < proof.count; i++) {
		add_base64(out, proof.hash[i], MERKLE_HASH);
		buf_str(out, "\n");
	}
	buf_str(out, "\n");
	buf_str(out, text);
	return out->failed || record.failed ? err_set(err, ERR_LIMIT, "the proof is too long") : 0;
}

struct reader {
	const char *p, *end;
};

static bool skip(struct reader *r, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(r->end - r->p) < len || memcmp(r->p, text, len) != 0)
		return false;
	r->p += len;
	return true;
}

static bool read_record(struct reader *r, struct buf *record)
{
	const char *end = memchr(r->p, '\n', (size_t)(r->end - r->p)), *stop = NULL;
	size_t len = 0;

	if (!end || end - r->p > PROOF_MAX)
		return false;
	AUTO_FREE uint8_t *bytes = malloc((size_t)(end - r->p) + 1);
	if (!bytes ||
	    sodium_base642bin(bytes, (size_t)(end - r->p), r->p, (size_t)(end - r->p), NULL, &len,
			      &stop, sodium_base64_VARIANT_ORIGINAL) != 0 ||
	    stop != end)
		return false;
	buf_add(record, bytes, len);
	r->p = end + 1;
	return !record->failed;
}

static bool read_index(struct reader *r, uint64_t *ret)
{
	uint64_t n = 0;
	const char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9' && n <= (uint64_t)JCS_NUMBER_MAX)
		n = n * 10 + (uint64_t)(*r->p++ - '0');
	*ret = n;
	return r->p > from && n <= (uint64_t)JCS_NUMBER_MAX && skip(r, "\n");
}

static bool read_hashes(struct reader *r, struct merkle_proof *ret)
{
	ret->count = 0;
	while (!skip(r, "\n")) {
		const char *stop = NULL;
		size_t len = 0;
		if (ret->count == MERKLE_PROOF_MAX || r->end - r->p <= HASH_TEXT ||
		    r->p[HASH_TEXT] != '\n' ||
		    sodium_base642bin(ret->hash[ret->count], MERKLE_HASH, r->p, HASH_TEXT, NULL,
				      &len, &stop, sodium_base64_VARIANT_ORIGINAL) != 0 ||
		    len != MERKLE_HASH || stop != r->p + HASH_TEXT)
			return false;
		ret->count++;
		r->p += HASH_TEXT + 1;
	}
	return true;
}

static int check_record(const struct buf *record, uint64_t index, const struct note *note,
			const struct merkle_proof *proof, struct err *err)
{
	uint8_t leaf[MERKLE_HASH];
	struct record r;

	merkle_leaf(record->data, record->len, leaf);
	if (!merkle_is_included(leaf, index, note->size, proof, note->root))
		return err_set(err, ERR_REFUSED, "the signed log does not have this record");
	if (record_decode(record->data, record->len, &r, err) < 0)
		return -1;
	return r.seq == index ? 0
			      : err_set(err, ERR_REFUSED, "the proof has a wrong record number");
}

int proof_check(const char *text, size_t len, const char *vkey, struct buf *record, struct err *err)
{
	struct reader r = {text, text + len};
	char origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];
	struct merkle_proof proof = {0};
	uint64_t index = 0;
	struct note note = {0};

	if (note_parse_vkey(vkey, origin, public, err) < 0)
		return -1;
	if (!skip(&r, FIRST_LINE EXTRA) || !read_record(&r, record) || !skip(&r, INDEX) ||
	    !read_index(&r, &index) || !read_hashes(&r, &proof))
		return err_set(err, ERR_INPUT, "this is not a proof");
	size_t left = (size_t)(r.end - r.p);
	if (note_parse(r.p, left, &note, err) < 0)
		return -1;
	if (strcmp(note.origin, origin) != 0 || !note_is_signed(r.p, left, &note, public))
		return err_set(err, ERR_REFUSED,
			       "the proof's checkpoint is not signed with that key");
	return check_record(record, index, &note, &proof, err);
}
