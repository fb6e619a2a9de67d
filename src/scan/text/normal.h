/* SPDX-License-Identifier: MIT
 *
 * Text as rules see it. Input is any bytes; invalid UTF-8 becomes U+FFFD, as when Node.js reads a
 * file. The normalised form is NFKC without zero-width and direction marks. If the text has a
 * letter of certain scripts, letters that look like Latin ones are replaced by those. The
 * reference engine does this for each condition; here it is done once.
 * Expressions without the flag u count UTF-16 code units. So a text with characters beyond U+FFFF
 * has a second form in which each half of a surrogate pair has three bytes of its own.
 */
#ifndef CORDON_SCAN_NORMAL_H
#define CORDON_SCAN_NORMAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The longest text. A normalised text may be NORMAL_GROWTH_MAX times as long, but at most
 * NORMAL_GROWN_MAX: a longer one is an attack on memory, and an error. */
#define NORMAL_TEXT_MAX ((size_t)64 << 20)
#define NORMAL_GROWN_MAX (3 * NORMAL_TEXT_MAX) /* the growth when every byte becomes U+FFFD */
enum { NORMAL_GROWTH_MAX = 11 };

struct scan_text {
	const char *data; /* UTF-8 */
	size_t len;
	const char *unit; /* UTF-16 code units as three bytes at most; DATA when that is the same */
	size_t unit_len;
	size_t utf16; /* its length in JavaScript */
	bool ascii;
	char *owned, *owned_unit;
};

/* DATA is borrowed and must stay valid. It is copied only when it is not UTF-8. */
int normal_decode(const char *data, size_t len, struct scan_text *ret, struct err *err);
/* When nothing changes, RET borrows from RAW: ret->data == raw->data. */
int normal_fold(const struct scan_text *raw, struct scan_text *ret, struct err *err);
/* The same, but lookalike letters stay. */
int normal_strip(const struct scan_text *raw, struct scan_text *ret, struct err *err);
void normal_done(struct scan_text *text);
/* The UTF-16 index of the byte at OFFSET of DATA (or of UNIT). */
size_t normal_utf16_at(const char *form, size_t offset);
/* The reverse: the byte at which the character of code unit UNIT begins, or LEN. */
size_t normal_byte_at(const char *form, size_t len, size_t unit);

#endif
