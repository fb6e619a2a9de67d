/* SPDX-License-Identifier: MIT
 *
 * What is signed: the checkpoints in the log and those that were kept outside it, and the keys that may
 * have signed them. What a key has not signed proves nothing here, whoever says it.
 */
#include <string.h>

#include "store/chain.h"
#include "store/verify_walk.h"

/* Can the trusted key be one of this log's? A later one may have gone with the end of the log: then a
 * checkpoint that was kept is signed with it. */
bool verify_may_have_key(const struct verify_walk *w)
{
	if (!w->has_key || w->met_key || rotate_keys_has(&w->keys, w->trusted))
		return true;
	for (size_t i = 0; i < w->notes.count; i++)
		if (kept_note_is_signed(&w->notes.note[i], w->origin, w->trusted))
			return true;
	return false;
}

static int forked(struct verify_walk *w, uint64_t from, uint64_t size)
{
	return verify_found(w, VERIFY_FORKED, from, size - 1,
			    "of the records %llu to %llu at least one is not as it was signed",
			    (unsigned long long)from, (unsigned long long)size - 1);
}

/* Up to where the log is as those that were kept before this one say: who has the log's key can sign
 * another end, and what the log signs itself says nothing then. */
static uint64_t agreed(const struct verify_walk *w, uint64_t size)
{
	size_t i = w->next_note;

	while (i > 0 && w->notes.note[i - 1].size >= size)
		i--;
	return i > 0 ? w->notes.note[i - 1].size : 0;
}

/* Those of its size and smaller were met with the record before. */
static void count_unkept(struct verify_walk *w, uint64_t size)
{
	bool is_kept = w->next_note && w->notes.note[w->next_note - 1].size == size;

	w->report->unkept += w->last_unkept;
	w->last_unkept = w->dir >= 0 && !is_kept;
}

/* A checkpoint in the log is about all records before it. */
int verify_checkpoint(struct verify_walk *w, const struct record *r)
{
	char text[NOTE_MAX];
	uint8_t root[MERKLE_HASH];
	struct note note;
	struct err err;

	if (!jcs_text_at(r->body, "note", text, sizeof(text)) ||
	    note_parse(text, strlen(text), &note, &err) < 0 || note.size != r->seq)
		return verify_found(w, VERIFY_FORM, r->seq, r->seq, "record %llu is no checkpoint",
				    (unsigned long long)r->seq);
	if (strcmp(note.origin, w->origin) != 0 ||
	    !note_is_signed(text, strlen(text), &note, w->public))
		return verify_found(
			w, VERIFY_SIGNATURE, r->seq, r->seq,
			"the checkpoint in record %llu is not signed with the log's key",
			(unsigned long long)r->seq);
	merkle_root(&w->tree, root);
	if (memcmp(root, note.root, MERKLE_HASH) != 0)
		return forked(w, w->signed_to, note.size);
	count_unkept(w, note.size);
	w->signed_to = note.size;
	w->report->checkpoints++;
	w->is_changing = false;
	w->met_key |= memcmp(w->public, w->trusted, KEY_PUBLIC) == 0;
	return 0;
}

/* From here on it is another key's log, if the one before has signed that. */
int verify_change_key(struct verify_walk *w, const struct record *r)
{
	if (!rotate_read(r, w->origin, w->public, w->public))
		return verify_found(w, VERIFY_SIGNATURE, r->seq, r->seq,
				    "the new key in record %llu is not signed with the log's key",
				    (unsigned long long)r->seq);
	w->report->rotations++;
	w->is_changing = true;
	return 0;
}

int verify_new_key_is_silent(struct verify_walk *w, uint64_t seq)
{
	return verify_found(w, VERIFY_SIGNATURE, seq - 1, seq,
			    "record %llu names a new key that has signed nothing",
			    (unsigned long long)seq - 1);
}

static int bad_note(struct verify_walk *w, const struct kept_note *n)
{
	return verify_found(w, VERIFY_SIGNATURE, 0, n->size ? n->size - 1 : 0,
			    "a kept checkpoint of %llu records is not signed with the log's key",
			    (unsigned long long)n->size);
}

/* Who writes the log signs it as it begins and then every so many records (chain.c). A log that does
 * without was made by somebody who has no key: dropping the checkpoints must not help. */
int verify_check_signed(struct verify_walk *w, const struct record *r)
{
	uint64_t size = r->seq + 1;

	if (r->seq == 0 || r->kind == RECORD_CHECKPOINT)
		return 0;
	if (r->seq > 1 && size - w->signed_to <= VERIFY_UNSIGNED_MAX)
		return 0;
	return verify_found(w, VERIFY_SIGNATURE, w->signed_to, r->seq,
			    "the records %llu to %llu were never signed",
			    (unsigned long long)w->signed_to, (unsigned long long)r->seq);
}

int verify_meet_notes(struct verify_walk *w)
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
			return forked(w, agreed(w, n->size), n->size);
		if (w->keys.count && !kept_note_is_signed(n, w->origin, w->public))
			return bad_note(w, n);
		w->report->kept++;
		w->signed_to = n->size;
	}
	return 0;
}

/* Who cuts the log off removes what would contradict it. Some may be missing for other reasons, which
 * is told and is no problem: others write the same log, or there was no room for one. */
int verify_check_kept(struct verify_walk *w, struct err *err)
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
	verify_found(w, VERIFY_UNKEPT, 0, 0,
		     "the file " CHECKPOINT_FILE
		     " is gone, and the log has %llu: its end may have been "
		     "cut off",
		     (unsigned long long)w->report->checkpoints);
	w->report->has_record = false;
	return 1;
}

/* Whom to believe: the caller, or the key beside the log; else only what the log says itself. */
int verify_choose_key(struct verify_walk *w, const struct verify_options *o, struct err *err)
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

/* Notes from outside are of this log and signed with a key that it had or that is trusted, or they
 * say that something is wrong. With which one is looked at when they are met. */
int verify_check_notes(struct verify_walk *w)
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
		return verify_found(w, VERIFY_REPLACED, 0, 0,
				    "a kept checkpoint is of another log than this one");
	return bad_note(w, bad);
}
