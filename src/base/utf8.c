/* SPDX-License-Identifier: MIT
 *
 * One row for each kind of first byte: the number of bytes, and the allowed second bytes, which
 * exclude overlong forms, surrogates and values over U+10FFFF.
 */
#include "base/utf8.h"

/* clang-format off */
static const struct { uint8_t more, low, high, bits; } leads[] = {
	{0},
	{1, 0x80, 0xbf, 0x1f}, /* from 0xc2 */
	{2, 0xa0, 0xbf, 0x0f}, /* 0xe0 */
	{2, 0x80, 0xbf, 0x0f}, /* from 0xe1, but not */
	{2, 0x80, 0x9f, 0x0f}, /* 0xed */
	{3, 0x90, 0xbf, 0x07}, /* 0xf0 */
	{3, 0x80, 0xbf, 0x07}, /* from 0xf1 */
	{3, 0x80, 0x8f, 0x07}, /* 0xf4 */
};

/* The row of each byte from 0xc0 on; row 0 is for invalid first bytes. */
static const uint8_t lead_of[64] = {
	[0x02 ... 0x1f] = 1, [0x20] = 2, [0x21 ... 0x2c] = 3, [0x2d] = 4,
	[0x2e ... 0x2f] = 3,
	[0x30] = 5, [0x31 ... 0x33] = 6, [0x34] = 7,
};
/* clang-format on */

static struct utf8_char broken(size_t len)
{
	return (struct utf8_char){UTF8_REPLACEMENT, (uint8_t)len, true};
}

struct utf8_char utf8_long(const char *text, size_t len, size_t at)
{
	const uint8_t *s = (const uint8_t *)text + at;
	size_t left = len - at;

	unsigned row = s[0] < 0xc0 ? 0 : lead_of[s[0] - 0xc0];
	if (!row || left < 2 || s[1] < leads[row].low || s[1] > leads[row].high)
		return broken(1);
	uint32_t value = (uint32_t)(s[0] & leads[row].bits) << 6 | (s[1] & 0x3f);
	for (size_t i = 2; i <= leads[row].more; i++) {
		if (i >= left || (s[i] & 0xc0) != 0x80)
			return broken(i);
		value = value << 6 | (s[i] & 0x3f);
	}
	return (struct utf8_char){value, (uint8_t)(leads[row].more + 1), false};
}

size_t utf8_put(char *out, uint32_t c)
{
	static const uint8_t mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(mark[len] | c);
	return len;
}
