/* SPDX-License-Identifier: MIT
 *
 * The canonical form in which texts are compared: lower case, without white space, quotes,
 * backslashes and the marks of comments, lists and quotations. So code stays equal when it is
 * indented, quoted or wrapped in another way. Each byte has its place in the original. Accepts any
 * bytes; time is linear.
 */
#ifndef CORDON_TRUST_EVIDENCE_CANONICAL_TEXT_H
#define CORDON_TRUST_EVIDENCE_CANONICAL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The longest text: a fingerprint has 24 bits for the place. */
#define CANON_TEXT_MAX (((size_t)1 << 24) - 1)

struct canon {
	uint8_t *byte;
	uint32_t *map; /* place in the text; map[len] is its length */
	size_t len, room;
};

/* Reuses the memory of C. ERR_LIMIT: the text is too long. */
int canon_text(struct canon *c, const char *text, size_t len, struct err *err);
void canon_done(struct canon *c);
/* The place after the character that became byte I. TEXT is the text that C was made from. */
size_t canon_end(const struct canon *c, const char *text, size_t i);

#define AUTO_CANON __attribute__((cleanup(canon_done)))

#endif
