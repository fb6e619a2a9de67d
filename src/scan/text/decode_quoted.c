/* SPDX-License-Identifier: MIT
 *
 * Quoted-printable, as in mail: =41 is a byte, and = at a line's end joins two lines. The
 * replacement is in place but separate from the other escapes: programs often have = before two
 * digits, and replacing these must not spoil the other layer.
 */
#include <ctype.h>
#include <string.h>

#include "base/scope.h"
#include "scan/text/decode_private.h"

enum { QUOTED_MIN = 2, SIGNS_SHARE = 2 }; /* one may be chance, and so may few among many */

struct quoted {
	size_t count, first, last;
	size_t signs; /* all = signs: an encoder leaves no plain one */
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The length of the sequence at the = at AT; 0 when it is a plain one. RET: the byte, or -1. */
static size_t read_one(const char *s, size_t len, size_t at, int *ret)
{
	size_t left = len - at - 1;
	const char *p = s + at + 1;

	*ret = -1;
	if (left >= 1 && p[0] == '\n')
		return 2;
	if (left >= 2 && p[0] == '\r' && p[1] == '\n')
		return 3;
	if (left < 2 || digit(p[0]) < 0 || digit(p[1]) < 0)
		return 0;
	*ret = digit(p[0]) * 16 + digit(p[1]);
	return 3;
}

/* Does it justify a layer? A program has x=default, and a=b before a line's end. */
static bool counts(const char *s, size_t at, int byte)
{
	if (byte < 0)
		return at && isalpha((unsigned char)s[at - 1]);
	return byte == '\n' || byte == '\t' || (byte >= ' ' && byte < 0x7f);
}

/* Without OUT it only counts. */
static size_t replace(const char *s, size_t len, char *out, struct quoted *q)
{
	size_t n = 0, copied = 0;

	*q = (struct quoted){0};
	for (size_t at = 0; at < len;) {
		const char *p = memchr(s + at, '=', len - at);
		int byte;
		size_t used = p ? read_one(s, len, at = (size_t)(p - s), &byte) : 0;
		if (!p)
			break;
		q->signs++;
		at += used ? used : 1;
		if (!used)
			continue;
		q->first = q->last ? q->first : at - used;
		q->last = at;
		q->count += counts(s, at - used, byte);
		if (!out)
			continue;
		memcpy(out + n, s + copied, at - used - copied);
		n += at - used - copied;
		copied = at;
		if (byte >= 0)
			out[n++] = (char)byte;
	}
	if (out)
		memcpy(out + n, s + copied, len - copied);
	return n + len - copied;
}

bool decode_quoted(struct decoder *d, const char *data, size_t len)
{
	struct quoted q;

	replace(data, len, NULL, &q);
	if (q.count < QUOTED_MIN || q.count * SIGNS_SHARE < q.signs)
		return true;
	char *const *scratch = decode_scratch(d);
	if (!scratch)
		return false;
	size_t n = replace(data, len, scratch[0], &q);
	return !n || decode_add(d, &(struct decode_part){"quoted-printable", scratch[0], n, q.first,
							 q.last - q.first});
}
