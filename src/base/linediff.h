/* SPDX-License-Identifier: MIT
 *
 * The difference of two texts, line by line.
 */
#ifndef CORDON_BASE_LINEDIFF_H
#define CORDON_BASE_LINEDIFF_H

#include <stdbool.h>
#include <stddef.h>

enum {
	LINEDIFF_LINES_MAX = 2000
}; /* differing lines of one side; beyond it all count as changed */

struct linediff_line {
	const char *text;
	size_t len, number; /* from 1, in its own text */
	bool added;	    /* false: removed */
	bool unended; /* the last line, without a newline: with one it would be another line */
};
typedef void linediff_fn(void *context, const struct linediff_line *line);

struct linediff_text {
	const char *data;
	size_t len;
};
/* Calls FN for each line that is in only one text, in order. 1: over the maximum. -1: out of memory. */
int linediff(struct linediff_text from, struct linediff_text to, linediff_fn *fn, void *context);

#endif
