/* SPDX-License-Identifier: MIT
 *
 * Tables of character ranges. Obeyed: control characters, and marks that change the direction of
 * the following text (CVE-2021-42574). Unseen: with one of these in it, a line could look like a
 * line of Cordon's and yet not begin like one. Format: Unicode's categories Cf, Zl and Zp, and the
 * tag characters that can hide whole texts. Letters that only resemble others are not listed: such
 * a list is never complete.
 */
#include "show/glyph.h"

#include <stdio.h>

#include "base/scope.h"

struct range {
	uint32_t first, last;
};

static const struct range obeyed[] = {
	{0x00, 0x1f},
	{0x7f, 0x9f},	  /* C0, DEL, C1 */
	{0x2028, 0x2029}, /* line and paragraph separators */
	{0x202a, 0x202e},
	{0x2066, 0x2069}, /* embeddings, overrides, isolates */
	{GLYPH_BROKEN + 0x80, GLYPH_BROKEN + 0x9f},
};

static const struct range unseen[] = {
	{0x00a0, 0x00a0},
	{0x00ad, 0x00ad},
	{0x034f, 0x034f},
	{0x061c, 0x061c},
	{0x115f, 0x1160},
	{0x1680, 0x1680},
	{0x17b4, 0x17b5},
	{0x180b, 0x180f},
	{0x2000, 0x200f},
	{0x2028, 0x202f},
	{0x205f, 0x206f},
	{0x2800, 0x2800},
	{0x3000, 0x3000},
	{0x3164, 0x3164},
	{0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},
	{0xffa0, 0xffa0},
	{0xfff0, 0xfffb},
	{0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
	/* marks that sit upon their neighbour */
	{0x0300, 0x036f},
	{0x0483, 0x0489},
	{0x0591, 0x05bd},
	{0x0610, 0x061a},
	{0x064b, 0x065f},
	{0x0670, 0x0670},
	{0x06d6, 0x06dc},
	{0x070f, 0x070f},
	{0x0711, 0x0711},
	{0x0730, 0x074a},
	{0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
	{0x20d0, 0x20ff},
	{0x302a, 0x302d},
	{0x3099, 0x309a},
	{0xfe20, 0xfe2f},
	{0x16fe4, 0x16fe4},
	{0x1d159, 0x1d159},
	{0x1d165, 0x1d172},
};

static const struct range format[] = {
	{0x00ad, 0x00ad},   {0x0600, 0x0605},	{0x061c, 0x061c},   {0x06dd, 0x06dd},
	{0x070f, 0x070f},   {0x0890, 0x0891},	{0x08e2, 0x08e2},   {0x180e, 0x180e},
	{0x200b, 0x200f},   {0x2028, 0x202e},	{0x2060, 0x206f},   {0xfeff, 0xfeff},
	{0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

unsigned glyph_length(unsigned char lead)
{
	return lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

uint32_t glyph_decode(const unsigned char *bytes, unsigned len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = len == 1 ? bytes[0] : bytes[0] & (0x7fU >> len);

	if (len == 1)
		return c < 0x80 ? c : GLYPH_BROKEN + c;
	for (unsigned i = 1; i < len; i++)
		c = c << 6 | (bytes[i] & 0x3fU);
	/* An overlong form, a surrogate, or a number above the last code point. */
	if (c < least[len] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return GLYPH_BROKEN + bytes[0];
	return c;
}

bool glyph_is_obeyed(uint32_t c)
{
	return is_in(obeyed, ARRAY_SIZE(obeyed), c);
}

bool glyph_is_unseen(uint32_t c)
{
	return is_in(unseen, ARRAY_SIZE(unseen), c);
}

bool glyph_is_format(uint32_t c)
{
	return is_in(format, ARRAY_SIZE(format), c);
}

size_t glyph_show(uint32_t c, char *buf)
{
	unsigned value = c & ~GLYPH_BROKEN;
	int n = c < 0x20	? snprintf(buf, GLYPH_SHOWN_MAX, "^%c", (char)(c + 0x40))
		: value < 0x100 ? snprintf(buf, GLYPH_SHOWN_MAX, "\\x%02x", value)
				: snprintf(buf, GLYPH_SHOWN_MAX, "\\u%04x", value);

	return (size_t)n;
}
