/* SPDX-License-Identifier: MIT
 *
 * Reads JSON from bytes that may be hostile, into the same trees that YAML becomes. Numbers are
 * doubles, as in JavaScript. Refused, with line and column: a key twice, bytes that are no UTF-8,
 * a NUL (but \u0000 in a string is text), anything after the end, and what exceeds a maximum.
 */
#ifndef CORDON_DETECT_JSON_H
#define CORDON_DETECT_JSON_H

#include "detect/event.h"

#define JSON_BYTES_MAX EVENT_BYTES_MAX
#define JSON_DEPTH_MAX EVENT_DEPTH_MAX
#define JSON_NODES_MAX 1000000

/* The tree's strings are copies in ARENA. LINE is the first line's number: nodes and complaints count
 * from it. */
int json_read(const char *data, size_t len, unsigned line, struct arena *arena,
	      const struct node **ret, struct err *err);

/* The same for what json_read refuses and some program takes: a key twice (both pairs are there), half
 * a surrogate pair (U+FFFD), comments, a comma at the end, controls in strings, bytes that are no
 * UTF-8 (as they are), the quotes and bare keys of JSON5. For whoever looks for something: what a
 * program could read must not be hidden by a sign it forgives. */
int json_read_loose(const char *data, size_t len, unsigned line, struct arena *arena,
		    const struct node **ret, struct err *err);

#endif
