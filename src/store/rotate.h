/* SPDX-License-Identifier: MIT
 *
 * Rotation of the log's key. In one record the old key signs the new key; the next record is a
 * checkpoint that the new key signs. A verifier with the first key, or any later one, follows the
 * chain of keys through the records and accepts no other key. The old key is deleted: a copy of it,
 * stolen earlier, can only sign a log that ends before the change.
 */
#ifndef CORDON_STORE_ROTATE_H
#define CORDON_STORE_ROTATE_H

#include "store/note.h"
#include "store/record.h"
#include "store/store.h"

enum { ROTATE_MAX = 1024 }; /* rotations of one log */
#define ROTATE_REF "key:log"

/* Replaces the log's key by a new one. ERR_CONFLICT: another process was faster. */
int store_rotate(struct store *s, uint64_t *ret_record, struct err *err);

/* Is the record a rotation? Records of people's keys have the same kind. */
bool rotate_is(const struct record *r);
/* *RET is the new key; false: FROM has not signed it. */
bool rotate_read(const struct record *r, const char *origin, const uint8_t from[KEY_PUBLIC],
		 uint8_t ret[KEY_PUBLIC]);

/* The keys after the first that the records name, unchecked: verify checks each in its place. */
struct rotate_keys {
	uint8_t (*key)[KEY_PUBLIC];
	size_t count;
};
int rotate_keys_load(struct rotate_keys *k, struct store *s, struct err *err);
void rotate_keys_done(struct rotate_keys *k);
bool rotate_keys_has(const struct rotate_keys *k, const uint8_t public[KEY_PUBLIC]);
/* Has one of them, or FIRST, signed the note? *AT remembers which one, and begins as 0: notes in
 * order of size mostly have the same key as the note before. */
bool rotate_keys_signed(const struct rotate_keys *k, const uint8_t first[KEY_PUBLIC],
			const struct note_entry *note, const char *origin, size_t *at);

#endif
