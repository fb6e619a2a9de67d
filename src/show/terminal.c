/* SPDX-License-Identifier: MIT
 *
 * Escapes text character by character. In a word that mixes Latin letters with letters of a
 * look-alike script, the latter are escaped: a name with one Cyrillic letter is not what it seems.
 * A word in one script is shown as it is. Letters of right-to-left scripts are always escaped: a
 * terminal could show a line of code in another order than it runs in, without any mark.
 */
#include "show/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <utf8proc.h>

#include "base/scope.h"
#include "show/glyph.h"

#define MARK_ON "\033[7m"
#define MARK_OFF "\033[0m"
enum { WORD_MAX = 24 };

/* Letters and signs that look like those of ASCII. */
static const struct {
	uint32_t first, last;
} alike[] = {
	{0x0131, 0x0131},			/* i without its dot */
	{0x01c0, 0x01c3},			/* clicks: | and ! */
	{0x0250, 0x02ff},			/* phonetic letters */
	{0x0370, 0x03ff},			/* Greek */
	{0x0400, 0x052f},			/* Cyrillic */
	{0x0530, 0x058f},			/* Armenian */
	{0x10a0, 0x10ff},   {0x13a0, 0x13ff},	/* Georgian, Cherokee */
	{0x1400, 0x167f},			/* Canadian syllabics */
	{0x1c80, 0x1c8f},			/* Cyrillic */
	{0x1d00, 0x1dbf},			/* phonetic letters */
	{0x1f00, 0x1fff},			/* Greek */
	{0x2010, 0x2013},   {0x201a, 0x201a},	/* hyphens, a comma */
	{0x2024, 0x2024},   {0x2044, 0x2044},	/* a dot, a slash */
	{0x2100, 0x218f},			/* letter-like signs, Roman numbers */
	{0x2212, 0x2212},   {0x2215, 0x2217},	/* minus, slashes, a star */
	{0x2223, 0x2223},   {0x2236, 0x2236},	/* a bar, a colon */
	{0x2c60, 0x2c7f},			/* Latin, for few languages */
	{0x2c80, 0x2cff},			/* Coptic */
	{0x2d00, 0x2d2f},			/* Georgian */
	{0xa4d0, 0xa4ff},			/* Lisu */
	{0xa640, 0xa69f},			/* Cyrillic */
	{0xa720, 0xa7ff},   {0xab30, 0xab6f},	/* Latin, for few languages */
	{0xab70, 0xabbf},			/* Cherokee */
	{0xfe10, 0xfe6f},   {0xff01, 0xff65},	/* small, full-width */
	{0x10280, 0x1034f},			/* Lycian, Carian, Old Italic, Gothic */
	{0x10400, 0x104ff},			/* Deseret, Osage */
	{0x118a0, 0x118ff}, {0x16f00, 0x16f9f}, /* Warang Citi, Miao */
	{0x1d400, 0x1d7ff}, {0x1f100, 0x1f1ff}, /* mathematical, enclosed letters */
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

/* The length of the word that begins here; *RET_MIXED: it mixes scripts. */
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

/* Its direction changes the order of the text around it. */
static bool is_leftward(uint32_t c)
{
	utf8proc_propval_t way = utf8proc_get_property((utf8proc_int32_t)c)->bidi_class;

	return way == UTF8PROC_BIDI_CLASS_R || way == UTF8PROC_BIDI_CLASS_AL ||
	       way == UTF8PROC_BIDI_CLASS_AN;
}

/* A combining mark is visible only on letters of a script that has marks. */
static bool is_stray_mark(uint32_t c, uint32_t before)
{
	utf8proc_category_t kind = utf8proc_category((utf8proc_int32_t)c);

	return (kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME) && before < 0x250;
}

static bool is_nothing(uint32_t c)
{
	utf8proc_category_t kind = utf8proc_category((utf8proc_int32_t)c);

	return kind == UTF8PROC_CATEGORY_CN || kind == UTF8PROC_CATEGORY_CO ||
	       kind == UTF8PROC_CATEGORY_CF || (kind == UTF8PROC_CATEGORY_ZS && c != ' ');
}

static bool must_be_written_out(uint32_t c, uint32_t before)
{
	if (c < 0x7f)
		return c < 0x20;
	return c >= GLYPH_BROKEN || glyph_is_obeyed(c) || glyph_is_unseen(c) ||
	       glyph_is_format(c) || is_leftward(c) || is_nothing(c) || is_stray_mark(c, before);
}

/* The position in a text. */
struct walk {
	const unsigned char *p;
	size_t len, at, word_end;
	bool mixed;
	/* The character just taken: */
	uint32_t c;
	size_t from;
	bool written_out;
};

static bool walk_next(struct walk *w)
{
	uint32_t before = w->c;
	unsigned n;

	if (w->at >= w->len)
		return false;
	if (w->at >= w->word_end)
		w->word_end = w->at + word(w->p + w->at, w->len - w->at, &w->mixed);
	w->from = w->at;
	w->c = next(w->p + w->at, w->len - w->at, &n);
	w->written_out = must_be_written_out(w->c, before) ||
			 (w->from < w->word_end && w->mixed && is_alike(w->c));
	w->at += n;
	return true;
}

struct line {
	const struct terminal_style *how;
	size_t column;
	bool marked;	/* the colour is on */
	bool has_marks; /* in this row */
	char below[TERMINAL_WIDTH_MAX + 1];
	size_t belowc;
};

static void mark(struct line *l, bool marked)
{
	if (l->how->colour && marked != l->marked)
		fputs(marked ? MARK_ON : MARK_OFF, l->how->to);
	l->marked = marked;
}

/* Prints the row of ^ below the row that ends here. */
static void end_row(struct line *l)
{
	mark(l, false);
	fputc('\n', l->how->to);
	if (l->has_marks && !l->how->colour)
		fprintf(l->how->to, "%s%.*s\n", l->how->below, (int)l->belowc, l->below);
	l->has_marks = false;
	l->belowc = 0;
}

static void next_row(struct line *l)
{
	end_row(l);
	fputs(l->how->more, l->how->to);
	l->column = strlen(l->how->more);
}

static void show(struct line *l, const struct walk *w)
{
	char text[GLYPH_SHOWN_MAX];
	const char *out = (const char *)w->p + w->from;
	size_t n = w->at - w->from, columns = 1;

	if (w->written_out) {
		n = columns = glyph_show(w->c, text);
		out = text;
	}
	/* A character beyond ASCII may be two columns wide: the font decides. */
	size_t room = !w->written_out && w->c >= 0x80 ? 2 : columns;
	if (l->column + room > l->how->width)
		next_row(l);
	bool marked = l->how->mark && l->how->mark[w->from];
	mark(l, marked);
	l->has_marks |= marked;
	for (size_t i = 0; i < columns && l->belowc < TERMINAL_WIDTH_MAX; i++)
		l->below[l->belowc++] = marked ? '^' : ' ';
	l->column += room;
	fwrite(out, 1, n, l->how->to);
}

static void show_all(struct line *l, const char *text, size_t len)
{
	struct walk w = {.p = (const unsigned char *)text, .len = len};

	while (walk_next(&w))
		show(l, &w);
}

size_t terminal_width(FILE *to)
{
	struct winsize size = {0};

	if (ioctl(fileno(to), TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return TERMINAL_WIDTH;
	return size.ws_col < TERMINAL_WIDTH_MIN	  ? TERMINAL_WIDTH_MIN
	       : size.ws_col > TERMINAL_WIDTH_MAX ? TERMINAL_WIDTH_MAX
						  : size.ws_col;
}

void terminal_line(const struct terminal_style *s, size_t column, const char *text, size_t len)
{
	struct line l = {.how = s, .column = column};

	show_all(&l, text, len);
	end_row(&l);
}

/* A word that fits in one row is not split. */
static bool fits_not(const struct line *l, const struct walk *w)
{
	size_t end = w->at;

	while (end < w->len && end - w->at < WORD_MAX && w->p[end] != ' ')
		end++;
	return w->c == ' ' && end - w->at < WORD_MAX && l->column + (end - w->at) > l->how->width;
}

size_t terminal_text(const struct terminal_style *s, size_t column, const char *text)
{
	struct walk w = {.p = (const unsigned char *)text, .len = strlen(text)};
	struct line l = {.how = s, .column = column};

	while (walk_next(&w)) {
		show(&l, &w);
		if (fits_not(&l, &w))
			next_row(&l);
	}
	mark(&l, false);
	return l.column;
}

static bool is_line_end(const struct walk *w)
{
	bool last = w->at == w->len || w->p[w->at] == '\n';

	return w->c == '\n' || (w->c == '\r' && last);
}

bool terminal_is_plain(const char *text, size_t len)
{
	struct walk w = {.p = (const unsigned char *)text, .len = len};

	while (walk_next(&w))
		if (w.written_out && w.c != '\t' && !is_line_end(&w))
			return false;
	return true;
}

void terminal_words(FILE *to, const char *text)
{
	/* Characters without width do not break a line. */
	const struct terminal_style s = {.to = to,
					 .more = "    ",
					 .below = "    ",
					 .width = isatty(fileno(to)) ? terminal_width(to)
								     : SIZE_MAX};

	terminal_text(&s, 0, text);
}

/* Does not split a character or an escape. */
size_t terminal_short(FILE *to, const char *text, size_t len)
{
	size_t n = len > TERMINAL_SHORT ? TERMINAL_SHORT : len;

	while (n < len && n && ((text[n] & 0xc0) == 0x80 || text[n - 1] == '\\'))
		n--;
	AUTO_FREE char *part = strndup(text, n);
	terminal_words(to, part ? part : "?");
	return len - n;
}

bool terminal_has_colour(FILE *to)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(to)) && !(no && *no);
}

/* Returns the number of bytes that it took. */
static unsigned say_char(FILE *to, const unsigned char *p)
{
	char shown[GLYPH_SHOWN_MAX];
	unsigned len = glyph_length(*p), have = 1;

	while (have < len && (p[have] & 0xc0) == 0x80)
		have++;
	uint32_t c = glyph_decode(p, have == len ? len : 1);
	if (c >= GLYPH_BROKEN || glyph_is_obeyed(c) || glyph_is_unseen(c) || glyph_is_format(c)) {
		fwrite(shown, 1, glyph_show(c, shown), to);
		return c >= GLYPH_BROKEN ? 1 : len;
	}
	fwrite(p, 1, len, to);
	return len;
}

void terminal_print_text(FILE *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	for (unsigned len; *p; p += len)
		len = say_char(to, p);
}

#define COLOUR_RED "\033[31m"
#define COLOUR_OFF "\033[0m"

/* Every message begins with "cordon: ". A value from outside never begins a line. */
void terminal_say(const char *label, const char *text)
{
	bool colour = terminal_has_colour(stderr);

	fprintf(stderr, "%scordon: %s%s", colour ? COLOUR_RED : "", label,
		colour ? COLOUR_OFF : "");
	terminal_print_text(stderr, text);
	fputc('\n', stderr);
}

void terminal_print_error(const struct err *err)
{
	if (err->layer[0]) {
		char label[64];
		snprintf(label, sizeof(label), "layer %s: ", err->layer);
		terminal_say(label, err->message);
	} else {
		terminal_say("", err->message);
	}
	if (err->cause[0])
		terminal_say("  because: ", err->cause);
	if (err->cure[0])
		terminal_say("  try: ", err->cure);
}

void terminal_print_lost(void)
{
	struct err err;

	err_set(&err, ERR_SYSTEM, "the output could not be written completely");
	err_cure(&err, "check for a full disk or a closed pipe");
	terminal_print_error(&err);
}

const char *terminal_time(uint64_t us, char buf[TERMINAL_TIME_MAX])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm t;

	if (!gmtime_r(&seconds, &t) ||
	    strftime(buf, TERMINAL_TIME_MAX, "%Y-%m-%dT%H:%M:%SZ", &t) == 0)
		snprintf(buf, TERMINAL_TIME_MAX, "%llu", (unsigned long long)us);
	return buf;
}
