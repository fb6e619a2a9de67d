/* SPDX-License-Identifier: MIT
 *
 * One pass over the records in their order. The first problem ends it, because records after a bad
 * one prove nothing. The database is not trusted: each record is decoded strictly.
 */
#include "store/verify.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/chain_heads.h"
#include "store/verify_walk.h"

/* Counts steps back of either clock. They do not prove an edit. */
static void look_at_clocks(struct verify_walk *w, const struct record *r)
{
	bool same_boot = strcmp(w->boot, r->boot) == 0;

	if (r->seq && (r->time < w->time || (same_boot && r->mono < w->mono)) &&
	    w->report->clock_steps++ == 0)
		w->report->first_step = r->seq;
	memcpy(w->boot, r->boot, sizeof(w->boot));
	w->time = r->time;
	w->mono = r->mono;
}

/* The first record has the log's id and key. */
static int genesis(struct verify_walk *w, const struct record *r)
{
	uint8_t log_id[HEAD_LOG_ID], public[KEY_PUBLIC];
	char origin[NOTE_ORIGIN_MAX + 1];

	if (r->kind != RECORD_GENESIS || !jcs_hex_at(r->body, "log", log_id, sizeof(log_id)) ||
	    !jcs_hex_at(r->body, "key", public, sizeof(public)))
		return verify_fail(w, VERIFY_FORM, 0, 0, "record 0 does not begin a log");
	note_origin(log_id, origin);
	if (w->origin[0] && strcmp(origin, w->origin) != 0)
		return verify_fail(w, VERIFY_REPLACED, 0, 0, "this is %s, and %s was expected",
				   origin, w->origin);
	memcpy(w->origin, origin, sizeof(origin));
	memcpy(w->public, public, sizeof(public));
	w->met_key = memcmp(public, w->trusted, KEY_PUBLIC) == 0;
	return verify_may_have_key(w)
		       ? 0
		       : verify_fail(w, VERIFY_REPLACED, 0, 0,
				     "record 0 names another key than the one that is trusted");
}

static int check_place(struct verify_walk *w, const struct store_row *row)
{
	uint64_t next = w->tree.size;

	if (row->seq == next)
		return 0;
	return verify_fail(w, VERIFY_MISSING, next, row->seq - 1, "record %llu is missing",
			   (unsigned long long)next);
}

static int check_chain(struct verify_walk *w, const struct store_row *row, const struct record *r)
{
	unsigned long long seq = row->seq;
	uint8_t hash[RECORD_HASH];

	if (r->seq != row->seq)
		return verify_fail(w, VERIFY_ORDER, seq, seq,
				   "record %llu is in the place of record %llu",
				   (unsigned long long)r->seq, seq);
	record_hash(row->bytes, row->len, hash);
	if (memcmp(hash, row->hash, RECORD_HASH) != 0)
		return verify_fail(w, VERIFY_EDITED, seq, seq, "record %llu has been changed", seq);
	if (memcmp(r->prev, w->last, RECORD_HASH) != 0)
		return verify_fail(w, VERIFY_EDITED, seq ? seq - 1 : 0, seq,
				   "record %llu is not the one that record %llu was chained to",
				   seq ? seq - 1 : 0, seq);
	memcpy(w->last, hash, RECORD_HASH);
	return 0;
}

static uint64_t name_sum(const struct verify_names *n, const char *name, uint64_t seq)
{
	uint8_t bytes[RECORD_REF_MAX + sizeof(seq)], hash[crypto_shorthash_BYTES];
	size_t len = sizeof(seq);
	uint64_t sum;

	memcpy(bytes, &seq, sizeof(seq));
	while (*name && len < sizeof(bytes))
		bytes[len++] = (uint8_t)*name++;
	crypto_shorthash(hash, bytes, len, n->key);
	memcpy(&sum, hash, sizeof(sum));
	return sum;
}

static bool is_first(const struct record *r, size_t end, const char *name)
{
	char other[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, other) && at < end;)
		if (strcmp(other, name) == 0)
			return false;
	return true;
}

/* A name that a record has twice is once in the index. */
static void names_add(struct verify_names *n, const struct record *r)
{
	char name[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, name);)
		if (is_first(r, at, name))
			n->sum += name_sum(n, name, r->seq);
}

/* Names of records that were added during the pass are not in the sum; LAST remembers the newest. */
static int take_name(void *context, const struct store_item *item, struct err *err)
{
	struct verify_names *n = context;

	(void)err;
	if (item->version < n->size)
		n->sum -= name_sum(n, item->key, item->version);
	else if (item->version > n->last)
		n->last = item->version;
	return 0;
}

