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
#include "store/verify_walk.h"

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

/* Ends the pass: 1. */
int verify_found(struct verify_walk *w, enum verify_problem problem, uint64_t first, uint64_t last,
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

/* The first record says which log it is and whose. */
static int genesis(struct verify_walk *w, const struct record *r)
{
	uint8_t log_id[HEAD_LOG_ID], public[KEY_PUBLIC];
	char origin[NOTE_ORIGIN_MAX + 1];

	if (r->kind != RECORD_GENESIS || !jcs_hex_at(r->body, "log", log_id, sizeof(log_id)) ||
	    !jcs_hex_at(r->body, "key", public, sizeof(public)))
		return verify_found(w, VERIFY_FORM, 0, 0, "record 0 does not begin a log");
	note_origin(log_id, origin);
	if (w->origin[0] && strcmp(origin, w->origin) != 0)
		return verify_found(w, VERIFY_REPLACED, 0, 0, "this is %s, and %s was expected",
				    origin, w->origin);
	memcpy(w->origin, origin, sizeof(origin));
	memcpy(w->public, public, sizeof(public));
	w->met_key = memcmp(public, w->trusted, KEY_PUBLIC) == 0;
	return verify_may_have_key(w)
		       ? 0
		       : verify_found(w, VERIFY_REPLACED, 0, 0,
				      "record 0 names another key than the one that is trusted");
}

static int check_place(struct verify_walk *w, const struct store_row *row)
{
	uint64_t next = w->tree.size;

	if (row->seq == next)
		return 0;
	return verify_found(w, VERIFY_MISSING, next, row->seq - 1, "record %llu is missing",
			    (unsigned long long)next);
}

static int check_chain(struct verify_walk *w, const struct store_row *row, const struct record *r)
{
	unsigned long long seq = row->seq;
	uint8_t hash[RECORD_HASH];

	if (r->seq != row->seq)
		return verify_found(w, VERIFY_ORDER, seq, seq,
				    "record %llu stands in the place of %llu",
				    (unsigned long long)r->seq, seq);
	record_hash(row->bytes, row->len, hash);
	if (memcmp(hash, row->hash, RECORD_HASH) != 0)
		return verify_found(w, VERIFY_EDITED, seq, seq, "record %llu has been changed",
				    seq);
	if (memcmp(r->prev, w->last, RECORD_HASH) != 0)
		return verify_found(w, VERIFY_EDITED, seq ? seq - 1 : 0, seq,
				    "record %llu is not the one that record %llu was chained to",
				    seq ? seq - 1 : 0, seq);
	memcpy(w->last, hash, RECORD_HASH);
	return 0;
}

static int check_names(struct verify_walk *w, struct store *s, struct err *err)
{
	int said = verify_names_check(&w->names, s, w->tree.size, err);

	if (said <= 0)
		return said;
	verify_found(
		w, VERIFY_INDEX, 0, 0,
		"the records are whole, but they are not found by all their names, and no others");
	w->report->has_record = false;
	return 1;
}

static int look_at(void *context, const struct store_row *row, struct err *err)
{
	struct verify_walk *w = context;
	uint8_t leaf[MERKLE_HASH];
	struct record r;
	int said = check_place(w, row);

	if (said)
		return said;
	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return verify_found(w, VERIFY_FORM, row->seq, row->seq,
				    "record %llu is not as Cordon writes it",
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
	verify_names_add(&w->names, &r);
	merkle_leaf(row->bytes, row->len, leaf);
	merkle_add(&w->tree, leaf);
	w->report->records++;
	return verify_meet_notes(w);
}

/* More was signed than the records there are: the end is gone. */
static int check_end(struct verify_walk *w)
{
	if (w->next_note == w->notes.count)
		return 0;
	uint64_t size = w->notes.note[w->notes.count - 1].size;
	return verify_found(w, VERIFY_TRUNCATED, w->tree.size, size - 1,
			    "record %llu is missing: %llu were signed, %llu are there",
			    (unsigned long long)w->tree.size, (unsigned long long)size,
			    (unsigned long long)w->tree.size);
}

static int check_head(struct verify_walk *w, const struct store_tip *tip, const struct head *head)
{
	uint64_t size = w->tree.size;

	if (head->tree.size > size)
		return verify_found(w, VERIFY_MISSING, size, head->tree.size - 1,
				    "record %llu is missing: the head knows %llu",
				    (unsigned long long)size, (unsigned long long)head->tree.size);
	if (size && memcmp(head->last, w->last, RECORD_HASH) != 0)
		return verify_found(w, VERIFY_EDITED, size - 1, size - 1,
				    "the last record, %llu, has been changed",
				    (unsigned long long)size - 1);
	if (tip->last_seq >= size)
		return verify_found(w, VERIFY_HEAD, size, tip->last_seq,
				    "there are records after the last that the head knows, %llu",
				    (unsigned long long)size - 1);
	if (memcmp(head->tree.edge, w->tree.edge, (size_t)merkle_edges(&w->tree) * MERKLE_HASH) !=
		    0 ||
	    memcmp(head->public, w->public, KEY_PUBLIC) != 0)
		return verify_found(w, VERIFY_HEAD, size, size,
				    "the head of the log does not fit to its records");
	return 0;
}

static int take_genesis(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0 || r.seq != 0)
		return verify_found(context, VERIFY_FORM, 0, 0,
				    "record 0 is not as Cordon writes it");
	return genesis(context, &r);
}

static int is_there(void *context, const struct store_item *item, struct err *err)
{
	(void)context, (void)item, (void)err;
	return 1;
}

/* Has it never been begun? Then nothing is wrong, and there is nothing to look at. Whoever removed
 * head and records has left something else: items, a checkpoint, or a key that somebody kept. 1, 0
 * or -1. */
static int is_unbegun(const struct verify_walk *w, struct store *s, const struct store_tip *tip,
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
		return unbegun < 0 ? -1 : chain_none(s->dir, err);
	bool has_head = head_decode(tip.head, tip.head_len, &head, &none) == 0;
	int said = store_read(s, 0, 1, take_genesis, w, err);
	if (said == 0 && w->origin[0])
		said = verify_check_notes(w);
	if (said == 0)
		said = store_read(s, 0, head.tree.size, look_at, w, err);
	if (said == 0)
		said = check_end(w);
	if (said == 0 && w->is_changing)
		said = verify_new_key_is_silent(w, w->tree.size);
	if (said == 0 && w->has_key && !w->met_key && w->tree.size)
		said = verify_found(w, VERIFY_REPLACED, 0, 0,
				    "the key that is trusted has never been this log's");
	if (said)
		return said;
	if (has_head)
		said = check_head(w, &tip, &head);
	else
		said = verify_found(w, VERIFY_HEAD, w->tree.size, w->tree.size,
				    "the head of the log is damaged or gone");
	if (said == 0)
		said = verify_check_kept(w, err);
	return said ? said : check_names(w, s, err);
}

/* What no backend takes for a row of ours is no failure to look: somebody made it so. One that reads many
 * at once has given none of them: they are read one by one up to that. */
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
	verify_found(w, w->has_tip ? VERIFY_FORM : VERIFY_HEAD, at, at, "%s", err->message);
	w->report->has_record = w->has_tip;
	return 1;
}

int verify_log(struct store *s, const struct verify_options *options, struct verify_report *report,
	       struct err *err)
{
	struct verify_walk w = {.report = report, .dir = options->dir};

	*report = (struct verify_report){0};
	verify_names_begin(&w.names);
	int said = -1;
	if (verify_choose_key(&w, options, err) == 0 && rotate_keys_load(&w.keys, s, err) == 0 &&
	    kept_notes_load(&w.notes, options->dir, options->notes, options->notes_len, err) == 0) {
		said = walk_all(&w, s, options, err);
		if (said < 0 && err->code == ERR_INPUT && !w.is_unbegun)
			said = damaged(&w, s, err);
	}
	rotate_keys_done(&w.keys);
	kept_notes_done(&w.notes);
	merkle_root(&w.tree, report->root);
	return said < 0 ? -1 : 0;
}
