/* SPDX-License-Identifier: MIT
 *
 * Finds text hidden behind an encoding: base64 (both alphabets, over several lines), hex (runs and
 * lists), lists of numbers. Two layers are the whole text again, so that the context of a hidden
 * part stays: with its escapes (%41, \x41, \u0041, &#65;) replaced, and without its invisible
 * characters. Layers are searched again, to a depth.
 * Only bytes that look like text become a layer. The answer names the first bound that was
 * reached, so a caller never takes an incomplete search for a complete one. The time is linear in
 * the text, whatever its content.
 */
#ifndef CORDON_SCAN_DECODE_H
#define CORDON_SCAN_DECODE_H

#include "base/arena.h"
#include "base/err.h"

#define DECODE_NO_PARENT ((size_t)-1)

/* Zero: the default. */
struct decode_limits {
	size_t bytes; /* of all layers together */
	size_t count; /* of layers */
	size_t depth; /* 1: only the text itself is searched */
};

enum {
	/* And one more for every COUNT_BYTES of the text, so that harmless chunks do not use up the room
	 * for another one. */
	DECODE_COUNT_MAX = 256,
	DECODE_COUNT_BYTES = 16,
	DECODE_COUNT_MOST = 1 << 18, /* for any length of text: a layer takes microseconds */
	DECODE_DEPTH_MAX = 3,
	/* Times the text's bytes, and EXTRA: a layer in place is as long as the text, and an honest text
	 * may have three or four. */
	DECODE_BYTES_FACTOR = 6,
	DECODE_BYTES_EXTRA = 65536,
	DECODE_RUN_MIN = 16,	   /* characters of base64 or hex in a row */
	DECODE_NUMBERS_MIN = 8,	   /* in a list of them */
	DECODE_TERMINAL_MAX = 256, /* characters of one terminal command */
	DECODE_GAP_MAX = 64,	   /* characters other than spaces between two pieces of one run */
};

enum decode_bound {
	DECODE_COMPLETE,
	DECODE_BYTES, /* more bytes, layers or depth would have been needed */
	DECODE_COUNT,
	DECODE_DEPTH,
};

struct decode_layer {
	const char
		*how; /* "base64", "url+unicode", "url > base64": the encodings removed, in order */
	const char *data; /* no NUL at its end */
	size_t len;
	size_t parent;	     /* the layer that contains it; DECODE_NO_PARENT: the text */
	size_t offset, span; /* where in the parent, in bytes */
	size_t depth;	     /* 1: found in the text itself */
};

struct decode {
	struct arena arena;
	size_t count, bytes;
	struct decode_layer *list; /* by depth */
	enum decode_bound bound;   /* the first that was reached */
};

/* Each layer is listed once, except when the content was made for hash collisions. LIMITS may be
 * NULL. */
int decode_layers(const char *data, size_t len, const struct decode_limits *limits,
		  struct decode *ret, struct err *err);
void decode_done(struct decode *d);
/* "bytes", "layers", "depth"; "" when the search was complete. */
const char *decode_bound_name(enum decode_bound bound);

#endif
