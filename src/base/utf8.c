/* SPDX-License-Identifier: MIT
 *
 * One row for each kind of first byte: how many bytes follow and which second bytes are allowed
 * (that is where overlong forms, surrogates and what lies beyond U+10FFFF are refused).
 */
#include "base/utf8.h"

#include "base/scope.h"

/* clang-format off */
static const struct { uint8_t first, last, more, low, high, bits; } leads[] = {
	{0xc2, 0xdf, 1, 0x80, 0xbf, 0x1f},
	{0xe0, 0xe0, 2, 0xa0, 0xbf, 0x0f},
	{0xe1, 0xec, 2, 0x80, 0xbf, 0x0f},
	{0xed, 0xed, 2, 0x80, 0x9f, 0x0f},
	{0xee, 0xef, 2, 0x80, 0xbf, 0x0f},
	{0xf0, 0xf0, 3, 0x90, 0xbf, 0x07},
	{0xf1, 0xf3, 3, 0x80, 0xbf, 0x07},
	{0xf4, 0xf4, 3, 0x80, 0x8f, 0x07},
};
/* clang-format on */

static struct utf8_char broken(size_t len)
{
	return (struct utf8_char){UTF8_REPLACEMENT, (uint8_t)len, true};
}

struct utf8_char utf8_next(const char *text, size_t len, size_t at)
{
	const uint8_t *s = (const uint8_t *)text + at;
	size_t left = len - at, row = 0;

	if (s[0] < 0x80)
		return (struct utf8_char){s[0], 1, false};
	while (row < ARRAY_SIZE(leads) && (s[0] < leads[row].first || s[0] > leads[row].last))
		row++;
	if (row == ARRAY_SIZE(leads))
		return broken(1);
	if (left < 2 || s[1] < leads[row].low || s[1] > leads[row].high)
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
