/* SPDX-License-Identifier: MIT
 *
 * Reads JSON from bytes that may be hostile, into the same trees that YAML becomes. Numbers are
 * doubles, as in JavaScript. Refused, with line and column: a key twice, bytes that are no UTF-8,
 * a NUL (but \u0000 in a string is text), anything after the end, and what exceeds a maximum.
 */
#ifndef CORDON_DETECT_JSON_H
#define CORDON_DETECT_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include "rule/node.h"

#define JSON_BYTES_MAX ((size_t)64 << 20)
#define JSON_DEPTH_MAX 64
#define JSON_NODES_MAX 1000000

/* The tree's strings are copies in ARENA. LINE is the first line's number: every node has it, and
 * complaints count from it. */
int json_read(const char *data, size_t len, unsigned line, struct arena *arena,
	      const struct node **ret, struct err *err);

#endif
