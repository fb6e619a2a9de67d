/* SPDX-License-Identifier: MIT
 *
 * Text as two writings of the same thing are compared in it: lower case, without white space,
 * quotes, backslashes and the marks of comments, lists and quotations, so that code which was
 * indented, quoted or wrapped anew is still the same text. Each byte knows where it came from.
 * Takes any bytes and time linear in them. Says nothing about what the text means.
 */
#ifndef CORDON_TRUST_CANON_H
#define CORDON_TRUST_CANON_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The longest text: a place in it is 24 bits of a fingerprint (winnow.h). */
#define CANON_TEXT_MAX (((size_t)1 << 24) - 1)

struct canon {
	uint8_t *byte;
	uint32_t *map; /* where in the text; map[len] is the text's length */
	size_t len, room;
};

/* Keeps its memory for the next text. ERR_LIMIT: the text is too long. */
int canon_text(struct canon *c, const char *text, size_t len, struct err *err);
void canon_done(struct canon *c);
/* Behind the last byte of the character that became the I-th. TEXT: what C was made of. */
size_t canon_end(const struct canon *c, const char *text, size_t i);

#define AUTO_CANON __attribute__((cleanup(canon_done)))

#endif
