/* SPDX-License-Identifier: MIT
 *
 * Shows untrusted text safely: control characters, invisible characters, and letters of look-alike
 * scripts in Latin words are escaped. A line that is longer than the terminal is continued behind a
 * prefix of Cordon's. The terminal itself would continue it at the beginning of a row, where only
 * Cordon may write.
 */
#ifndef CORDON_SHOW_TERMINAL_H
#define CORDON_SHOW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum {
	TERMINAL_WIDTH_MIN = 40,
	TERMINAL_WIDTH = 80, /* if the width is unknown: a pager, a mail */
	TERMINAL_WIDTH_MAX = 512,
	TERMINAL_SHORT = 200, /* bytes of untrusted text in a line of a list */
};

/* How to show a line. MARK has one byte for each byte of the text, other than 0 if that byte is
 * marked; or MARK is NULL. */
struct terminal_style {
	FILE *to;
	bool colour; /* show marks by colour; else by a row of ^ below the line, after BELOW */
	const char *below; /* as wide as MORE */
	const char *more;  /* the prefix of a continued row */
	size_t width;	   /* columns; terminal_width */
	const uint8_t *mark;
};

/* The columns of the terminal behind TO, or TERMINAL_WIDTH. */
size_t terminal_width(FILE *to);
/* Prints TEXT, without a newline in it, and a newline. COLUMN: where it begins. */
void terminal_line(const struct terminal_style *s, size_t column, const char *text, size_t len);
/* Prints a part of a line. Returns the column where it ends. */
size_t terminal_text(const struct terminal_style *s, size_t column, const char *text);
/* The same for a short line without marks. */
void terminal_words(FILE *to, const char *text);
/* The same for about the first TERMINAL_SHORT bytes of a text, then TERMINAL_MORE. Returns the number
 * of omitted bytes. */
#define TERMINAL_MORE "... (%zu bytes more)"
size_t terminal_short(FILE *to, const char *text, size_t len);
/* Nothing in it needs an escape. Tabs, newlines and a return before a newline count as plain. */
bool terminal_is_plain(const char *text, size_t len);

/* TO is a terminal, and NO_COLOR is not set. */
bool terminal_has_colour(FILE *to);
/* Prints untrusted text with control characters escaped. */
void terminal_print_text(FILE *to, const char *text);
/* One line of Cordon's own on standard error: "cordon: LABEL" and TEXT from outside. */
void terminal_say(const char *label, const char *text);
void terminal_print_error(const struct err *err);
/* Reports that not all of standard output could be written. */
void terminal_print_lost(void);
/* Microseconds since 1970 as people read them. Returns BUF. */
enum { TERMINAL_TIME_MAX = 32 };
const char *terminal_time(uint64_t us, char buf[TERMINAL_TIME_MAX]);

#endif
