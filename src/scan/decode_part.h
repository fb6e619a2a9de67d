/* SPDX-License-Identifier: MIT
 *
 * Between decode.c, which keeps the bounds and the list, and the files that find encoded parts. A
 * finder looks at one parent and calls decode_found() for each text it took out of it; it knows
 * nothing of depths and bounds and stops when it is told to.
 */
#ifndef CORDON_SCAN_DECODE_PART_H
#define CORDON_SCAN_DECODE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decoder;

struct decode_part {
	const char *how;
	const char *data;
	size_t len;
	size_t offset, span; /* in the parent */
};

/* False: nothing more is wanted. PART is copied. */
bool decode_found(struct decoder *d, const struct decode_part *part);
/* Three buffers, each as long as the text; NULL when memory is out (which decode.c tells). */
char *const *decode_scratch(struct decoder *d);

/* The finders; each in time linear in LEN. False: stop. */
bool decode_runs(struct decoder *d, const char *data, size_t len);
bool decode_numbers(struct decoder *d, const char *data, size_t len);
bool decode_escapes(struct decoder *d, const char *data, size_t len);
bool decode_dumps(struct decoder *d, const char *data, size_t len);
bool decode_quoted(struct decoder *d, const char *data, size_t len);
bool decode_invisible(struct decoder *d, const char *data, size_t len);

/* A set of characters, twice: ASK for one, RANGE for sixteen at a time. */
struct decode_class {
	const uint8_t *ask; /* of 256; not 0: it is in */
	size_t ranges;
	struct {
		uint8_t low, high, fold; /* FOLD is set in the character before it is compared */
	} range[7];
};
/* Where the next DECODE_RUN_MIN characters in a row begin that are in the class; LEN: nowhere. The
 * character before AT is not. */
size_t decode_next_run(const struct decode_class *class, const char *data, size_t len, size_t at);

/* How much of some bytes is text. */
struct decode_measure {
	size_t printable; /* bytes of printable characters */
	size_t longest;	  /* in a row */
};
/* GIVE_UP: it need not be gone through to the end once it cannot be text any more. */
struct decode_measure decode_measure(const char *data, size_t len, bool give_up);
bool decode_is_text(const struct decode_measure *m, size_t len);
/* Of what is text only loosely, nothing but what is printable; in place. */
size_t decode_seen(char *data, size_t len, const struct decode_measure *m);

enum decode_utf16 { DECODE_NOT_UTF16, DECODE_UTF16LE, DECODE_UTF16BE };
enum decode_utf16 decode_guess_utf16(const char *data, size_t len);
/* OUT has room for 4/3 LEN: most characters are of one byte or two, the others of three. */
size_t decode_from_utf16(const char *data, size_t len, enum decode_utf16 order, char *out);
/* Only what is printable for DECODE_STRETCH_MIN bytes in a row, a line each; in place. */
size_t decode_stretches(char *data, size_t len);

enum { DECODE_STRETCH_MIN = 12, DECODE_SHORT = 24 };

#endif
