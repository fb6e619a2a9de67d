/* SPDX-License-Identifier: MIT
 *
 * Folded text, in which literals are searched: ASCII in lower case, every run of JavaScript's
 * white space as one space, the long s as s and the Kelvin sign as k (their case under the flags i
 * and u). So `\s+` is one byte, and "ignore  all\nprevious" is a literal. Folding may only make
 * more literals match, never fewer: each match is confirmed on the text itself.
 */
#ifndef CORDON_SCAN_FOLD_H
#define CORDON_SCAN_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A bit for each character up to U+FFFF. With fewer bits, random text would set all of them. */
enum { FOLD_PAD = 16, FOLD_POINTS = 65536 };

#define FOLD_NEWLINE 0x80000000u
#define FOLD_PLACE 0x7fffffffu

struct folded {
	uint8_t *byte; /* LEN of them, then FOLD_PAD times 0xff */
	/* The byte's place in the text; for a run of spaces, the start of the run, with
	 * FOLD_NEWLINE if a line ends in the run. map[len] is the text's length. */
	uint32_t *map;
	size_t len, room;
	bool control; /* the text has a character for which fold_is_control() is true */
	bool letter;  /* a character beyond ASCII became a letter of ASCII */
	/* The characters beyond ASCII, modulo FOLD_POINTS. Not set for a text of ASCII. */
	uint64_t point[FOLD_POINTS / 64];
};

/* Longer than any text that normal.h makes. */
#define FOLD_TEXT_MAX ((size_t)FOLD_PLACE - 1)

/* Keeps its memory for the next text. ASCII: no byte is above 0x7f. */
int fold_text(struct folded *f, const char *text, size_t len, bool ascii, struct err *err);
void fold_done(struct folded *f);

static inline size_t fold_place(const struct folded *f, size_t at)
{
	return f->map[at] & FOLD_PLACE;
}

/* Are there COUNT equal words in a row, separated by spaces, each of at least LEN (not 0) bytes? */
bool fold_has_equal_words(const struct folded *f, size_t count, size_t len);

/* Is C white space in JavaScript? */
bool fold_is_space(uint32_t c);
/* Does a line end with C there? */
static inline bool fold_is_newline(uint32_t c)
{
	return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029;
}

/* A character of ASCII that ordinary text does not contain. */
static inline bool fold_is_control(uint32_t c)
{
	return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/* Writes the folded bytes of C, up to four; returns how many. */
size_t fold_char(uint32_t c, char *out);

#endif
