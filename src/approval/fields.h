/* SPDX-License-Identifier: MIT
 *
 * Structs as bytes, by a table of their members. The encoding is canonical, so a hash of the bytes
 * identifies the content: members in the order of the table, numbers as eight bytes, texts and lists
 * after their length. The decoder rejects every other form.
 */
#ifndef CORDON_APPROVAL_FIELDS_H
#define CORDON_APPROVAL_FIELDS_H

#include "approval/approval.h"
#include "store/buf.h"

enum field_type { FIELD_NUMBER, FIELD_BYTES, FIELD_TEXT, FIELD_LIST };

struct field {
	const char *name; /* NULL ends the table */
	enum field_type type;
	size_t offset;
	uint64_t most;		 /* number: maximum; bytes: size; text, list: maximal length */
	unsigned in;		 /* the digests that include it: bits of enum approval_digest */
	const struct field *row; /* of the structs of a list */
	size_t row_size;
};

enum { FIELD_ALWAYS = ~0U };

/* Writes the members that are part of IN. OUT fails if a member is too large or missing. */
void fields_encode(const struct field *f, const void *of, unsigned in, struct buf *out);
/* Reads all members; no byte may follow. The strings and lists of RET belong to A. */
int fields_decode(const struct field *f, const uint8_t *data, size_t len, struct arena *a,
		  void *ret, struct err *err);

#endif
