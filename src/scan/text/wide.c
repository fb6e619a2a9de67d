/* SPDX-License-Identifier: MIT
 *
 * Two passes: one counts, one writes, so the memory is allocated once. Any bytes are accepted, and
 * all of them are in the result.
 */
#include "scan/text/wide.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

enum {
	ASCII_SHARE = 4, /* one in this many units, at least, is a letter of ASCII */
	OTHER_SHARE = 4, /* at most one in this many is the wrong kind */
	BYTES_LEAST = 8, /* letters of ASCII in a row: two such units may be chance */
	JUNK_SHARE = 8,	 /* at most one in this many units is not text; random data has more */
	MARK = 0xfeff,
};

static const struct {
	uint8_t unit; /* bytes */
	bool big;
} forms[WIDE_COUNT] = {
	[WIDE_32_LITTLE] = {4, false},
	[WIDE_32_BIG] = {4, true},
	[WIDE_16_LITTLE] = {2, false},
	[WIDE_16_BIG] = {2, true},
};

static uint32_t unit_at(const char *data, size_t at, enum wide wide)
{
	size_t size = forms[wide].unit;
	uint32_t c = 0;

	for (size_t i = 0; i < size; i++)
		c = c << 8 | (uint8_t)data[at + (forms[wide].big ? i : size - 1 - i)];
	return c;
}

static bool has_mark(const char *data, size_t len, enum wide wide)
{
	return len >= forms[wide].unit && unit_at(data, 0, wide) == MARK;
}

static bool is_character(uint32_t c)
{
	return c < 0xd800 || (c > 0xdfff && c <= 0x10ffff);
}

static bool is_printable(uint32_t c)
{
	return c >= ' ' && c < 0x7f;
}

/* Controls, halves of surrogate pairs, private use and noncharacters. */
static bool is_junk(uint32_t c)
{
	return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || (c >= 0xd800 && c <= 0xf8ff) ||
	       c >= 0xfffe;
}

/* In a text of another script letters of ASCII are too few for a share, but they stand in rows. A
 * program's binary has such rows too, between units that are not text. */
static bool has_row(const char *data, size_t len, enum wide wide)
{
	size_t units = len / 2, run = 0, junk = 0;
	bool row = false;

	for (size_t i = 0; i < units; i++) {
		uint32_t c = unit_at(data, 2 * i, wide);
		run = is_printable(c) ? run + 1 : 0;
		row |= run >= BYTES_LEAST;
		junk += is_junk(c);
	}
	return row && junk <= units / JUNK_SHARE;
}

/* Letters of ASCII have their NUL bytes on one side. */
static bool is_16(const char *data, size_t len, enum wide wide)
{
	size_t nul[2] = {0}, units = len / 2, side = forms[wide].big ? 0 : 1;

	if (has_mark(data, len, wide))
		return true;
	for (size_t i = 0; i < units * 2; i++)
		nul[i % 2] += data[i] == '\0';
	if (units >= 2 && nul[side] >= units / ASCII_SHARE + 1 &&
	    nul[side] / OTHER_SHARE >= nul[1 - side])
		return true;
	return nul[side] >= BYTES_LEAST && has_row(data, len, wide);
}

/* *RET_ALL: every unit is a character. Two ASCII letters read as UTF-16 are not. */
static bool is_32(const char *data, size_t len, enum wide wide, bool *ret_all)
{
	size_t units = len / 4, ascii = 0, bad = 0;

	for (size_t i = 0; i < units; i++) {
		uint32_t c = unit_at(data, i * 4, wide);
		ascii += c && c < 0x80;
		bad += !is_character(c);
	}
	*ret_all = !bad;
	return has_mark(data, len, wide) ||
	       (units >= 2 && ascii >= units / ASCII_SHARE + 1 && bad <= units / OTHER_SHARE);
}

unsigned wide_guess(const char *data, size_t len)
{
	unsigned guess = 0;
	bool all = false, nul = memchr(data, '\0', len) != NULL;

	for (unsigned i = WIDE_32_LITTLE; nul && i <= WIDE_32_BIG; i++) {
		if (!is_32(data, len, (enum wide)i, &all))
			continue;
		guess |= 1U << i;
		if (all)
			return guess;
	}
	for (unsigned i = WIDE_16_LITTLE; i <= WIDE_16_BIG; i++)
		if (is_16(data, len, (enum wide)i))
			guess |= 1U << i;
	return guess;
}

bool wide_has_bytes(const char *data, size_t len)
{
	size_t run = 0;

	for (size_t i = 0; i < len && run < BYTES_LEAST; i++)
		run = is_printable((unsigned char)data[i]) ? run + 1 : 0;
	return run == BYTES_LEAST;
}

/* Reads the character at *AT, which is below LEN, and moves *AT past it. */
static uint32_t next(const char *data, size_t len, enum wide wide, size_t *at)
{
	size_t unit = forms[wide].unit, rest = len - *at;

	if (rest < unit) {
		*at = len;
		return UTF8_REPLACEMENT;
	}
	uint32_t c = unit_at(data, *at, wide);
	*at += unit;
	if (is_character(c))
		return c;
	if (unit == 4 || c > 0xdbff || rest < 4)
		return UTF8_REPLACEMENT;
	uint32_t low = unit_at(data, *at, wide);
	if (low < 0xdc00 || low > 0xdfff)
		return UTF8_REPLACEMENT;
	*at += unit;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static size_t start(const char *data, size_t len, enum wide wide)
{
	return has_mark(data, len, wide) ? forms[wide].unit : 0;
}

size_t wide_size(const char *data, size_t len, enum wide wide)
{
	char c[UTF8_CHAR_MAX];
	size_t size = 0;

	for (size_t at = start(data, len, wide); at < len;)
		size += utf8_put(c, next(data, len, wide, &at));
	return size;
}

void wide_read(const char *data, size_t len, enum wide wide, char *out)
{
	for (size_t at = start(data, len, wide); at < len;)
		out += utf8_put(out, next(data, len, wide, &at));
}
