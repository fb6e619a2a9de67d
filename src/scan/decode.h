/* SPDX-License-Identifier: MIT
 *
 * What is hidden in a text behind an encoding: base64 (both alphabets, over lines), hex (runs and
 * lists), lists of numbers, and the text itself with its escapes (%41, \x41, \u0041, &#65;) put in
 * place, and without what nobody sees, so that what stands around them is still there. Layers are
 * searched again, to a depth.
 * Only what looks like text becomes a layer. Every bound that was reached is told in the answer:
 * "nothing more is hidden here" must never be said of what was not looked at. Takes time linear in
 * the text, whatever is in it.
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
	size_t depth; /* 1: nothing is searched but the text itself */
};

enum {
	DECODE_COUNT_MAX = 256, /* and one more for every COUNT_BYTES of the text: harmless chunks
				 * must not use up what is left for another one */
	DECODE_COUNT_BYTES = 16,
	DECODE_COUNT_MOST = 1 << 18, /* whatever the text's length: a layer takes microseconds */
	DECODE_DEPTH_MAX = 3,
	DECODE_BYTES_FACTOR = 6, /* times the text's bytes, and EXTRA: layers in place are as long
				  * as the text, and an honest one may have three or four */
	DECODE_BYTES_EXTRA = 65536,
	DECODE_RUN_MIN = 16,	   /* characters of base64 or hex in one piece */
	DECODE_NUMBERS_MIN = 8,	   /* in a list of them */
	DECODE_TERMINAL_MAX = 256, /* characters of one command to a terminal */
	DECODE_GAP_MAX = 64,	   /* characters, but for space, between two pieces of one run */
};

enum decode_bound {
	DECODE_COMPLETE,
	DECODE_BYTES, /* there would have been more bytes, layers, layers in layers */
	DECODE_COUNT,
	DECODE_DEPTH,
};

struct decode_layer {
	const char *how; /* "base64", "url+unicode", "url > base64": what was taken off, in order */
	const char *data; /* no NUL at its end */
	size_t len;
	size_t parent;	     /* the layer it was found in; DECODE_NO_PARENT: the text */
	size_t offset, span; /* where in the parent, in bytes */
	size_t depth;	     /* 1: found in the text itself */
};

struct decode {
	struct arena arena;
	size_t count, bytes;
	struct decode_layer *list; /* by depth */
	enum decode_bound bound;   /* the first that was reached */
};

/* No layer is there twice, unless their hashes were made to be equal. LIMITS may be NULL. */
int decode_layers(const char *data, size_t len, const struct decode_limits *limits,
		  struct decode *ret, struct err *err);
void decode_done(struct decode *d);
/* "bytes", "layers", "depth"; "" when it is complete. */
const char *decode_bound_name(enum decode_bound bound);

#endif
