/* SPDX-License-Identifier: MIT
 *
 * Text that somebody else wrote, shown so that it can do nothing but be read: nothing a terminal or
 * an eye would obey, nothing unseen, and letters of another script among Latin ones written out.
 */
#ifndef CORDON_CLI_SHOWN_H
#define CORDON_CLI_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How a line is shown. MARK has a byte for each of the text's, other than 0 where it is marked; or
 * is NULL. */
struct shown {
	FILE *to;
	bool colour; /* marks are colours; else a row of ^ below the line, behind BELOW */
	const char *below;
	const uint8_t *mark;
};

/* One line, without its end; a newline follows. */
int shown_line(const struct shown *s, const char *text, size_t len);
/* A part of a line of ours. */
void shown_text(FILE *to, const char *text);

#endif
