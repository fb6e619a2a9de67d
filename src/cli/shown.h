/* SPDX-License-Identifier: MIT
 *
 * Text that somebody else wrote, shown so that it can do nothing but be read: nothing a terminal or
 * an eye would obey, nothing unseen, and letters of another script among Latin ones written out. A
 * line that is longer than the terminal goes on behind a sign of ours: left to the terminal, it
 * would go on at the beginning of a row, where only we write.
 */
#ifndef CORDON_CLI_SHOWN_H
#define CORDON_CLI_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	SHOWN_WIDTH_MIN = 40,
	SHOWN_WIDTH = 80, /* where nobody knows: a pager's terminal, a mail */
	SHOWN_WIDTH_MAX = 512,
	SHOWN_SHORT = 200, /* bytes of somebody's text in a line of a list */
};

/* How a line is shown. MARK has a byte for each of the text's, other than 0 where it is marked; or
 * is NULL. */
struct shown {
	FILE *to;
	bool colour;	   /* marks are colours; else a row of ^ below the line, behind BELOW */
	const char *below; /* as wide as MORE */
	const char *more;  /* what a row begins with that goes on with the line */
	size_t width;	   /* columns; shown_width */
	const uint8_t *mark;
};

/* Columns of the terminal behind TO, or what to take for it. */
size_t shown_width(FILE *to);
/* One line, without its end; a newline follows. COLUMN: where it begins. */
void shown_line(const struct shown *s, size_t column, const char *text, size_t len);
/* A part of a line of ours. Returns where it ends. */
size_t shown_text(const struct shown *s, size_t column, const char *text);
/* The same where a line of ours is short and nothing is marked. */
void shown_words(FILE *to, const char *text);
/* The same of a text that may be long: its first SHOWN_SHORT bytes, about. How many it has beyond that, which
 * SHOWN_MORE tells. */
#define SHOWN_MORE "... (%zu bytes more)"
size_t shown_short(FILE *to, const char *text, size_t len);
/* Is it shown as it is? Tabs, ends of lines and a return before one count as plain. */
bool shown_is_plain(const char *text, size_t len);

#endif
