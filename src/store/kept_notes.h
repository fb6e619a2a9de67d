/* SPDX-License-Identifier: MIT
 *
 * Reads checkpoints that were kept outside the log, and sorts them by size for verify.c. It judges
 * nothing.
 */
#ifndef CORDON_STORE_KEPT_NOTES_H
#define CORDON_STORE_KEPT_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "store/note.h"

enum { KEPT_NOTES_MAX = 1 << 20 };
#define KEPT_NOTES_FILE_MAX ((size_t)64 << 20)

/* The next whole note of a file; false at its end. Skips everything else. *AT begins as 0. */
struct kept_text {
	const char *data;
	size_t len;
};
bool kept_notes_next(const char *file, size_t len, size_t *at, struct kept_text *ret,
		     struct note *note);

struct kept_note {
	uint64_t size;
	uint8_t root[MERKLE_HASH];
	struct kept_text text;
};

struct kept_notes {
	struct kept_note *note;
	size_t count, room;
};

/* N points into FILE. NULL: no notes. */
int kept_notes_load(struct kept_notes *n, const char *file, size_t len, struct err *err);
bool kept_note_is_of(const struct kept_note *n, const char *origin);
bool kept_note_is_signed(const struct kept_note *n, const char *origin,
			 const uint8_t public[KEY_PUBLIC]);
void kept_notes_done(struct kept_notes *n);

#endif
