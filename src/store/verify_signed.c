/* SPDX-License-Identifier: MIT
 *
 * Verifies what is signed: checkpoints in the log, checkpoints kept outside it, and changes of the
 * log's key.
 */
#include <string.h>

#include "store/chain.h"
#include "store/verify_walk.h"

/* Can the trusted key be a key of this log? A later key may be lost with the log's end: then there
 * are unmatched heads, or a kept checkpoint that it signed. */
bool verify_may_have_key(const struct verify_walk *w)
{
	if (!w->has_key || w->met_key || w->heads.has_next || rotate_keys_has(&w->keys, w->trusted))
		return true;
	for (size_t i = 0; i < w->notes.count; i++)
		if (note_entry_is_signed(&w->notes.note[i], w->origin, w->trusted))
			return true;
	return false;
}

static int forked(struct verify_walk *w, uint64_t from, uint64_t size)
{
	return verify_fail(
		w, VERIFY_FORKED, from, size - 1,
		"at least one of the records %llu to %llu is not the one that was signed",
		(unsigned long long)from, (unsigned long long)size - 1);
}

/* The size up to which the kept checkpoints before this one match. The log's own do not count: with
 * the log's key an attacker can sign another end. */
static uint64_t agreed(const struct verify_walk *w, uint64_t size)
{
	size_t i = w->next_note;

	while (i > 0 && w->notes.note[i - 1].size >= size)
		i--;
	return i > 0 ? w->notes.note[i - 1].size : 0;
}

/* A checkpoint in the log signs all records before it. */
int verify_checkpoint(struct verify_walk *w, const struct record *r)
{
	char text[NOTE_MAX];
	uint8_t root[MERKLE_HASH];
	struct note note;
	struct err err;

	if (!jcs_text_at(r->body, "note", text, sizeof(text)) ||
	    note_parse(text, strlen(text), &note, &err) < 0 || note.size != r->seq)
		return verify_fail(w, VERIFY_FORM, r->seq, r->seq,
				   "record %llu is not a checkpoint", (unsigned long long)r->seq);
	if (strcmp(note.origin, w->origin) != 0 ||
	    !note_is_signed(text, strlen(text), &note, w->public))
		return verify_fail(w, VERIFY_SIGNATURE, r->seq, r->seq,
				   "the checkpoint in record %llu is not signed with the log's key",
				   (unsigned long long)r->seq);
	merkle_root(&w->tree, root);
	if (memcmp(root, note.root, MERKLE_HASH) != 0)
		return forked(w, w->signed_to, note.size);
	w->signed_to = note.size;
	w->report->checkpoints++;
	w->is_changing = false;
	w->met_key |= memcmp(w->public, w->trusted, KEY_PUBLIC) == 0;
	return 0;
}

/* The new key must be signed by the key before it. */
int verify_change_key(struct verify_walk *w, const struct record *r)
{
	if (!rotate_read(r, w->origin, w->public, w->public))
		return verify_fail(w, VERIFY_SIGNATURE, r->seq, r->seq,
				   "the new key in record %llu is not signed with the log's key",
				   (unsigned long long)r->seq);
	w->report->rotations++;
	w->is_changing = true;
	return 0;
}

int verify_new_key_is_silent(struct verify_walk *w, uint64_t seq)
{
	return verify_fail(w, VERIFY_SIGNATURE, seq - 1, seq,
			   "the new key in record %llu has signed nothing",
			   (unsigned long long)seq - 1);
}

static int bad_note(struct verify_walk *w, const struct note_entry *n)
{
	return verify_fail(w, VERIFY_SIGNATURE, 0, n->size ? n->size - 1 : 0,
			   "a kept checkpoint of %llu records is not signed with the log's key",
			   (unsigned long long)n->size);
}

/* Cordon signs the log at its begin and then at regular intervals (chain.c). A log with longer gaps
 * was written without the key. */
int verify_check_signed(struct verify_walk *w, const struct record *r)
{
	uint64_t size = r->seq + 1;

	if (r->seq == 0 || r->kind == RECORD_CHECKPOINT)
		return 0;
	if (r->seq > 1 && size - w->signed_to <= VERIFY_UNSIGNED_MAX)
		return 0;
	return verify_fail(w, VERIFY_SIGNATURE, w->signed_to, r->seq,
			   "the records %llu to %llu were never signed",
			   (unsigned long long)w->signed_to, (unsigned long long)r->seq);
}

int verify_compare_notes(struct verify_walk *w)
{
	uint8_t root[MERKLE_HASH];

	if (w->next_note == w->notes.count || w->notes.note[w->next_note].size > w->tree.size)
		return 0;
	merkle_root(&w->tree, root);
	for (; w->next_note < w->notes.count; w->next_note++) {
		const struct note_entry *n = &w->notes.note[w->next_note];
		if (n->size > w->tree.size)
			break;
		if (memcmp(n->root, root, MERKLE_HASH) != 0)
			return forked(w, agreed(w, n->size), n->size);
		if (w->keys.count && !note_entry_is_signed(n, w->origin, w->public))
			return bad_note(w, n);
		w->report->kept++;
		w->signed_to = n->size;
	}
	return 0;
}

/* The trusted key is the caller's, or the one beside the log; else the log's own first key. */
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

/* Kept checkpoints must be of this log, signed with any of its keys or the trusted key. Whether it
 * is the right one is checked when the pass reaches their size. */
int verify_check_notes(struct verify_walk *w)
{
	const struct note_entry *bad = NULL;
	size_t key = 0;

	for (size_t i = 0; i < w->notes.count && !bad; i++) {
		const struct note_entry *n = &w->notes.note[i];
		if (!rotate_keys_signed(&w->keys, w->public, n, w->origin, &key) &&
		    !(w->has_key && note_entry_is_signed(n, w->origin, w->trusted)))
			bad = n;
	}
	if (!bad)
		return 0;
	if (!note_entry_is_of(bad, w->origin))
		return verify_fail(w, VERIFY_REPLACED, 0, 0,
				   "a kept checkpoint belongs to another log");
	return bad_note(w, bad);
}
