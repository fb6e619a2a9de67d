/* SPDX-License-Identifier: MIT
 *
 * UTF-16 to UTF-8, in two passes: one counts, one writes, so that the memory is known before it is
 * asked for. Any bytes are taken; nothing is ever left out.
 */
#include "scan/utf16.h"

#include <stdint.h>

#include "scan/utf8.h"

enum {
	NUL_SHARE = 4,	 /* one in so many units is a letter of ASCII, at least */
	NUL_OTHER = 4,	 /* so many times fewer NUL bytes are on the other side */
	BYTES_LEAST = 8, /* letters of ASCII in a row: two such units are chance */
	MARK = 0xfeff,
};

enum utf16_order utf16_guess(const char *data, size_t len)
{
	size_t nul[2] = {0}, units = len / 2;

	if (len >= 2 && (uint8_t)data[0] == 0xff && (uint8_t)data[1] == 0xfe)
		return UTF16_LITTLE;
	if (len >= 2 && (uint8_t)data[0] == 0xfe && (uint8_t)data[1] == 0xff)
		return UTF16_BIG;
	for (size_t i = 0; i < units * 2; i++)
		nul[i % 2] += data[i] == '\0';
	if (units < 2)
		return UTF16_NOT;
	if (nul[1] >= units / NUL_SHARE + 1 && nul[1] / NUL_OTHER >= nul[0])
		return UTF16_LITTLE;
	if (nul[0] >= units / NUL_SHARE + 1 && nul[0] / NUL_OTHER >= nul[1])
		return UTF16_BIG;
	return UTF16_NOT;
}

bool utf16_has_bytes(const char *data, size_t len)
{
	size_t run = 0;

	for (size_t i = 0; i < len && run < BYTES_LEAST; i++)
		run = data[i] >= ' ' && data[i] < 0x7f ? run + 1 : 0;
	return run == BYTES_LEAST;
}

static uint32_t unit_at(const char *data, size_t at, enum utf16_order order)
{
	uint8_t a = (uint8_t)data[at], b = (uint8_t)data[at + 1];

	return order == UTF16_BIG ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

/* The character at *AT, which is below LEN, and *AT behind it. */
static uint32_t next(const char *data, size_t len, enum utf16_order order, size_t *at)
{
	size_t rest = len - *at;

	if (rest < 2) {
		*at = len;
		return UTF8_REPLACEMENT;
	}
	uint32_t c = unit_at(data, *at, order);
	*at += 2;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c > 0xdbff || rest < 4)
		return UTF8_REPLACEMENT;
	uint32_t low = unit_at(data, *at, order);
	if (low < 0xdc00 || low > 0xdfff)
		return UTF8_REPLACEMENT;
	*at += 2;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static size_t start(const char *data, size_t len, enum utf16_order order)
{
	return len >= 2 && unit_at(data, 0, order) == MARK ? 2 : 0;
}

size_t utf16_size(const char *data, size_t len, enum utf16_order order)
{
	char c[UTF8_CHAR_MAX];
	size_t size = 0;

	for (size_t at = start(data, len, order); at < len;)
		size += utf8_put(c, next(data, len, order, &at));
	return size;
}

void utf16_read(const char *data, size_t len, enum utf16_order order, char *out)
{
	for (size_t at = start(data, len, order); at < len;)
		out += utf8_put(out, next(data, len, order, &at));
}
