/* SPDX-License-Identifier: MIT
 *
 * "Did you mean ...?": finds the name in a table that is nearest to a mistyped word. The result is
 * always from the table and never from the word, so it is safe to print.
 */
#ifndef CORDON_BASE_NEAREST_H
#define CORDON_BASE_NEAREST_H

#include <stddef.h>

#include "base/err.h"

enum { NEAREST_MAX = 64 }; /* a longer word is near to no name */

/* For names in several tables: nearest_begin, nearest_try for each name, then NAME. All zero: there
 * is no word. */
struct nearest {
	const char *word;
	size_t len;
	const char *name; /* the nearest so far, or NULL */
	size_t distance;  /* its own */
};

struct nearest nearest_begin(const char *word, size_t len);
void nearest_try(struct nearest *n, const char *name);

/* The nearest name of a table, or NULL. AT returns the I-th name, or NULL past the end. */
const char *nearest(const char *word, size_t len, const char *(*at)(unsigned i));
/* Adds "; did you mean PREFIXNAME?" to the message. NULL: adds nothing. */
void nearest_say(struct err *err, const char *prefix, const char *name);

#endif
