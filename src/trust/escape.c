/* SPDX-License-Identifier: MIT
 *
 * \\xHH is a byte that is not part of a character, \\u{H} a character that must not be shown.
 */
#include "trust/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"

enum { ESCAPE_MAX = 12, DOTS = 3 };

/* Control, direction, invisible and private characters, and code points without a character. */
static const struct {
	uint32_t first, last;
} rows[] = {
	{0x00, 0x1f},	  {0x7f, 0x9f},	    {0xad, 0xad},     {0x61c, 0x61c},
	{0x115f, 0x1160}, {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},
	{0x2060, 0x206f}, {0x3164, 0x3164}, {0xd800, 0xf8ff}, {0xfe00, 0xfe0f},
	{0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff},
};

static int is_plain(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (c >= rows[i].first && c <= rows[i].last)
			return 0;
	return c != '\\';
}

static size_t escape(char *out, const struct utf8_char *c, const char *from)
{
	if (c->broken)
		return (size_t)snprintf(out, ESCAPE_MAX, "\\x%02x", (unsigned char)*from);
	if (c->value == '\\')
		return (size_t)snprintf(out, ESCAPE_MAX, "\\\\");
	return (size_t)snprintf(out, ESCAPE_MAX, "\\u{%x}", c->value);
}

void escape_text(const char *text, size_t len, char *ret, size_t size)
{
	size_t used = 0, most = size - 1 - DOTS;

	for (size_t i = 0; i < len;) {
		struct utf8_char c = utf8_next(text, len, i);
		char out[ESCAPE_MAX];
		size_t step = c.broken ? 1 : c.len, n = step;
		if (!c.broken && is_plain(c.value))
			memcpy(out, text + i, n);
		else
			n = escape(out, &c, text + i);
		if (used + n > most) {
			memcpy(ret + used, "...", DOTS);
			used += DOTS;
			break;
		}
		memcpy(ret + used, out, n);
		used += n;
		i += step;
	}
	ret[used] = '\0';
}
