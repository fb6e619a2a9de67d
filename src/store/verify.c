/* SPDX-License-Identifier: MIT
 *
 * One pass over the records in their order. The first thing that does not fit ends it: what comes
 * after a bad record says nothing any more. Records are the database's word, so each is decoded
 * as strictly as if a stranger had sent it.
 */
#include "store/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "store/chain.h"
#include "store/kept_notes.h"
#include "store/rotate.h"
#include "store/verify_names.h"

static const char *const names[VERIFY_PROBLEMS] = {
	[VERIFY_GOOD] = "good",		[VERIFY_FORM] = "form",
	[VERIFY_EDITED] = "edited",	[VERIFY_MISSING] = "missing",
	[VERIFY_ORDER] = "order",	[VERIFY_SIGNATURE] = "signature",
	[VERIFY_FORKED] = "forked",	[VERIFY_TRUNCATED] = "truncated",
	[VERIFY_REPLACED] = "replaced", [VERIFY_HEAD] = "head",
	[VERIFY_UNKEPT] = "unkept",	[VERIFY_INDEX] = "index",
};

const char *verify_problem_name(enum verify_problem problem)
{
	return names[problem];
}

struct walk {
	struct verify_report *report;
	struct kept_notes notes;
	size_t next_note; /* that was not met yet */
	int dir;	  /* where they are kept; or -1 */
	bool last_unkept; /* the last checkpoint of the log was not among them */
	struct merkle tree;
	uint8_t last[RECORD_HASH];
	char origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];  /* the log's key at this record */
	uint8_t trusted[KEY_PUBLIC]; /* the one that must be among them, if HAS_KEY */
	bool has_key, met_key;
	struct rotate_keys keys;
	bool is_changing;   /* the key: the next record is a checkpoint */
	uint64_t signed_to; /* the tree up to here was signed and is the same */
	char boot[RECORD_BOOT + 1];
	uint64_t time, mono;
	struct verify_names names;
};

/* Ends the pass: 1. */
__attribute__((format(printf, 5, 6))) static int found(struct walk *w, enum verify_problem problem,
						       uint64_t first, uint64_t last,
						       const char *fmt, ...)
{
	struct verify_report *r = w->report;
	va_list ap;

	r->problem = problem;
	r->has_record = true;
	r->first_bad = first;
	r->last_bad = last;
	va_start(ap, fmt);
	vsnprintf(r->words, sizeof(r->words), fmt, ap);
	va_end(ap);
	return 1;
}

/* The clock of the day may be set back, that of one boot may not; neither proves an edit. */
static void look_at_clocks(struct walk *w, const struct record *r)
{
	bool same_boot = strcmp(w->boot, r->boot) == 0;

	if (r->seq && (r->time < w->time || (same_boot && r->mono < w->mono)) &&
	    w->report->clock_steps++ == 0)
		w->report->first_step = r->seq;
	memcpy(w->boot, r->boot, sizeof(w->boot));
	w->time = r->time;
	w->mono = r->mono;
}

