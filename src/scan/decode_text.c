/* SPDX-License-Identifier: MIT
 *
 * Is it text? Nearly every run of letters decodes to something; a layer is worth its scan only when
 * a person or an interpreter could read it. Short ones must be printable nearly throughout, longer
 * ones mostly, and of binary data the readable stretches are kept, because that is where a pickle
 * or a program has its commands. PowerShell's encoded commands are UTF-16.
 */
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "scan/decode_part.h"

enum {
	SHORT_PERCENT = 90,
	LONG_PERCENT = 70,
	UTF16_PERCENT = 70, /* of the high bytes are zero */
	UTF16_MIN = 8,
};

static bool is_printable(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\r';
}

/* The length of the printable character at AT; 0 when there is none. */
static size_t printable_at(const char *data, size_t len, size_t at)
{
	if (!(data[at] & 0x80))
		return is_printable((unsigned char)data[at]);
	struct utf8_char c = utf8_next(data, len, at);
	return c.broken || c.value < 0xa0 ? 0 : c.len;
}

/* How many bytes may be unprintable. */
static size_t allowed(size_t len)
{
	return len * (100 - (len < DECODE_SHORT ? SHORT_PERCENT : LONG_PERCENT)) / 100;
}

struct decode_measure decode_measure(const char *data, size_t len, bool give_up)
{
	struct decode_measure m = {0};
	size_t run = 0, most = give_up ? allowed(len) : len;

	for (size_t at = 0; at < len && at - m.printable <= most;) {
		size_t n = printable_at(data, len, at);
		run = n ? run + n : 0;
		m.printable += n;
		if (run > m.longest)
			m.longest = run;
		at += n ? n : 1;
	}
	return m;
}

bool decode_is_text(const struct decode_measure *m, size_t len)
{
	return len && len - m->printable <= allowed(len);
}

size_t decode_seen(char *data, size_t len, const struct decode_measure *m)
{
	size_t out = 0;

	if ((len - m->printable) * 100 <= len * (100 - SHORT_PERCENT))
		return len;
	for (size_t at = 0, n; at < len; at += n ? n : 1) {
		n = printable_at(data, len, at);
		memmove(data + out, data + at, n);
		out += n;
	}
	return out;
}

enum decode_utf16 decode_guess_utf16(const char *data, size_t len)
{
	size_t zero[2] = {0}, pairs = len / 2;

	if (len < UTF16_MIN || !memchr(data, 0, len))
		return DECODE_NOT_UTF16;
	for (size_t i = 0; i < 2 * pairs; i++)
		zero[i % 2] += data[i] == 0;
	if (zero[1] * 100 >= pairs * UTF16_PERCENT && zero[0] * 100 < pairs * UTF16_PERCENT)
		return DECODE_UTF16LE;
	if (zero[0] * 100 >= pairs * UTF16_PERCENT && zero[1] * 100 < pairs * UTF16_PERCENT)
		return DECODE_UTF16BE;
	return DECODE_NOT_UTF16;
}

size_t decode_from_utf16(const char *data, size_t len, enum decode_utf16 order, char *out)
{
	const uint8_t *s = (const uint8_t *)data;
	size_t low = order == DECODE_UTF16BE, n = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		uint32_t c = (uint32_t)s[i + !low] << 8 | s[i + low];
		bool surrogate = c >= 0xd800 && c < 0xe000;
		n += utf8_put(out + n, surrogate ? UTF8_REPLACEMENT : c);
	}
	return n;
}

static size_t keep_stretch(char *data, size_t out, size_t from, size_t to)
{
	if (to - from < DECODE_STRETCH_MIN)
		return out;
	if (out)
		data[out++] = '\n';
	memmove(data + out, data + from, to - from);
	return out + (to - from);
}

size_t decode_stretches(char *data, size_t len)
{
	size_t out = 0, from = 0, at = 0;

	while (at < len) {
		size_t n = printable_at(data, len, at);
		if (!n) {
			out = keep_stretch(data, out, from, at);
			from = at + 1;
		}
		at += n ? n : 1;
	}
	return keep_stretch(data, out, from, len);
}
