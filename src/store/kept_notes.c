/* SPDX-License-Identifier: MIT
 *
 * Reads the file of checkpoints and what the caller kept elsewhere into one sorted list.
 */
#include "store/kept_notes.h"

#include <stdlib.h>
#include <string.h>

#include "store/verify.h"

static int add(struct kept_notes *n, const struct note *note, struct checkpoint_text text,
	       struct err *err)
{
	if (n->count == VERIFY_NOTES_MAX)
		return err_set(err, ERR_LIMIT, "there are over %d checkpoints", VERIFY_NOTES_MAX);
	if (n->count == n->room) {
		size_t room = n->room ? 2 * n->room : 64;
		struct kept_note *grown = realloc(n->note, room * sizeof(*grown));
		if (!grown)
			return err_memory(err);
		n->note = grown;
		n->room = room;
	}
	struct kept_note *kept = &n->note[n->count++];
	*kept = (struct kept_note){.size = note->size, .text = text};
	memcpy(kept->root, note->root, MERKLE_HASH);
	return 0;
}

static int add_all(struct kept_notes *n, const char *file, size_t len, struct err *err)
{
	struct checkpoint_text text;
	struct note note;

	for (size_t at = 0; checkpoint_next(file, len, &at, &text, &note);)
		if (add(n, &note, text, err) < 0)
			return -1;
	return 0;
}

/* Who brings a checkpoint along must not believe that it was looked at when it is none. */
static int add_callers(struct kept_notes *n, const char *more, size_t len, struct err *err)
{
	size_t before = n->count;

	if (add_all(n, more, len, err) < 0)
		return -1;
	return n->count > before ? 0 : err_set(err, ERR_INPUT, "this is no checkpoint");
}

static int by_size(const void *a, const void *b)
{
	const struct kept_note *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

int kept_notes_load(struct kept_notes *n, int dir, const char *more, size_t more_len,
		    struct err *err)
{
	size_t len = 0;

	*n = (struct kept_notes){0};
	if ((dir >= 0 && checkpoint_read(dir, &n->file, &len, err) < 0) ||
	    (n->file && add_all(n, n->file, len, err) < 0) ||
	    (more && add_callers(n, more, more_len, err) < 0)) {
		kept_notes_done(n);
		return -1;
	}
	if (n->count)
		qsort(n->note, n->count, sizeof(*n->note), by_size);
	return 0;
}

bool kept_note_is_of(const struct kept_note *n, const char *origin)
{
	size_t len = strlen(origin);

	return n->text.len > len && memcmp(n->text.data, origin, len) == 0 &&
	       n->text.data[len] == '\n';
}

bool kept_note_is_signed(const struct kept_note *n, const char *origin,
			 const uint8_t public[KEY_PUBLIC])
{
	struct note note;
	struct err err;

	return kept_note_is_of(n, origin) &&
	       note_parse(n->text.data, n->text.len, &note, &err) == 0 &&
	       note_is_signed(n->text.data, n->text.len, &note, public);
}

void kept_notes_done(struct kept_notes *n)
{
	free(n->note);
	free(n->file);
	*n = (struct kept_notes){0};
}
