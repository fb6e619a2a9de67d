/* SPDX-License-Identifier: MIT
 *
 * Invisible characters. A model reads the word around a soft hyphen; a rule does not. One layer is
 * the text without such characters. Another has each tag character replaced by the letter it
 * repeats, because tag characters can hide text that only a model reads.
 * Invisible are Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties), controls, the line
 * and paragraph separators inside a word, and terminal commands. A byte order mark at the
 * beginning alone does not justify a layer: some editors write it to every file.
 */
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/text/decode.h"
#include "scan/text/decode_private.h"

enum {
	ESCAPE = 0x1b,
	BELL = 0x07,
	CSI = 0x9b,
	MARK = 0xfeff,
	TAG_LOW = 0xe0020,
	TAG_HIGH = 0xe007e,
	TAG_BASE = 0xe0000,
};

static const struct {
	uint32_t low, high;
} ranges[] = {
	/* controls other than white space */
	{0x00, 0x08},
	{0x0e, 0x1f},
	{0x7f, 0x84},
	{0x86, 0x9f},
	/* Default_Ignorable_Code_Point and the separators; is_invisible() needs them in order */
	{0xad, 0xad},
	{0x34f, 0x34f},
	{0x61c, 0x61c},
	{0x115f, 0x1160},
	{0x17b4, 0x17b5},
	{0x180b, 0x180f},
	{0x200b, 0x200f},
	{0x2028, 0x2029},
	{0x202a, 0x202e},
	{0x2060, 0x206f},
	{0x3164, 0x3164},
	{0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},
	{0xffa0, 0xffa0},
	{0xfff0, 0xfff8},
	{0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
};

/* First bytes of invisible characters; every other byte is skipped without decoding. */
static const uint8_t may_begin[256] = {
	[0x00 ... 0x08] = 1, [0x0e ... 0x1f] = 1, [0x7f] = 1, [0xc2] = 1, [0xcd] = 1,
	[0xd8] = 1,	     [0xe1 ... 0xe3] = 1, [0xef] = 1, [0xf0] = 1, [0xf3] = 1,
};

static bool is_invisible(uint32_t c)
{
	size_t low = 0, high = ARRAY_SIZE(ranges);

	while (low < high) {
		size_t mid = (low + high) / 2;
		if (ranges[mid].high < c)
			low = mid + 1;
		else
			high = mid;
	}
	return low < ARRAY_SIZE(ranges) && c >= ranges[low].low;
}

static bool is_tag(uint32_t c)
{
	return c >= TAG_LOW && c <= TAG_HIGH;
}

/* After ESC [ or its one-character form: parameters and a final letter. */
static size_t csi_end(const char *s, size_t len, size_t at)
{
	size_t i = at;

	while (i < len && i - at < DECODE_TERMINAL_MAX && s[i] >= 0x20 && s[i] <= 0x3f)
		i++;
	return i < len && s[i] >= 0x40 && s[i] <= 0x7e ? i + 1 : at;
}

/* After ESC ]: a text up to BEL or ESC \. Without an end it is ordinary text. */
static size_t osc_end(const char *s, size_t len, size_t at)
{
	for (size_t i = at; i < len && i - at <= DECODE_TERMINAL_MAX; i++) {
		if (s[i] == BELL)
			return i + 1;
		if (s[i] == ESCAPE)
			return i + 1 < len && s[i + 1] == '\\' ? i + 2 : at;
	}
	return at;
}

/* The end of the invisible sequence at AT; AT when there is none. */
static size_t end_of(const char *s, size_t len, size_t at, uint32_t *ret)
{
	struct utf8_char c = utf8_next(s, len, at);
	size_t end = at + c.len;

	*ret = c.value;
	/* In binary data most characters are this one. */
	if (c.value == UTF8_REPLACEMENT || !is_invisible(c.value))
		return at;
	if (c.value == CSI)
		return csi_end(s, len, end);
	if (c.value != ESCAPE || end == len)
		return end;
	if (s[end] == '[')
		return csi_end(s, len, end + 1);
	return s[end] == ']' ? osc_end(s, len, end + 1) : end;
}

typedef uint8_t lanes __attribute__((vector_size(16)));

/* Skips blocks of sixteen bytes in which no invisible character can begin. */
static size_t skip_plain(const char *s, size_t len, size_t at)
{
	for (; at + sizeof(lanes) <= len; at += sizeof(lanes)) {
		lanes text;
		uint64_t half[2];
		memcpy(&text, s + at, sizeof(text));
		lanes odd = (lanes)(text >= 0x7f) |
			    ((lanes)(text < ' ') & (lanes)((lanes)(text - '\t') > '\r' - '\t'));
		memcpy(half, &odd, sizeof(half));
		if (half[0] | half[1])
			break;
	}
	return at;
}

struct seen {
	size_t first, last; /* first: its place; last: its end */
	bool any, tags;
};

/* Copies the text without them; with TAGS, tag characters become letters. Without OUT it only
 * searches. */
static size_t drop(const char *s, size_t len, bool tags, char *out, struct seen *seen)
{
	size_t n = 0, copied = 0;

	*seen = (struct seen){0};
	for (size_t at = skip_plain(s, len, 0), end; at < len;
	     at = end % sizeof(lanes) ? end : skip_plain(s, len, end)) {
		uint32_t c = 0;
		end = may_begin[(unsigned char)s[at]] ? end_of(s, len, at, &c) : at;
		if (end == at) {
			end = at + 1;
			continue;
		}
		if (c == MARK && at == 0)
			continue;
		seen->first = seen->any ? seen->first : at;
		seen->last = end;
		seen->any = true;
		seen->tags |= is_tag(c);
		if (!out)
			continue;
		memcpy(out + n, s + copied, at - copied);
		n += at - copied;
		copied = end;
		if (tags && is_tag(c))
			out[n++] = (char)(c - TAG_BASE);
	}
	if (out)
		memcpy(out + n, s + copied, len - copied);
	return n + (len - copied);
}

static bool report(struct decoder *d, const char *data, size_t len, bool tags)
{
	char *const *scratch = decode_scratch(d);
	struct seen seen;

	if (!scratch)
		return false;
	size_t n = drop(data, len, tags, scratch[0], &seen);
	return !n || decode_add(d, &(struct decode_part){tags ? "tags" : "invisible", scratch[0], n,
							 seen.first, seen.last - seen.first});
}

bool decode_invisible(struct decoder *d, const char *data, size_t len)
{
	struct seen seen;

	drop(data, len, false, NULL, &seen);
	if (!seen.any)
		return true;
	return report(d, data, len, false) && (!seen.tags || report(d, data, len, true));
}
