/* SPDX-License-Identifier: MIT
 *
 * UTF-8: every character there is comes back as it was written, and of every other two bytes, and
 * what is cut short, as much is broken as the standard says ("maximal subparts").
 */
#include "base/utf8.h"

#include "tap.h"

static void test_characters(void)
{
	size_t wrong = 0, surrogates = 0;

	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		char text[UTF8_CHAR_MAX];
		size_t len = utf8_put(text, c);
		struct utf8_char got = utf8_next(text, len, 0);
		if (c >= 0xd800 && c <= 0xdfff)
			surrogates += got.broken && got.len == 1;
		else
			wrong += got.broken || got.value != c || got.len != len;
	}
	ok(!wrong, "every character: %zu wrong", wrong);
	ok(surrogates == 0x800, "halves of pairs are none: %zu", surrogates);
}

/* What the first two bytes may begin: how many bytes it has, 0: nothing. The standard's table. */
static size_t length_of(unsigned first, unsigned second)
{
	unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	if (first < 0xc2 || first > 0xf4 || second < low || second > high)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Behind the two comes something that continues nothing, or the end. */
static void test_cut(void)
{
	size_t wrong = 0;

	for (unsigned first = 0x80; first < 256; first++) {
		for (unsigned second = 0; second < 256; second++) {
			char text[] = {(char)first, (char)second, 'x'};
			size_t len = length_of(first, second), read = len ? 2 : 1;
			struct utf8_char more = utf8_next(text, 3, 0), end = utf8_next(text, 2, 0);
			wrong += more.broken != (len != 2) || more.len != read;
			wrong += end.broken != (len != 2) || end.len != read;
		}
		char alone = (char)first;
		struct utf8_char one = utf8_next(&alone, 1, 0);
		wrong += !one.broken || one.len != 1 || one.value != UTF8_REPLACEMENT;
	}
	ok(!wrong, "every two bytes that begin beyond ASCII: %zu wrong", wrong);
}

int main(void)
{
	test_characters();
	test_cut();
	return tap_done();
}
