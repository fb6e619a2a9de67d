/* SPDX-License-Identifier: MIT
 *
 * Reads JSON from untrusted bytes into the same trees as YAML. Numbers are doubles, as in
 * JavaScript. Errors, with line and column: a duplicate key, invalid UTF-8, a NUL (but \u0000 in a
 * string is text), anything after the end, and an exceeded maximum.
 */
#ifndef CORDON_DETECT_JSON_READ_H
#define CORDON_DETECT_JSON_READ_H

#include "detect/event.h"

#define JSON_BYTES_MAX EVENT_BYTES_MAX
#define JSON_DEPTH_MAX EVENT_DEPTH_MAX
#define JSON_NODES_MAX 1000000

/* The tree's strings are copies in ARENA. LINE is the number of the first line, for nodes and
 * errors. */
int json_read(const char *data, size_t len, unsigned line, struct arena *arena,
	      const struct node **ret, struct err *err);

/* Also accepts what json_read refuses and some program accepts: duplicate keys (both pairs are
 * kept), half a surrogate pair (U+FFFD), comments, a trailing comma, control characters in
 * strings, invalid UTF-8 (kept), and the quotes and bare keys of JSON5. For scanners: content that
 * some program would read must not be hidden by a syntax error. */
int json_read_loose(const char *data, size_t len, unsigned line, struct arena *arena,
		    const struct node **ret, struct err *err);

#endif
