/* SPDX-License-Identifier: MIT
 *
 * Which parts of a text stand, byte for byte, in another one. Forms and layers of a text are mostly
 * that text: what was asked about the one need not be asked again about the same bytes of the other.
 * May say less than there is, never more.
 */
#ifndef CORDON_SCAN_SAME_H
#define CORDON_SCAN_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SAME_MIN = 64,	 /* bytes of a part that is worth knowing */
	SAME_MAX = 4096, /* parts */
	SAME_FAR = 8, /* times that what comes next is looked for in the rest of the other text, */
	SAME_FAILED = 4,  /* and times that it is not there: noise is not gone through more often */
	SAME_CONTEXT = 4, /* bytes before a place that belong to it: a character */
};

/* FROM to TO of the text is what begins at AT of the other. */
struct same_part {
	uint32_t from, to, at;
};

struct same {
	size_t count;
	size_t len, other_len;
	struct same_part part[SAME_MAX];
};

/* Texts of which no length is beyond 2^31. */
void same_find(struct same *s, const char *text, size_t len, const char *other, size_t other_len);
/* Stands FROM to TO in the other text, with the same character before it, or the same beginning; and
 * when TO is the text's end, before the other's end? */
bool same_has(const struct same *s, size_t from, size_t to);

#endif
