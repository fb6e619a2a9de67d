/* SPDX-License-Identifier: MIT
 *
 * Bytes written one by one: 0x69, 0x6d as in shellcode, 69 6d as in a dump, 105, 109 as for
 * String.fromCharCode, and several bytes at a time as in 696d 706f. Each style is a row that reads
 * one number.
 * Most lists of numbers are only numbers: a list with hardly any letters makes no layer. The test
 * is the count of letters and not their share, because an attacker can lower a share. A list that
 * is not nearly all text is most likely a table of numbers: its control characters are left out.
 */
#include <ctype.h>
#include <stdint.h>

#include "base/scope.h"
#include "scan/text/decode.h"
#include "scan/text/decode_private.h"

enum { NUMBER_MAX = 255, LETTERS_MIN = 4, GROUP_DIGITS = 4, GROUPS_DIGITS = 8 };

struct list {
	const char *s;
	size_t len;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t read_hex(const struct list *l, size_t at, size_t most, unsigned *ret)
{
	size_t n = 0;

	*ret = 0;
	for (int v; n < most && at + n < l->len && (v = hex_digit(l->s[at + n])) >= 0; n++)
		*ret = *ret * 16 + (unsigned)v;
	return n;
}

/* Each reads a number at AT and returns its length, or 0. */
static size_t read_0x(const struct list *l, size_t at, unsigned *ret)
{
	if (at + 2 >= l->len || l->s[at] != '0' || (l->s[at + 1] | 0x20) != 'x')
		return 0;
	size_t n = read_hex(l, at + 2, 3, ret);
	return n && n <= 2 ? n + 2 : 0;
}

static size_t read_pair(const struct list *l, size_t at, unsigned *ret)
{
	return read_hex(l, at, 3, ret) == 2 ? 2 : 0;
}

/* Two bytes or four, in the order written. */
static size_t read_group(const struct list *l, size_t at, unsigned *ret)
{
	size_t n = read_hex(l, at, GROUPS_DIGITS + 1, ret);

	return n == GROUP_DIGITS || n == GROUPS_DIGITS ? n : 0;
}

static size_t read_decimal(const struct list *l, size_t at, unsigned *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; n < 4 && at + n < l->len && isdigit((unsigned char)l->s[at + n]); n++)
		*ret = *ret * 10 + (unsigned)(l->s[at + n] - '0');
	return n && n <= 3 && *ret <= NUMBER_MAX ? n : 0;
}

static const struct style {
	const char *how;
	size_t (*read)(const struct list *l, size_t at, unsigned *ret);
} styles[] = {{"hex list", read_0x},
	      {"hex list", read_pair},
	      {"hex list", read_group},
	      {"number list", read_decimal}};

static bool is_separator(char c)
{
	return c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r' || c == '\v' ||
	       c == '\f' || c == ':' || c == ';';
}

/* Characters of such lists. */
static const uint8_t is_in[256] = {
	['0' ... '9'] = 1, ['a' ... 'f'] = 1, ['A' ... 'F'] = 1, ['x'] = 1, ['X'] = 1,
	[' '] = 1,	   [','] = 1,	      [':'] = 1,	 [';'] = 1, ['\t' ... '\r'] = 1,
};

/* clang-format off */
static const struct decode_class class = {
	is_in, 6, {{'0', ';', 0}, {'a', 'f', 0x20}, {'x', 'x', 0x20}, {' ', ' ', 0}, {',', ',', 0},
		   {'\t', '\r', 0}}};
/* clang-format on */

static bool has_words(const char *bytes, size_t n)
{
	size_t letters = 0;

	for (size_t i = 0; i < n && letters < LETTERS_MIN; i++)
		letters += isalpha((unsigned char)bytes[i]) != 0;
	return letters == LETTERS_MIN;
}

/* Reports a list that has ended. Returns false to stop. */
static bool report(struct decoder *d, const char *how, char *bytes, size_t n, size_t offset,
		   size_t end)
{
	struct decode_measure m;

	if (n < DECODE_NUMBERS_MIN || !has_words(bytes, n))
		return true;
	m = decode_measure(bytes, n, true);
	if (!decode_is_text(&m, n))
		return true;
	n = decode_keep_printable(bytes, n, &m);
	return decode_add(d, &(struct decode_part){how, bytes, n, offset, end - offset});
}

static size_t put(char *to, unsigned value, size_t bytes)
{
	for (size_t i = bytes; i; i--, value >>= 8)
		to[i - 1] = (char)value;
	return bytes;
}

/* Takes the lists of one style in S[AT..END). A number counts when a separator or the end follows
 * it. */
static bool take_style(struct decoder *d, const struct style *style, const char *s, size_t at,
		       size_t end)
{
	char *const *scratch = decode_scratch(d);
	struct list l = {s, end};
	size_t n = 0, from = at, last = at;

	if (!scratch)
		return false;
	while (at < end) {
		unsigned value;
		size_t step = style->read(&l, at, &value);
		if (step && at + step < end && !is_separator(s[at + step]))
			step = 0;
		if (step) {
			from = n ? from : at;
			n += put(scratch[0] + n, value, style->read == read_group ? step / 2 : 1);
			at += step;
			last = at;
		} else {
			if (!report(d, style->how, scratch[0], n, from, last))
				return false;
			n = 0;
			while (at < end && !is_separator(s[at]))
				at++;
		}
		while (at < end && is_separator(s[at]))
			at++;
	}
	return report(d, style->how, scratch[0], n, from, last);
}

bool decode_numbers(struct decoder *d, const char *data, size_t len)
{
	for (size_t at = decode_next_run(&class, data, len, 0), end; at < len;
	     at = decode_next_run(&class, data, len, end)) {
		size_t digits = 0;
		for (end = at; end < len && is_in[(unsigned char)data[end]]; end++)
			digits += isdigit((unsigned char)data[end]) != 0;
		if (digits < DECODE_NUMBERS_MIN)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(styles); i++)
			if (!take_style(d, &styles[i], data, at, end))
				return false;
	}
	return true;
}
