/* SPDX-License-Identifier: MIT
 *
 * Decodes UTF-8 as browsers and Node.js do: each maximal part of a broken sequence becomes one
 * U+FFFD, and a byte that can begin the next character is never consumed.
 */
#ifndef CORDON_BASE_UTF8_H
#define CORDON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xfffd, UTF8_CHAR_MAX = 4 };

struct utf8_char {
	uint32_t value; /* U+FFFD when broken */
	uint8_t len;	/* bytes consumed, at least 1 */
	bool broken;
};

/* A character of two bytes or more, or a broken one. */
struct utf8_char utf8_long(const char *text, size_t len, size_t at);

/* The character at AT, which is below LEN. */
static inline struct utf8_char utf8_next(const char *text, size_t len, size_t at)
{
	const uint8_t *s = (const uint8_t *)text + at;

	if (s[0] < 0x80)
		return (struct utf8_char){s[0], 1, false};
	/* Fast path for three bytes, without the two first bytes that have exceptions. */
	if (s[0] > 0xe0 && s[0] < 0xf0 && s[0] != 0xed && len - at > 2 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80)
		return (struct utf8_char){
			(s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu), 3, false};
	return utf8_long(text, len, at);
}
/* Writes one to four bytes and returns how many. A surrogate becomes three. */
size_t utf8_put(char *out, uint32_t c);

/* The two UTF-16 code units of a character beyond U+FFFF. */
static inline uint32_t utf8_high(uint32_t c)
{
	return 0xd800 + ((c - 0x10000) >> 10);
}

static inline uint32_t utf8_low(uint32_t c)
{
	return 0xdc00 + ((c - 0x10000) & 0x3ff);
}

#endif