/* A record and its names are one transaction: the log must have the newest record of the index. */
static int check_late_names(const struct verify_names *n, struct store *s, struct err *err)
{
	struct store_tip tip = {0};

	if (n->last == 0 || n->last < n->size)
		return 0;
	if (s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	return !tip.has_last || n->last > tip.last_seq;
}

/* Does the index have the names of all records, and no others? */
static int check_names(struct verify_walk *w, struct store *s, struct err *err)
{
	struct verify_names *n = &w->names;

	n->size = w->tree.size;
	int r = s->backend->refs(s->self, take_name, n, err);
	if (r == 0)
		r = n->sum != 0 ? 1 : check_late_names(n, s, err);
	if (r <= 0)
		return r;
	verify_fail(w, VERIFY_INDEX, 0, 0,
		    "the records are whole, but the index of their names is not");
	w->report->has_record = false;
	return 1;
}

/* A stub's hashes are in the chain and the tree. Another record must call it archived, and a body
 * in an archive must match the hashes. */
static int look_at_stub(struct verify_walk *w, const struct store_row *row, struct err *err)
{
	const struct archive_row *kept = archive_find(w->archives, row->seq);

	if (!archive_spans_meet(&w->spans, row->seq))
		return verify_fail(w, VERIFY_MISSING, row->seq, row->seq,
				   "record %llu has no body, but is not recorded as archived",
				   (unsigned long long)row->seq);
	if (kept && (memcmp(kept->hash, row->hash, RECORD_HASH) != 0 ||
		     memcmp(kept->leaf, row->bytes + 1, RECORD_HASH) != 0))
		return verify_fail(w, VERIFY_EDITED, row->seq, row->seq,
				   "record %llu in the archive is not the record of the log",
				   (unsigned long long)row->seq);
	memcpy(w->last, row->hash, RECORD_HASH);
	merkle_add(&w->tree, row->bytes + 1);
	w->report->archived++;
	w->report->held += kept != NULL;
	w->report->records++;
	return verify_heads_compare(w, err) < 0 ? -1 : verify_compare_notes(w);
}

static int look_at(void *context, const struct store_row *row, struct err *err)
{
	struct verify_walk *w = context;
	uint8_t leaf[MERKLE_HASH];
	struct record r;
	int said = check_place(w, row);

	if (said)
		return said;
	if (record_is_stub(row->bytes, row->len))
		return look_at_stub(w, row, err);
	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return verify_fail(w, VERIFY_FORM, row->seq, row->seq,
				   "record %llu is not in the form that cordon writes",
				   (unsigned long long)row->seq);
	said = check_chain(w, row, &r);
	if (said == 0 && r.seq == 0)
		said = genesis(w, &r);
	if (said == 0 && w->is_changing && r.kind != RECORD_CHECKPOINT)
		said = verify_new_key_is_silent(w, r.seq);
	if (said == 0 && rotate_is(&r))
		said = verify_change_key(w, &r);
	if (said == 0 && r.kind == RECORD_CHECKPOINT)
		said = verify_checkpoint(w, &r);
	if (said == 0)
		said = verify_check_signed(w, &r);
	if (said)
		return said;
	look_at_clocks(w, &r);
	names_add(&w->names, &r);
	merkle_leaf(row->bytes, row->len, leaf);
	merkle_add(&w->tree, leaf);
	w->report->records++;
	return verify_heads_compare(w, err) < 0 ? -1 : verify_compare_notes(w);
}

/* A kept checkpoint signs more records than the log has. */
static int check_end(struct verify_walk *w)
{
	if (w->next_note == w->notes.count)
		return 0;
	uint64_t size = w->notes.note[w->notes.count - 1].size;
	return verify_fail(w, VERIFY_TRUNCATED, w->tree.size, size - 1,
			   "record %llu is missing: %llu records were signed, the log has %llu",
			   (unsigned long long)w->tree.size, (unsigned long long)size,
			   (unsigned long long)w->tree.size);
}

static int check_head(struct verify_walk *w, const struct store_tip *tip, const struct head *head)
{
	uint64_t size = w->tree.size;

	if (head->tree.size > size)
		return verify_fail(w, VERIFY_MISSING, size, head->tree.size - 1,
				   "record %llu is missing: according to the head the log has %llu",
				   (unsigned long long)size, (unsigned long long)head->tree.size);
	if (size && memcmp(head->last, w->last, RECORD_HASH) != 0)
		return verify_fail(w, VERIFY_EDITED, size - 1, size - 1,
				   "the last record, %llu, has been changed",
				   (unsigned long long)size - 1);
	if (tip->last_seq >= size)
		return verify_fail(
			w, VERIFY_HEAD, size, tip->last_seq,
			"the log has records after record %llu, the last that the head knows",
			(unsigned long long)size - 1);
	if (memcmp(head->tree.edge, w->tree.edge, (size_t)merkle_edges(&w->tree) * MERKLE_HASH) !=
		    0 ||
	    memcmp(head->public, w->public, KEY_PUBLIC) != 0)
		return verify_fail(w, VERIFY_HEAD, size, size,
				   "the head of the log does not match its records");
	return 0;
}

static int take_genesis(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0 || r.seq != 0)
		return verify_fail(context, VERIFY_FORM, 0, 0,
				   "record 0 is not in the form that cordon writes");
	return genesis(context, &r);
}

