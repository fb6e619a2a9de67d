/* SPDX-License-Identifier: MIT
 *
 * Checkpoints that were kept outside the log, in the order of their sizes, for verify.c to meet one
 * after another. It only reads them; what they prove is verify's to say.
 */
#ifndef CORDON_STORE_KEPT_NOTES_H
#define CORDON_STORE_KEPT_NOTES_H

#include "store/checkpoint.h"

struct kept_note {
	uint64_t size;
	uint8_t root[MERKLE_HASH];
	struct checkpoint_text text;
};

struct kept_notes {
	struct kept_note *note;
	size_t count, room;
	char *file; /* what texts point into, beside the caller's */
};

/* From the file in DIR (-1: none) and from the caller's own bytes, which must stay. */
int kept_notes_load(struct kept_notes *n, int dir, const char *more, size_t more_len,
		    struct err *err);
bool kept_note_is_of(const struct kept_note *n, const char *origin);
bool kept_note_is_signed(const struct kept_note *n, const char *origin,
			 const uint8_t public[KEY_PUBLIC]);
void kept_notes_done(struct kept_notes *n);

#endif
