/* SPDX-License-Identifier: MIT
 *
 * What the decoders share. A finder, decode_NAME.c, reads one parent text and calls decode_add()
 * for each text that it decoded. It knows nothing of depths and bounds, and stops when
 * decode_add() returns false.
 */
#ifndef CORDON_SCAN_DECODE_PRIVATE_H
#define CORDON_SCAN_DECODE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/text/decode.h"

struct decoder;

struct decode_part {
	const char *how;
	const char *data;
	size_t len;
	size_t offset, span; /* in the parent */
};

/* Copies PART into the list. Returns false when no more layers are wanted. */
bool decode_add(struct decoder *d, const struct decode_part *part);
/* Three buffers, each as long as the text. NULL when memory is out, which decode_layers()
 * reports. */
char *const *decode_scratch(struct decoder *d);

/* The finders, each linear in LEN. False: stop. */
bool decode_runs(struct decoder *d, const char *data, size_t len);
bool decode_numbers(struct decoder *d, const char *data, size_t len);
bool decode_escapes(struct decoder *d, const char *data, size_t len);
bool decode_dumps(struct decoder *d, const char *data, size_t len);
bool decode_quoted(struct decoder *d, const char *data, size_t len);
bool decode_invisible(struct decoder *d, const char *data, size_t len);

/* A set of characters in two forms: ASK tests one, RANGE tests sixteen at a time. */
struct decode_class {
	const uint8_t *ask; /* 256 entries; not 0: in the set */
	size_t ranges;
	struct {
		uint8_t low, high,
			fold; /* FOLD is or'ed into the character before the comparison */
	} range[7];
};
/* The start of the next DECODE_RUN_MIN characters in a row that are in the class, or LEN. The
 * character before AT is not in the class. */
size_t decode_next_run(const struct decode_class *class, const char *data, size_t len, size_t at);

/* How much of the bytes is text. */
struct decode_measure {
	size_t printable; /* bytes of printable characters */
	size_t longest;	  /* in a row */
};
/* With GIVE_UP it stops as soon as the bytes cannot be text any more. */
struct decode_measure decode_measure(const char *data, size_t len, bool give_up);
bool decode_is_text(const struct decode_measure *m, size_t len);
/* Removes, in place, unprintable bytes from bytes that are only loosely text. */
size_t decode_keep_printable(char *data, size_t len, const struct decode_measure *m);

enum decode_utf16 { DECODE_NOT_UTF16, DECODE_UTF16LE, DECODE_UTF16BE };
enum decode_utf16 decode_guess_utf16(const char *data, size_t len);
/* OUT has room for 4/3 LEN: a unit of two bytes becomes at most three. */
size_t decode_from_utf16(const char *data, size_t len, enum decode_utf16 order, char *out);
/* Keeps, in place, only stretches of DECODE_STRETCH_MIN printable bytes or more, each on a line. */
size_t decode_stretches(char *data, size_t len);

enum { DECODE_STRETCH_MIN = 12, DECODE_SHORT = 24 };

enum { DECODE_SCRATCHES = 3 };

struct decoder {
	struct decode *out;
	struct decode_limits limits;
	size_t text_len;
	size_t parent, depth; /* of the text being searched, and of the layers found in it */
	const char *how;
	char *scratch[DECODE_SCRATCHES];
	struct decode_slot {
		uint64_t hash;
		size_t number; /* the layer's number plus one; 0: empty */
	} * table;	       /* layers by content */
	size_t table_size, room;
	bool failed; /* memory is out */
};

/* Frees everything except OUT. */
void decoder_done(struct decoder *d);

#endif
