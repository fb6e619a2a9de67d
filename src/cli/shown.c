/* SPDX-License-Identifier: MIT
 *
 * Character by character. A word in which letters of a look-alike script stand beside Latin ones has
 * them written out: a name with one Cyrillic letter is not what it seems. A word that is all of one
 * script is somebody's language and stays.
 */
#include "cli/shown.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/glyph.h"

#define MARK_ON "\033[7m"
#define MARK_OFF "\033[0m"

/* Scripts with letters that look like Latin ones. */
static const struct {
	uint32_t first, last;
} alike[] = {
	{0x0370, 0x03ff},		      /* Greek */
	{0x0400, 0x052f},		      /* Cyrillic */
	{0x0530, 0x058f},		      /* Armenian */
	{0x13a0, 0x13ff},   {0xab70, 0xabbf}, /* Cherokee */
	{0x1f00, 0x1fff},		      /* Greek */
	{0x2c80, 0x2cff},		      /* Coptic */
	{0xa4d0, 0xa4ff},		      /* Lisu */
	{0xa640, 0xa69f},		      /* Cyrillic */
	{0xff21, 0xff5a},		      /* full-width Latin */
	{0x1d400, 0x1d7ff},		      /* mathematical letters */
};

static bool is_alike(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(alike); i++)
		if (c >= alike[i].first && c <= alike[i].last)
			return true;
	return false;
}

static bool is_latin(uint32_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Digits and _ are in words of any script. */
static bool is_in_word(uint32_t c)
{
	return is_latin(c) || (c >= '0' && c <= '9') || c == '_' || (c >= 0x80 && c < GLYPH_BROKEN);
}

static uint32_t next(const unsigned char *p, size_t left, unsigned *ret_len)
{
	unsigned len = glyph_length(*p), have = 1;

	while (have < len && have < left && (p[have] & 0xc0) == 0x80)
		have++;
	uint32_t c = glyph_decode(p, have == len ? len : 1);
	*ret_len = c >= GLYPH_BROKEN ? 1 : len;
	return c;
}

/* How many bytes the word has that begins here; *RET_MIXED: scripts are mixed in it. */
static size_t word(const unsigned char *p, size_t left, bool *ret_mixed)
{
	bool latin = false, other = false;
	size_t at = 0;
	unsigned len;

	while (at < left) {
		uint32_t c = next(p + at, left - at, &len);
		if (!is_in_word(c))
			break;
		latin |= is_latin(c);
		other |= is_alike(c);
		at += len;
	}
	*ret_mixed = latin && other;
	return at;
}

struct line {
	const struct shown *how;
	FILE *below; /* or NULL */
	bool marked; /* the colour is on */
};

static void mark(struct line *l, bool marked, size_t columns)
{
	if (l->how->colour && marked != l->marked)
		fputs(marked ? MARK_ON : MARK_OFF, l->how->to);
	l->marked = marked;
	for (size_t i = 0; l->below && i < columns; i++)
		fputc(marked ? '^' : ' ', l->below);
}

static void show(struct line *l, const unsigned char *p, unsigned len, uint32_t c, bool written_out,
		 bool marked)
{
	char text[GLYPH_SHOWN_MAX];
	size_t n = len;

	written_out |=
		c >= GLYPH_BROKEN || glyph_is_obeyed(c) || glyph_is_unseen(c) || glyph_is_format(c);
	if (written_out)
		n = glyph_show(c, text);
	mark(l, marked, written_out ? n : 1);
	fwrite(written_out ? text : (const char *)p, 1, n, l->how->to);
}

static void show_all(struct line *l, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t word_end = 0;
	bool mixed = false;
	unsigned n;

	for (size_t at = 0; at < len; at += n) {
		if (at >= word_end)
			word_end = at + word(p + at, len - at, &mixed);
		uint32_t c = next(p + at, len - at, &n);
		show(l, p + at, n, c, at < word_end && mixed && is_alike(c),
		     l->how->mark && l->how->mark[at]);
	}
	mark(l, false, 0);
}

int shown_line(const struct shown *s, const char *text, size_t len)
{
	bool has_marks = s->mark && memchr(s->mark, 1, len);
	struct line l = {.how = s};
	AUTO_FREE char *row = NULL;
	size_t size = 0;

	if (has_marks && !s->colour && !(l.below = open_memstream(&row, &size)))
		return -1;
	show_all(&l, text, len);
	fputc('\n', s->to);
	if (!l.below)
		return 0;
	bool whole = fclose(l.below) == 0;
	if (whole)
		fprintf(s->to, "%s%.*s\n", s->below, (int)size, row);
	return whole ? 0 : -1;
}

void shown_text(FILE *to, const char *text)
{
	struct shown how = {.to = to};
	struct line l = {.how = &how};

	show_all(&l, text, strlen(text));
}