static int is_there(void *context, const struct store_item *item, struct err *err)
{
	(void)context, (void)item, (void)err;
	return 1;
}

/* Was the log never begun? Then nothing is wrong. If head and records were removed, something else
 * is left: items, a kept checkpoint, or a key that the caller trusts. 1, 0 or -1. */
static int is_unbegun(const struct verify_walk *w, struct store *s, const struct store_tip *tip,
		      const struct verify_options *o, struct err *err)
{
	if (tip->head_len || tip->has_last || w->notes.count || w->heads.has_next ||
	    w->elsewhere.has_next || o->vkey)
		return 0;
	for (unsigned kind = 0; kind < STORE_KINDS; kind++) {
		int r = store_list(s, (enum store_kind)kind, &(struct store_range){.limit = 1},
				   is_there, NULL, err);
		if (r)
			return r < 0 ? -1 : 0;
	}
	return 1;
}

/* Reads the head first, and only the records that it knows: other processes may add records
 * meanwhile. */
static int walk_all(struct verify_walk *w, struct store *s, const struct verify_options *o,
		    struct err *err)
{
	struct store_tip tip;
	struct head head = {0};
	struct err none;

	if (s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	w->has_tip = true;
	int unbegun = is_unbegun(w, s, &tip, o, err);
	w->is_unbegun = unbegun > 0;
	if (unbegun)
		return unbegun < 0 ? -1 : heads_no_log(s->dir, err);
	bool has_head = head_decode(tip.head, tip.head_len, &head, &none) == 0;
	w->writes = has_head ? head.writes : UINT64_MAX;
	int said = store_read(s, 0, 1, take_genesis, w, err);
	if (said == 0 && w->origin[0])
		said = verify_check_notes(w);
	if (said == 0)
		said = store_read(s, 0, head.tree.size, look_at, w, err);
	if (said == 0)
		said = check_end(w);
	if (said == 0 && w->is_changing)
		said = verify_new_key_is_silent(w, w->tree.size);
	bool is_strange = w->has_key && !w->met_key && w->tree.size;
	if (said == 0 && is_strange)
		said = verify_heads_end(w, err);
	if (said == 0 && is_strange)
		said = verify_fail(w, VERIFY_REPLACED, 0, 0,
				   "the trusted key has never been a key of this log");
	if (said)
		return said;
	if (has_head)
		said = check_head(w, &tip, &head);
	if (said == 0)
		said = verify_heads_end(w, err);
	if (said == 0 && !has_head)
		said = verify_fail(w, VERIFY_HEAD, w->tree.size, w->tree.size,
				   "the head of the log is damaged or missing");
	if (said == 0)
		said = verify_heads_exist(w, err);
	return said ? said : check_names(w, s, err);
}

/* A row that the backend cannot decode is a problem of the log and not a read error. The backend
 * reads many rows at once, so the rows before the bad one are read again one by one. */
static int damaged(struct verify_walk *w, struct store *s, const struct err *err)
{
	uint64_t before, at;
	struct err same;

	do {
		before = w->tree.size;
		if (w->has_tip && store_read(s, before, 1, look_at, w, &same) > 0)
			return 1;
		at = w->tree.size;
	} while (at > before);
	verify_fail(w, w->has_tip ? VERIFY_FORM : VERIFY_HEAD, at, at, "%s", err->message);
	w->report->has_record = w->has_tip;
	return 1;
}

int verify_log(struct store *s, const struct verify_options *options, struct verify_report *report,
	       struct err *err)
{
	AUTO_CLOSE int file = options->dir < 0 ? -1 : heads_open(options->dir, HEADS_READ, err);
	struct verify_walk w = {.store = s,
				.report = report,
				.dir = options->dir,
				.file = file < 0 ? -1 : file,
				.archives = options->archives};

	*report = (struct verify_report){0};
	if (file == -1 && options->dir >= 0)
		return -1;
	randombytes_buf(w.names.key, sizeof(w.names.key));
	int said = -1;
	if (verify_choose_key(&w, options, err) == 0 && rotate_keys_load(&w.keys, s, err) == 0 &&
	    accepted_load(&w.accepted, s, err) == 0 && archive_spans_load(&w.spans, s, err) == 0 &&
	    note_list_load(&w.notes, options->notes, options->notes_len, err) == 0 &&
	    verify_heads_begin(&w, options, err) == 0) {
		said = walk_all(&w, s, options, err);
		if (said < 0 && err->code == ERR_INPUT && !w.is_unbegun)
			said = damaged(&w, s, err);
	}
	rotate_keys_done(&w.keys);
	accepted_done(&w.accepted);
	archive_spans_done(&w.spans);
	note_list_done(&w.notes);
	merkle_root(&w.tree, report->root);
	return said < 0 ? -1 : 0;
}
