/* SPDX-License-Identifier: MIT
 *
 * UTF-16 and UTF-32: with a mark and without, both byte orders, invalid characters, part of a
 * unit, and bytes that are text in more than one encoding.
 */
#include "scan/text/wide.h"

#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"

enum { L32 = 1 << WIDE_32_LITTLE, B32 = 1 << WIDE_32_BIG };
enum { L16 = 1 << WIDE_16_LITTLE, B16 = 1 << WIDE_16_BIG };

#define ROW(data, guess, wide, text)                                                               \
	{                                                                                          \
		data, sizeof(data) - 1, guess, wide, text                                          \
	}

static const struct {
	const char *data;
	size_t len;
	unsigned guess;
	enum wide wide;
	const char *text;
} rows[] = {
	/* with a mark */
	ROW("\xff\xfe\0\0a\0\0\0b\0\0\0", L32, WIDE_32_LITTLE, "ab"),
	ROW("\0\0\xfe\xff\0\0\0a\0\0\0b", B32, WIDE_32_BIG, "ab"),
	ROW("\xff\xfe"
	    "a\0b\0",
	    L16, WIDE_16_LITTLE, "ab"),
	ROW("\xfe\xff\0a\0b", B16, WIDE_16_BIG, "ab"),
	ROW("\xff\xfe\x2d\x4e\x87\x65", L16, WIDE_16_LITTLE, "\xe4\xb8\xad\xe6\x96\x87"),
	/* without */
	ROW("a\0\0\0b\0\0\0", L32, WIDE_32_LITTLE, "ab"),
	ROW("\0\0\0a\0\0\0b", B32, WIDE_32_BIG, "ab"),
	ROW("a\0b\0c\0", L16, WIDE_16_LITTLE, "abc"),
	ROW("\0a\0b\0c", B16, WIDE_16_BIG, "abc"),
	/* other planes, and invalid characters */
	ROW("a\0\0\0b\0\0\0\0\xf6\x01\0", L32, WIDE_32_LITTLE, "ab\xf0\x9f\x98\x80"),
	ROW("a\0\0\0b\0\0\0c\0\0\0\0\xd8\0\0", L32, WIDE_32_LITTLE, "abc\xef\xbf\xbd"),
	ROW("a\0\0\0b\0\0\0\0\0\x11\0c\0\0\0", L32, WIDE_32_LITTLE,
	    "ab\xef\xbf\xbd"
	    "c"),
	ROW("a\0b\0c\0d\0\x3d\xd8\0\xde", L16, WIDE_16_LITTLE, "abcd\xf0\x9f\x98\x80"),
	ROW("a\0b\0c\0\x3d\xd8", L16, WIDE_16_LITTLE, "abc\xef\xbf\xbd"),
	/* a part of a unit */
	ROW("a\0\0\0b\0\0\0c", L32, WIDE_32_LITTLE, "ab\xef\xbf\xbd"),
	ROW("a\0b\0c", L16, WIDE_16_LITTLE, "ab\xef\xbf\xbd"),
	/* the mark of one, the text of the other: both */
	ROW("\xff\xfe\0\0a\0b\0c\0d\0", L32 | L16, WIDE_16_LITTLE, ""),
	/* a row of ASCII among many other characters, one letter less, and in data that is not
	 * text */
	ROW("\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "A\0B\0C\0D\0E\0F\0G\0H\0",
	    L16, WIDE_16_LITTLE,
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "ABCDEFGH"),
	ROW("\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d"
	    "\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d"
	    "\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d"
	    "\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d"
	    "\0I\0J\0K\0L\0M\0N\0O\0P",
	    B16, WIDE_16_BIG,
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
	    "\xe4\xb8\xad"
	    "IJKLMNOP"),
	ROW("\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "A\0B\0C\0D\0E\0F\0G\0",
	    0, WIDE_COUNT, ""),
	ROW("\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e\x2d\x4e"
	    "A\0B\0C\0D\0E\0F\0G\0H\0"
	    "\1\xe0\1\xe0\1\xe0\1\xe0\1\xe0\1\xe0",
	    0, WIDE_COUNT, ""),
	/* neither */
	ROW("", 0, WIDE_COUNT, ""),
	ROW("abcdefgh", 0, WIDE_COUNT, ""),
	ROW("abc\0defgh", 0, WIDE_COUNT, ""),
	ROW("\0\0\0\0\0\0\0\0", 0, WIDE_COUNT, ""),
};

static void test_read(size_t i)
{
	size_t size = wide_size(rows[i].data, rows[i].len, rows[i].wide);
	AUTO_FREE char *out = malloc(size + 1);

	wide_read(rows[i].data, rows[i].len, rows[i].wide, out);
	out[size] = '\0';
	ok(size == strlen(rows[i].text) && strcmp(out, rows[i].text) == 0, "it reads %s", out);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned guess = wide_guess(rows[i].data, rows[i].len);
		ok(guess == rows[i].guess, "row %zu: %x", i, guess);
		if (*rows[i].text)
			test_read(i);
	}
	ok(wide_has_bytes("\xff\xfe"
			  "12345678",
			  10) &&
		   !wide_has_bytes("\xff\xfe"
				   "1234567",
				   9),
	   "eight letters in a row are a text");
	return tap_done();
}
