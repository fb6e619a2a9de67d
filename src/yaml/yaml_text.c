/* SPDX-License-Identifier: MIT
 *
 * Checks every byte before the parser. It refuses invalid UTF-8; characters that YAML forbids; the
 * three that end a line in YAML 1.1 (libyaml) but not in 1.2 (the reference), because a rule must
 * not have two meanings; and a carriage return without a line feed, because a terminal would hide
 * the line before it. All can be written as escapes.
 */
#include "yaml/yaml_text.h"

#include <stdint.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"

struct range {
	uint32_t from, to;
	const char *words;
};

static const struct range refused[] = {
	{0x00, 0x00, "a NUL byte"},
	{0x01, 0x08, "a control character; write it as an escape in double quotes"},
	{0x0b, 0x0c, "a control character; write it as an escape in double quotes"},
	{0x0e, 0x1f, "a control character; write it as an escape in double quotes"},
	{0x7f, 0x84, "a control character; write it as an escape in double quotes"},
	{0x85, 0x85, "U+0085, which ends a line for some readers; write \"\\x85\""},
	{0x86, 0x9f, "a control character; write it as an escape in double quotes"},
	{0x2028, 0x2029,
	 "U+2028 or U+2029, which ends a line for some readers; write "
	 "\"\\u2028\""},
	{0xfffe, 0xffff, "a character that YAML does not allow"},
};

/* NEXT: the byte after it. */
static const char *complaint(struct utf8_char c, char next)
{
	if (c.broken)
		return "bytes that are not UTF-8";
	if (c.value == '\r')
		return next == '\n'
			       ? NULL
			       : "a carriage return without a line feed, which hides a line on a "
				 "terminal; write \"\\r\"";
	for (size_t i = 0; i < ARRAY_SIZE(refused) && refused[i].from <= c.value; i++)
		if (c.value <= refused[i].to)
			return refused[i].words;
	return NULL;
}

const char *yaml_text_error(const char *data, size_t len, unsigned *ret_line)
{
	struct utf8_char c;

	for (size_t at = 0; at < len; at += c.len) {
		c = utf8_next(data, len, at);
		if (c.value >= 0x20 && c.value < 0x7f)
			continue;
		const char *words =
			complaint(c, (char)(at + c.len < len ? data[at + c.len] : '\0'));
		if (words) {
			*ret_line = yaml_text_line(data, len, at);
			return words;
		}
	}
	return NULL;
}

/* The number of leading ASCII bytes, rounded down to a machine word. */
static size_t skip_ascii(const unsigned char *p, size_t len)
{
	uint64_t word[2];
	size_t at = 0;

	for (; len - at >= sizeof(word); at += sizeof(word)) {
		memcpy(word, p + at, sizeof(word));
		if ((word[0] | word[1]) & 0x8080808080808080ULL)
			break;
	}
	return at;
}

bool yaml_text_is_utf8(const char *data, size_t len)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t at = skip_ascii(p, len);

	while (at < len) {
		struct utf8_char c = utf8_next(data, len, at);
		if (c.broken)
			return false;
		at += c.len;
		if (c.len > 1)
			at += skip_ascii(p + at, len - at);
	}
	return true;
}

unsigned yaml_text_line(const char *data, size_t len, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < len && i < offset; i++)
		line += data[i] == '\n';
	return line;
}
