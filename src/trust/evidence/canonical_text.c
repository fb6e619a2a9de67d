/* SPDX-License-Identifier: MIT
 *
 * One pass over the bytes, with a table for ASCII and rows for other characters: invisible ones, spaces,
 * typographic quotes and full-width letters, which a page can have and code that was copied from it
 * has not.
 */
#include "trust/evidence/canonical_text.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/scope.h"
#include "base/utf8.h"

enum { DROP = 0, ESCAPE = 1, BEYOND = 2, FULL_WIDTH = 3 };

/* The canonical byte; or one of the actions above. */
static uint8_t ascii_becomes(uint8_t c)
{
	static const uint8_t dropped[256] = {
		['"'] = 1, ['\''] = 1, ['`'] = 1, ['#'] = 1, ['*'] = 1, ['>'] = 1, [0x7f] = 1};

	if (c >= 0x80)
		return BEYOND;
	if (c == '\\')
		return ESCAPE;
	if (c <= ' ' || dropped[c])
		return DROP;
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* Characters beyond ASCII that are dropped or replaced. Ascending. */
static const struct {
	uint32_t first, last;
	uint8_t becomes; /* DROP, or the replacement of FIRST; the others follow in order */
} rows[] = {
	{0xa0, 0xa0, DROP},	/* no-break space */
	{0xab, 0xab, DROP},	/* quotes */
	{0xad, 0xad, DROP},	/* soft hyphen */
	{0xbb, 0xbb, DROP},	/* quotes */
	{0x300, 0x36f, DROP},	/* marks upon the letter before */
	{0x61c, 0x61c, DROP},	/* a mark of direction */
	{0x115f, 0x1160, DROP}, /* fillers */
	{0x17b4, 0x17b5, DROP}, /* vowels that are not written */
	{0x180b, 0x180f, DROP}, /* selectors, a separator */
	{0x2000, 0x200f, DROP}, /* spaces; joiners; marks of direction */
	{0x2010, 0x2010, '-'},	/* hyphens and dashes */
	{0x2011, 0x2011, '-'},	  {0x2012, 0x2012, '-'}, {0x2013, 0x2013, '-'},
	{0x2014, 0x2014, '-'},	  {0x2015, 0x2015, '-'}, {0x2018, 0x201f, DROP}, /* quotes */
	{0x2022, 0x2022, DROP},	  /* a list's bullet */
	{0x2028, 0x202f, DROP},	  /* separators; marks of direction */
	{0x2032, 0x2036, DROP},	  /* primes, set for quotes */
	{0x205f, 0x206f, DROP},	  /* signs that are not seen */
	{0x20d0, 0x20f0, DROP},	  /* marks upon the letter before */
	{0x2212, 0x2212, '-'},	  /* minus */
	{0x3000, 0x3000, DROP},	  /* a wide space */
	{0x3164, 0x3164, DROP},	  /* a filler */
	{0xfe00, 0xfe0f, DROP},	  /* variation selectors */
	{0xfeff, 0xfeff, DROP},	  /* the mark of byte order */
	{0xff01, 0xff5e, '!'},	  /* full width */
	{0xffa0, 0xffa0, DROP},	  /* a filler */
	{0xfff0, 0xfffb, DROP},	  /* not assigned; annotations */
	{0xe0000, 0xe0fff, DROP}, /* tags */
};

static int row_find(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows) && rows[i].first <= c; i++)
		if (c <= rows[i].last)
			return (int)i;
	return -1;
}

static void put(struct canon *c, uint8_t byte, size_t at)
{
	c->byte[c->len] = byte;
	c->map[c->len++] = (uint32_t)at;
}

/* Returns the number of bytes read. Invalid UTF-8 is copied. */
static size_t take_beyond(struct canon *c, const char *text, size_t len, size_t at)
{
	struct utf8_char u = utf8_next(text, len, at);
	int row = u.broken ? -1 : row_find(u.value);

	if (row < 0) {
		for (size_t i = at; i < at + u.len; i++)
			put(c, (uint8_t)text[i], i);
	} else if (rows[row].becomes != DROP) {
		uint32_t plain = rows[row].becomes + u.value - rows[row].first;
		uint8_t becomes = ascii_becomes((uint8_t)plain);
		if (becomes > ' ')
			put(c, becomes, at);
	}
	return u.len;
}

/* An escaped line feed is white space like a real one, at any depth of escaping: JSON in JSON has \\\\n. */
static size_t take_escape(const uint8_t *p, size_t len)
{
	size_t n = 1;

	while (n < len && p[n] == '\\')
		n++;
	return n < len && (p[n] == 'n' || p[n] == 'r' || p[n] == 't') ? n + 1 : n;
}

static int make_room(struct canon *c, size_t len, struct err *err)
{
	if (c->room > len)
		return 0;
	canon_done(c);
	c->byte = malloc(len + 1);
	c->map = malloc((len + 1) * sizeof(*c->map));
	if (!c->byte || !c->map) {
		canon_done(c);
		return err_memory(err);
	}
	c->room = len + 1;
	return 0;
}

int canon_text(struct canon *c, const char *text, size_t len, struct err *err)
{
	const uint8_t *p = (const uint8_t *)text;
	uint8_t table[256];

	if (len > CANON_TEXT_MAX)
		return err_set(err, ERR_LIMIT, "a text is over %zu bytes", CANON_TEXT_MAX);
	if (make_room(c, len, err) < 0)
		return -1;
	for (unsigned i = 0; i < 256; i++)
		table[i] = ascii_becomes((uint8_t)i);
	c->len = 0;
	for (size_t i = 0; i < len;) {
		uint8_t becomes = table[p[i]];
		if (becomes > ' ')
			put(c, becomes, i++);
		else if (becomes == ESCAPE)
			i += take_escape(p + i, len - i);
		else if (becomes == BEYOND)
			i += take_beyond(c, text, len, i);
		else
			i++;
	}
	c->map[c->len] = (uint32_t)len;
	return 0;
}

/* A replaced character is a full-width one or a hyphen; each has three bytes. */
size_t canon_end(const struct canon *c, const char *text, size_t i)
{
	bool is_wide = c->byte[i] < 0x80 && (uint8_t)text[c->map[i]] >= 0x80;

	return c->map[i] + (is_wide ? FULL_WIDTH : 1U);
}

void canon_done(struct canon *c)
{
	free(c->byte);
	free(c->map);
	*c = (struct canon){0};
}
