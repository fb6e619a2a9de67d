/* SPDX-License-Identifier: MIT
 *
 * A log's key is changed by a record in which the old key signs the new one; the next record is a
 * checkpoint that the new one has signed. So whoever knows the first key, or any later one, follows
 * the chain of keys through the records, and a key that nobody signed is none of this log's. The old
 * key is not kept: who steals it afterwards gets nothing, and who has stolen it before can only sign
 * what lies before the change.
 */
#ifndef CORDON_STORE_ROTATE_H
#define CORDON_STORE_ROTATE_H

#include "store/kept_notes.h"
#include "store/record.h"
#include "store/store.h"

enum { ROTATE_MAX = 1024 }; /* of one log */
#define ROTATE_REF "key:log"
#define ROTATE_NEXT "log.key.next"

/* The log's key is a new one when it returns 0. ERR_CONFLICT: somebody else was faster. */
int store_rotate(struct store *s, uint64_t *ret_record, struct err *err);
/* Puts the key that the log already names into its place, if a rotation was cut off before that.
 * 0: *RET is it. 1: there is none. */
int rotate_finish(int dir, const uint8_t public[KEY_PUBLIC], struct key *ret, struct err *err);

/* Is it about the log's own key? People's keys have records of that kind too. */
bool rotate_is(const struct record *r);
/* False: FROM has not signed it. *RET is the new one. */
bool rotate_read(const struct record *r, const char *origin, const uint8_t from[KEY_PUBLIC],
		 uint8_t ret[KEY_PUBLIC]);

/* What keys the log says it had after its first, not believed: verify walks the records. */
struct rotate_keys {
	uint8_t (*key)[KEY_PUBLIC];
	size_t count;
};
int rotate_keys_load(struct rotate_keys *k, struct store *s, struct err *err);
void rotate_keys_done(struct rotate_keys *k);
bool rotate_keys_has(const struct rotate_keys *k, const uint8_t public[KEY_PUBLIC]);
/* Has one of them, or FIRST, signed it? *AT is which one, and begins as 0: who asks about notes in
 * their order finds each at once. */
bool rotate_keys_signed(const struct rotate_keys *k, const uint8_t first[KEY_PUBLIC],
			const struct kept_note *note, const char *origin, size_t *at);

#endif
