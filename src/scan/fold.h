/* SPDX-License-Identifier: MIT
 *
 * Text as literals are looked for in it: letters of ASCII in lower case, every run of JavaScript's
 * white space one space, the long s an s and the Kelvin sign a k (their case under the flags i and
 * u). `\s+` is then one byte, and "ignore  all\nprevious" a literal. Folding may only make more
 * literals match, never fewer: what it says yes to is asked again of the text itself.
 */
#ifndef CORDON_SCAN_FOLD_H
#define CORDON_SCAN_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* All characters up to U+FFFF have bits of their own: with fewer, noise has every one. */
enum { FOLD_PAD = 16, FOLD_POINTS = 65536 };

#define FOLD_NEWLINE 0x80000000u
#define FOLD_PLACE 0x7fffffffu

struct folded {
	uint8_t *byte; /* LEN of them, then FOLD_PAD times 0xff */
	/* Where in the text it begins, a run of space where the run does; with FOLD_NEWLINE if a
	 * line ends in the run. map[len] is the text's length. */
	uint32_t *map;
	size_t len, room;
	bool control; /* fold_is_control() is true of a character */
	bool letter;  /* a character beyond ASCII has become a letter of ASCII */
	/* Which characters there are beyond ASCII, modulo FOLD_POINTS. Not for a
	 * text of ASCII. */
	uint64_t point[FOLD_POINTS / 64];
};

/* Longer than any text that normal.h makes. */
#define FOLD_TEXT_MAX ((size_t)FOLD_PLACE - 1)

/* Keeps its memory for the next text. ASCII: no byte is beyond 0x7f. */
int fold_text(struct folded *f, const char *text, size_t len, bool ascii, struct err *err);
void fold_done(struct folded *f);

static inline size_t fold_place(const struct folded *f, size_t at)
{
	return f->map[at] & FOLD_PLACE;
}

/* Are there COUNT equal words in a row, apart by spaces, of LEN bytes (not 0) at least? */
bool fold_has_equal_words(const struct folded *f, size_t count, size_t len);

/* Is C white space in JavaScript? */
bool fold_is_space(uint32_t c);
/* Does a line end with C there? */
static inline bool fold_is_newline(uint32_t c)
{
	return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029;
}

/* A character of ASCII that ordinary text does not have. */
static inline bool fold_is_control(uint32_t c)
{
	return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/* The bytes C becomes, up to four; returns how many. */
size_t fold_char(uint32_t c, char *out);

#endif