static bool get_hex(struct jcs_span body, const char *name, uint8_t *ret, size_t len)
{
	AUTO_BUF struct buf again = {.most = RECORD_MAX};
	struct jcs_span value;

	if (!jcs_member(body, name, &value) || value.len != 2 * len + 2)
		return false;
	for (size_t i = 0; i < len; i++) {
		char two[3] = {(char)value.data[1 + 2 * i], (char)value.data[2 + 2 * i], 0};
		ret[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	buf_hex(&again, ret, len);
	return !again.failed && memcmp(again.data, value.data + 1, 2 * len) == 0;
}

/* Can the trusted key be one of this log's? A later one may have gone with the end of the log: then a
 * checkpoint that was kept is signed with it. */
static bool may_have_key(const struct walk *w)
{
	if (!w->has_key || w->met_key || rotate_keys_has(&w->keys, w->trusted))
		return true;
	for (size_t i = 0; i < w->notes.count; i++)
		if (kept_note_is_signed(&w->notes.note[i], w->origin, w->trusted))
			return true;
	return false;
}

/* The first record says which log it is and whose. */
static int genesis(struct walk *w, const struct record *r)
{
	uint8_t log_id[HEAD_LOG_ID], public[KEY_PUBLIC];
	char origin[NOTE_ORIGIN_MAX + 1];

	if (r->kind != RECORD_GENESIS || !get_hex(r->body, "log", log_id, sizeof(log_id)) ||
	    !get_hex(r->body, "key", public, sizeof(public)))
		return found(w, VERIFY_FORM, 0, 0, "record 0 does not begin a log");
	note_origin(log_id, origin);
	if (w->origin[0] && strcmp(origin, w->origin) != 0)
		return found(w, VERIFY_REPLACED, 0, 0, "this is %s, and %s was expected", origin,
			     w->origin);
	memcpy(w->origin, origin, sizeof(origin));
	memcpy(w->public, public, sizeof(public));
	w->met_key = memcmp(public, w->trusted, KEY_PUBLIC) == 0;
	return may_have_key(w) ? 0
			       : found(w, VERIFY_REPLACED, 0, 0,
				       "record 0 names another key than the one that is trusted");
}

static int forked(struct walk *w, uint64_t size)
{
	return found(w, VERIFY_FORKED, w->signed_to, size - 1,
		     "of the records %llu to %llu at least one is not as it was signed",
		     (unsigned long long)w->signed_to, (unsigned long long)size - 1);
}

/* Those of its size and smaller were met with the record before. */
static void count_unkept(struct walk *w, uint64_t size)
{
	bool is_kept = w->next_note && w->notes.note[w->next_note - 1].size == size;

	w->report->unkept += w->last_unkept;
	w->last_unkept = w->dir >= 0 && !is_kept;
}

/* A checkpoint in the log is about all records before it. */
static int checkpoint(struct walk *w, const struct record *r)
{
	char text[NOTE_MAX];
	uint8_t root[MERKLE_HASH];
	struct jcs_span value;
	struct note note;
	struct err err;

	if (!jcs_member(r->body, "note", &value) || !jcs_get_text(value, text, sizeof(text)) ||
	    note_parse(text, strlen(text), &note, &err) < 0 || note.size != r->seq)
		return found(w, VERIFY_FORM, r->seq, r->seq, "record %llu is no checkpoint",
			     (unsigned long long)r->seq);
	if (strcmp(note.origin, w->origin) != 0 ||
	    !note_is_signed(text, strlen(text), &note, w->public))
		return found(w, VERIFY_SIGNATURE, r->seq, r->seq,
			     "the checkpoint in record %llu is not signed with the log's key",
			     (unsigned long long)r->seq);
	merkle_root(&w->tree, root);
	if (memcmp(root, note.root, MERKLE_HASH) != 0)
		return forked(w, note.size);
	count_unkept(w, note.size);
	w->signed_to = note.size;
	w->report->checkpoints++;
	w->is_changing = false;
	w->met_key |= memcmp(w->public, w->trusted, KEY_PUBLIC) == 0;
	return 0;
}

/* From here on it is another key's log, if the one before has signed that. */
static int change_key(struct walk *w, const struct record *r)
{
	if (!rotate_read(r, w->origin, w->public, w->public))
		return found(w, VERIFY_SIGNATURE, r->seq, r->seq,
			     "the new key in record %llu is not signed with the log's key",
			     (unsigned long long)r->seq);
	w->report->rotations++;
	w->is_changing = true;
	return 0;
}

static int new_key_is_silent(struct walk *w, uint64_t seq)
{
	return found(w, VERIFY_SIGNATURE, seq - 1, seq,
		     "record %llu names a new key that has signed nothing",
		     (unsigned long long)seq - 1);
}

static int bad_note(struct walk *w, const struct kept_note *n)
{
	return found(w, VERIFY_SIGNATURE, 0, n->size ? n->size - 1 : 0,
		     "a kept checkpoint of %llu records is not signed with the log's key",
		     (unsigned long long)n->size);
}

/* Who writes the log signs it as it begins and then every so many records (chain.c). A log that does
 * without was made by somebody who has no key: dropping the checkpoints must not help. */
static int check_signed(struct walk *w, const struct record *r)
{
	uint64_t size = r->seq + 1;

	if (r->seq == 0 || r->kind == RECORD_CHECKPOINT)
		return 0;
	if (r->seq > 1 && size - w->signed_to <= VERIFY_UNSIGNED_MAX)
		return 0;
	return found(w, VERIFY_SIGNATURE, w->signed_to, r->seq,
		     "the records %llu to %llu were never signed", (unsigned long long)w->signed_to,
		     (unsigned long long)r->seq);
}

static int meet_notes(struct walk *w)
{
	uint8_t root[MERKLE_HASH];

	if (w->next_note == w->notes.count || w->notes.note[w->next_note].size > w->tree.size)
		return 0;
	merkle_root(&w->tree, root);
	for (; w->next_note < w->notes.count; w->next_note++) {
		const struct kept_note *n = &w->notes.note[w->next_note];
		if (n->size > w->tree.size)
			break;
		if (memcmp(n->root, root, MERKLE_HASH) != 0)
			return forked(w, n->size);
		if (w->keys.count && !kept_note_is_signed(n, w->origin, w->public))
			return bad_note(w, n);
		w->report->kept++;
		w->signed_to = n->size;
	}
	return 0;
}

static int check_place(struct walk *w, const struct store_row *row)
{
	uint64_t next = w->tree.size;

	if (row->seq == next)
		return 0;
	return found(w, VERIFY_MISSING, next, row->seq - 1, "record %llu is missing",
		     (unsigned long long)next);
}

static int check_chain(struct walk *w, const struct store_row *row, const struct record *r)
{
	unsigned long long seq = row->seq;
	uint8_t hash[RECORD_HASH];

	if (r->seq != row->seq)
		return found(w, VERIFY_ORDER, seq, seq, "record %llu stands in the place of %llu",
			     (unsigned long long)r->seq, seq);
	record_hash(row->bytes, row->len, hash);
	if (memcmp(hash, row->hash, RECORD_HASH) != 0)
		return found(w, VERIFY_EDITED, seq, seq, "record %llu has been changed", seq);
	if (memcmp(r->prev, w->last, RECORD_HASH) != 0)
		return found(w, VERIFY_EDITED, seq ? seq - 1 : 0, seq,
			     "record %llu is not the one that record %llu was chained to",
			     seq ? seq - 1 : 0, seq);
	memcpy(w->last, hash, RECORD_HASH);
	return 0;
}

/* Who cuts the log off removes what would contradict it. Some may be missing for other reasons, which
 * is told and is no problem: others write the same log, or there was no room for one. */
static int check_kept(struct walk *w, struct err *err)
{
	struct note newest;

	/* Whoever wrote records after it has put it into the file before. */
	if (w->tree.size > w->signed_to + 1)
		count_unkept(w, w->signed_to);
	if (w->notes.count || !w->report->unkept)
		return 0;
	/* A log that others began while this one was looked at has its file by now. */
	int none = checkpoint_last(w->dir, &newest, err);
	if (none <= 0)
		return none;
	found(w, VERIFY_UNKEPT, 0, 0,
	      "the file " CHECKPOINT_FILE " is gone, and the log has %llu: its end may have been "
	      "cut off",
	      (unsigned long long)w->report->checkpoints);
	w->report->has_record = false;
	return 1;
}

static int check_names(struct walk *w, struct store *s, struct err *err)
{
	int said = verify_names_check(&w->names, s, w->tree.size, err);

	if (said <= 0)
		return said;
	found(w, VERIFY_INDEX, 0, 0,
	      "the records are whole, but they are not found by all their names, and no others");
	w->report->has_record = false;
	return 1;
}

static int look_at(void *context, const struct store_row *row, struct err *err)
{
	struct walk *w = context;
	uint8_t leaf[MERKLE_HASH];
	struct record r;
	int said = check_place(w, row);

	if (said)
		return said;
	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return found(w, VERIFY_FORM, row->seq, row->seq,
			     "record %llu is not as Cordon writes it",
			     (unsigned long long)row->seq);
	said = check_chain(w, row, &r);
	if (said == 0 && r.seq == 0)
		said = genesis(w, &r);
	if (said == 0 && w->is_changing && r.kind != RECORD_CHECKPOINT)
		said = new_key_is_silent(w, r.seq);
	if (said == 0 && rotate_is(&r))
		said = change_key(w, &r);
	if (said == 0 && r.kind == RECORD_CHECKPOINT)
		said = checkpoint(w, &r);
	if (said == 0)
		said = check_signed(w, &r);
	if (said)
		return said;
	look_at_clocks(w, &r);
	verify_names_add(&w->names, &r);
	merkle_leaf(row->bytes, row->len, leaf);
	merkle_add(&w->tree, leaf);
	w->report->records++;
	return meet_notes(w);
}

/* More was signed than the records there are: the end is gone. */
static int check_end(struct walk *w)
{
	if (w->next_note == w->notes.count)
		return 0;
	uint64_t size = w->notes.note[w->notes.count - 1].size;
	return found(w, VERIFY_TRUNCATED, w->tree.size, size - 1,
		     "record %llu is missing: %llu were signed, %llu are there",
		     (unsigned long long)w->tree.size, (unsigned long long)size,
		     (unsigned long long)w->tree.size);
}

static int check_head(struct walk *w, const struct store_tip *tip, const struct head *head)
{
	uint64_t size = w->tree.size;

	if (head->tree.size > size)
		return found(w, VERIFY_MISSING, size, head->tree.size - 1,
			     "record %llu is missing: the head knows %llu",
			     (unsigned long long)size, (unsigned long long)head->tree.size);
	if (size && memcmp(head->last, w->last, RECORD_HASH) != 0)
		return found(w, VERIFY_EDITED, size - 1, size - 1,
			     "the last record, %llu, has been changed",
			     (unsigned long long)size - 1);
	if (tip->last_seq >= size)
		return found(w, VERIFY_HEAD, size, tip->last_seq,
			     "there are records after the last that the head knows, %llu",
			     (unsigned long long)size - 1);
	if (memcmp(head->tree.edge, w->tree.edge, (size_t)merkle_edges(&w->tree) * MERKLE_HASH) !=
		    0 ||
	    memcmp(head->public, w->public, KEY_PUBLIC) != 0)
		return found(w, VERIFY_HEAD, size, size,
			     "the head of the log does not fit to its records");
	return 0;
}

/* Whom to believe: the caller, or the key beside the log; else only what the log says itself. */
static int choose_key(struct walk *w, const struct verify_options *o, struct err *err)
{
	AUTO_KEY struct key key = {0};
	struct err none;

	if (o->vkey) {
		if (note_parse_vkey(o->vkey, w->origin, w->trusted, err) < 0)
			return -1;
		w->has_key = true;
	} else if (o->dir >= 0 && key_load(o->dir, CHAIN_KEY, false, &key, &none) == 0) {
		memcpy(w->trusted, key.public, KEY_PUBLIC);
		w->has_key = true;
	}
	w->report->is_pinned = w->has_key;
	return 0;
}

static int take_genesis(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0 || r.seq != 0)
		return found(context, VERIFY_FORM, 0, 0, "record 0 is not as Cordon writes it");
	return genesis(context, &r);
}

/* Notes from outside are of this log and signed with a key that it had or that is trusted, or they
 * say that something is wrong. With which one is looked at when they are met. */
static int check_notes(struct walk *w)
{
	const struct kept_note *bad = NULL;
	size_t key = 0;

	for (size_t i = 0; i < w->notes.count && !bad; i++) {
		const struct kept_note *n = &w->notes.note[i];
		if (!rotate_keys_signed(&w->keys, w->public, n, w->origin, &key) &&
		    !(w->has_key && kept_note_is_signed(n, w->origin, w->trusted)))
			bad = n;
	}
	if (!bad)
		return 0;
	if (!kept_note_is_of(bad, w->origin))
		return found(w, VERIFY_REPLACED, 0, 0,
			     "a kept checkpoint is of another log than this one");
	return bad_note(w, bad);
}

static int is_there(void *context, const struct store_item *item, struct err *err)
{
	(void)context, (void)item, (void)err;
	return 1;
}

/* Has it never been begun? Then nothing is wrong, and there is nothing to look at. Whoever removed
 * head and records has left something else: items, a checkpoint, or a key that somebody kept. 1, 0
 * or -1. */
static int is_unbegun(const struct walk *w, struct store *s, const struct store_tip *tip,
		      const struct verify_options *o, struct err *err)
{
	if (tip->head_len || tip->has_last || w->notes.count || o->vkey)
		return 0;
	for (unsigned kind = 0; kind < STORE_KINDS; kind++) {
		int r = store_list(s, (enum store_kind)kind, &(struct store_range){.limit = 1},
				   is_there, NULL, err);
		if (r)
			return r < 0 ? -1 : 0;
	}
	return 1;
}

/* The head first, and no further than it knows: others may be adding records meanwhile. */
static int walk_all(struct walk *w, struct store *s, const struct verify_options *o,
		    struct err *err)
{
	struct store_tip tip;
	struct head head = {0};
	struct err none;

	if (s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	int unbegun = is_unbegun(w, s, &tip, o, err);
	if (unbegun)
		return unbegun < 0 ? -1 : chain_none(s->dir, err);
	bool has_head = head_decode(tip.head, tip.head_len, &head, &none) == 0;
	int said = store_read(s, 0, 1, take_genesis, w, err);
	if (said == 0 && w->origin[0])
		said = check_notes(w);
	if (said == 0)
		said = store_read(s, 0, head.tree.size, look_at, w, err);
	if (said == 0)
		said = check_end(w);
	if (said == 0 && w->is_changing)
		said = new_key_is_silent(w, w->tree.size);
	if (said == 0 && w->has_key && !w->met_key && w->tree.size)
		said = found(w, VERIFY_REPLACED, 0, 0,
			     "the key that is trusted has never been this log's");
	if (said)
		return said;
	if (has_head)
		said = check_head(w, &tip, &head);
	else
		said = found(w, VERIFY_HEAD, w->tree.size, w->tree.size,
			     "the head of the log is damaged or gone");
	if (said == 0)
		said = check_kept(w, err);
	return said ? said : check_names(w, s, err);
}

int verify_log(struct store *s, const struct verify_options *options, struct verify_report *report,
	       struct err *err)
{
	struct walk w = {.report = report, .dir = options->dir};

	*report = (struct verify_report){0};
	verify_names_begin(&w.names);
	int said = -1;
	if (choose_key(&w, options, err) == 0 && rotate_keys_load(&w.keys, s, err) == 0 &&
	    kept_notes_load(&w.notes, options->dir, options->notes, options->notes_len, err) == 0)
		said = walk_all(&w, s, options, err);
	rotate_keys_done(&w.keys);
	kept_notes_done(&w.notes);
	merkle_root(&w.tree, report->root);
	return said < 0 ? -1 : 0;
}
