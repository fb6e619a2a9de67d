/* SPDX-License-Identifier: MIT
 *
 * The operator appends notes to one file, possibly with other text between them. A note that was
 * cut short ends where the next one begins and spoils no other.
 */
#include "store/kept_notes.h"

#include <stdlib.h>
#include <string.h>

#define GAP "\n\n"
#define SIGNATURE "\xe2\x80\x94 "

static int add(struct kept_notes *n, const struct note *note, struct kept_text text,
	       struct err *err)
{
	if (n->count == KEPT_NOTES_MAX)
		return err_set(err, ERR_LIMIT, "the file has over %d checkpoints", KEPT_NOTES_MAX);
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

/* A block of lines up to an empty line or the end. */
static bool next_block(const char *file, size_t len, size_t *at, struct kept_text *ret)
{
	while (*at < len && file[*at] == '\n')
		++*at;
	if (*at == len)
		return false;
	const char *end = memmem(file + *at, len - *at, GAP, sizeof(GAP) - 1);
	size_t to = end ? (size_t)(end - file) + 1 : len;
	*ret = (struct kept_text){file + *at, to - *at};
	*at = to;
	return true;
}

static bool is_signatures(struct kept_text block)
{
	return block.len >= sizeof(SIGNATURE) - 1 &&
	       memcmp(block.data, SIGNATURE, sizeof(SIGNATURE) - 1) == 0;
}

/* A note is two blocks: its text, then its signatures. */
bool kept_notes_next(const char *file, size_t len, size_t *at, struct kept_text *ret,
		     struct note *note)
{
	struct kept_text text = {0}, block;
	struct err err;

	while (next_block(file, len, at, &block)) {
		if (text.len && is_signatures(block)) {
			struct kept_text whole = {text.data,
						  (size_t)(block.data + block.len - text.data)};
			if (note_parse(whole.data, whole.len, note, &err) == 0 &&
			    note_is_whole(whole.data, whole.len, note)) {
				*ret = whole;
				return true;
			}
		}
		text = block;
	}
	return false;
}

static int by_size(const void *a, const void *b)
{
	const struct kept_note *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

int kept_notes_load(struct kept_notes *n, const char *file, size_t len, struct err *err)
{
	struct kept_text text;
	struct note note;

	*n = (struct kept_notes){0};
	for (size_t at = 0; file && kept_notes_next(file, len, &at, &text, &note);)
		if (add(n, &note, text, err) < 0) {
			kept_notes_done(n);
			return -1;
		}
	/* A file without a checkpoint must not pass as checked. */
	if (file && !n->count)
		return err_set(err, ERR_INPUT, "the file has no checkpoint");
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
	*n = (struct kept_notes){0};
}
