/* SPDX-License-Identifier: MIT
 *
 * What is new in a text, line by line.
 */
#ifndef CORDON_CLI_LINEDIFF_H
#define CORDON_CLI_LINEDIFF_H

#include <stdbool.h>
#include <stddef.h>

enum { LINEDIFF_LINES_MAX = 2000 }; /* that differ, of one side: beyond them all are new */

struct linediff_line {
	const char *text;
	size_t len, number; /* from 1, of its own side */
	bool added;	    /* else removed */
};
typedef void linediff_fn(void *context, const struct linediff_line *line);

struct linediff_text {
	const char *data;
	size_t len;
};
/* Calls FN for each line that only one of them has, in order. 1: they were too different to be
 * compared line by line. -1: no memory. */
int linediff(struct linediff_text from, struct linediff_text to, linediff_fn *fn, void *context);

#endif
