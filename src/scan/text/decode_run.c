/* SPDX-License-Identifier: MIT
 *
 * Base64 and hex: runs of characters of one class. decode_next_run() finds at little cost whether
 * there is one. A run may continue after a line's end or in the next string of a list. When the
 * joined pieces are not all text, each piece is tried alone: a harmless piece of the wrong length
 * must not hide the next. Letters directly before a run shift it, so base64 is tried at four
 * offsets and hex at two.
 */
#include <string.h>

#include "scan/text/decode.h"
#include "scan/text/decode_private.h"

enum {
	MORE_MIN = 4,
	STRETCHES_FROM = 64,
	SHORT_LINE_MAX =
		4 * DECODE_RUN_MIN, /* with the characters around it; a longer line has a run */
};

/* The value of a character plus one; 0: not in the alphabet. */
/* clang-format off */
static const uint8_t base64_value[256] = {
	['+'] = 63, ['-'] = 63, ['/'] = 64, ['_'] = 64,
	['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
		40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
};
static const uint8_t hex_value[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	['A'] = 11, 12, 13, 14, 15, 16,
	['a'] = 11, 12, 13, 14, 15, 16,
};
/* clang-format on */

struct alphabet {
	const char *how, *how_utf16;
	const uint8_t *value;
	struct decode_class class;
	size_t bits;   /* of one character */
	size_t shifts; /* offsets at which a byte can begin */
};
/* clang-format off */
static const struct alphabet base64 = {
	"base64", "base64+utf-16", base64_value,
	{base64_value, 6, {{'a', 'z', 0x20}, {'0', '9', 0}, {'+', '+', 0}, {'-', '-', 0},
			   {'/', '/', 0}, {'_', '_', 0}}},
	6, 4};
static const struct alphabet hex = {
	"hex", "hex+utf-16", hex_value, {hex_value, 2, {{'0', '9', 0}, {'a', 'f', 0x20}}}, 4, 2};
/* clang-format on */

/* One parent being searched. */
struct search {
	struct decoder *d;
	const struct alphabet *a;
	const char *s;
	size_t len;
	char *chars, *bytes, *text; /* scratch */
	size_t n;		    /* characters gathered */
};

static bool is_in(const struct alphabet *a, char c)
{
	return a->value[(unsigned char)c] != 0;
}

static size_t run_end(const struct search *q, size_t at)
{
	while (at < q->len && is_in(q->a, q->s[at]))
		at++;
	return at;
}

/* What a line of a comment or a quotation begins with, where it is not in an alphabet. */
static bool is_mark(char c)
{
	return c == '#' || c == '>' || c == '*' || c == '|';
}

/* The length of one separator at AT: a space, a quote, a comma, an operator that joins strings, or
 * the start of a comment line; 0: none. A line break may also be written \n. */
static size_t separator(const struct search *q, size_t at, bool *breaks)
{
	char c = q->s[at], next = (char)(at + 1 < q->len ? q->s[at + 1] : '\0');

	if (c == '\n' || c == '"' || c == '\'' || c == '`')
		*breaks = true;
	else if (c == '\\' && (next == 'n' || next == 'r'))
		return *breaks = true, 2;
	else if (c == '+')
		return next == ' ' || next == '"' || next == '\'' || next == '\n';
	else
		return c == ' ' || c == '\t' || c == '\r' || c == '\\' || c == ',' || c == '.' ||
		       (*breaks && is_mark(c));
	return 1;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Where the run that ended at END continues, or 0. Spaces do not count: a decoder ignores empty
 * lines. */
static size_t next_piece(const struct search *q, size_t end)
{
	size_t at = end, step, gap = 0;
	bool breaks = false;

	while (at < q->len && gap < DECODE_GAP_MAX && (step = separator(q, at, &breaks))) {
		gap += is_space(q->s[at]) ? 0 : step;
		at += step;
	}
	if (!breaks || at >= q->len || run_end(q, at) - at < MORE_MIN)
		return 0;
	return at;
}

static size_t unpack(const struct alphabet *a, const char *in, size_t n, char *out)
{
	uint32_t word = 0;
	size_t bits = 0, len = 0;

	for (size_t i = 0; i < n; i++) {
		word = word << a->bits | (uint32_t)(a->value[(unsigned char)in[i]] - 1);
		bits += a->bits;
		if (bits >= 8) {
			bits -= 8;
			out[len++] = (char)(word >> bits);
		}
	}
	return len;
}

struct answer {
	const char *how, *data;
	size_t len;
	bool clean; /* all of it is text */
};

/* Decodes the gathered characters from SHIFT on, if that is text. *LONGEST: the longest readable
 * stretch. */
static bool read_whole(struct search *q, size_t shift, struct answer *ret, size_t *longest)
{
	size_t len = unpack(q->a, q->chars + shift, q->n - shift, q->bytes);
	struct decode_measure m = decode_measure(q->bytes, len, q->n < STRETCHES_FROM);

	*ret = (struct answer){q->a->how, q->bytes, len, m.printable == len};
	*longest = m.longest;
	if (decode_is_text(&m, len))
		return true;
	enum decode_utf16 order = decode_guess_utf16(q->bytes, len);
	if (!order)
		return false;
	len = decode_from_utf16(q->bytes, len, order, q->text);
	m = decode_measure(q->text, len, true);
	*ret = (struct answer){q->a->how_utf16, q->text, len, m.printable == len};
	return decode_is_text(&m, len);
}

/* Decodes as text, or else takes the readable stretches at the shift that has most of them. */
static bool read_any(struct search *q, struct answer *ret)
{
	size_t best = 0, best_shift = 0, longest;

	for (size_t shift = 0; shift < q->a->shifts && shift < q->n; shift++) {
		if (read_whole(q, shift, ret, &longest))
			return true;
		if (longest > best) {
			best = longest;
			best_shift = shift;
		}
	}
	if (q->n < STRETCHES_FROM || best < DECODE_STRETCH_MIN)
		return false;
	size_t len = unpack(q->a, q->chars + best_shift, q->n - best_shift, q->bytes);
	*ret = (struct answer){q->a->how, q->bytes, decode_stretches(q->bytes, len), false};
	return true;
}

/* Reports the text of the gathered characters. Returns false when there is none, or not all of it
 * is text. *GO_ON: whether more layers are wanted. */
static bool report(struct search *q, size_t offset, size_t end, bool *go_on)
{
	struct answer a;

	if (!read_any(q, &a))
		return false;
	*go_on =
		decode_add(q->d, &(struct decode_part){a.how, a.data, a.len, offset, end - offset});
	return a.clean;
}

static void gather(struct search *q, size_t from, size_t to)
{
	memcpy(q->chars + q->n, q->s + from, to - from);
	q->n += to - from;
}

/* Each piece alone. */
static bool report_pieces(struct search *q, size_t at, size_t end)
{
	bool go_on = true;

	for (size_t stop; at < end && go_on; at = next_piece(q, stop)) {
		stop = run_end(q, at);
		q->n = 0;
		gather(q, at, stop);
		if (q->n >= DECODE_RUN_MIN)
			report(q, at, stop, &go_on);
		if (stop == end)
			break;
	}
	return go_on;
}

/* Takes the run at AT with all its pieces. */
static bool take_run(struct search *q, size_t at, size_t *ret_end)
{
	size_t end = at, pieces = 0;
	bool go_on = true;

	q->n = 0;
	for (size_t piece = at; piece || !pieces; piece = next_piece(q, end), pieces++) {
		end = run_end(q, piece);
		gather(q, piece, end);
	}
	*ret_end = end;
	if (report(q, at, end, &go_on) || pieces == 1 || !go_on)
		return go_on;
	return report_pieces(q, at, end);
}

/* *ANY: whether there is such a run. */
static bool search(struct decoder *d, const struct alphabet *a, const char *s, size_t len,
		   bool *any)
{
	struct search q = {.d = d, .a = a, .s = s, .len = len};
	bool go_on = true;

	*any = false;
	for (size_t at = decode_next_run(&a->class, s, len, 0); at < len && go_on;
	     at = decode_next_run(&a->class, s, len, at)) {
		char *const *scratch = decode_scratch(d);
		if (!scratch)
			return false;
		*any = true;
		q.chars = scratch[0];
		q.bytes = scratch[1];
		q.text = scratch[2];
		go_on = take_run(&q, at, &at);
	}
	return go_on;
}

/* A group of lines that are each too short for a run. */
struct lines {
	size_t at;	    /* start of the next line */
	size_t first, last; /* first and last character of the group */
	size_t count, chars;
	bool closed; /* by padding: what follows is another group */
};

/* Characters around a string in a list. */
static const bool is_around[256] = {
	['\0'] = true, [' '] = true, ['\t'] = true, ['\r'] = true, ['"'] = true,
	['\''] = true, ['`'] = true, [','] = true,  [';'] = true,  ['\\'] = true,
};

static size_t skip_around(const struct search *q, size_t at, size_t end)
{
	while (at < end && is_around[(unsigned char)q->s[at]])
		at++;
	return at;
}

/* Reads the line at L->at, if it consists of the class, padding, and the characters around a
 * string in a list. RET: from and to. Most lines fail after a word. */
static bool next_line(const struct search *q, struct lines *l, size_t ret[2])
{
	size_t most = q->len - l->at, end = l->at + (most < SHORT_LINE_MAX ? most : SHORT_LINE_MAX);
	size_t from, at;

	if (l->closed || !most)
		return false;
	at = from = skip_around(q, l->at, end);
	while (at < end && is_in(q->a, q->s[at]))
		at++;
	ret[0] = from;
	ret[1] = at;
	for (; at < end && q->s[at] == '='; at++)
		l->closed = true;
	at = skip_around(q, at, end);
	if (at < q->len && q->s[at] != '\n')
		return false;
	l->at = at + (at < q->len);
	return true;
}

static struct lines measure_lines(const struct search *q, size_t at)
{
	struct lines l = {.at = at, .first = at};

	for (size_t part[2]; next_line(q, &l, part);) {
		if (part[0] == part[1])
			continue;
		l.first = l.count ? l.first : part[0];
		l.last = part[1];
		l.count++;
		l.chars += part[1] - part[0];
	}
	return l;
}

/* Decodes text that is wrapped so narrowly that no line has a run. Empty lines do not count. */
static bool report_lines(struct search *q, size_t at, const struct lines *l)
{
	char *const *scratch = decode_scratch(q->d);
	struct lines again = {.at = at};
	bool go_on = true;

	if (!scratch)
		return false;
	q->chars = scratch[0];
	q->bytes = scratch[1];
	q->text = scratch[2];
	q->n = 0;
	for (size_t part[2]; next_line(q, &again, part);)
		gather(q, part[0], part[1]);
	report(q, l->first, l->last, &go_on);
	return go_on;
}

static bool search_lines(struct decoder *d, const struct alphabet *a, const char *s, size_t len,
			 bool *any)
{
	struct search q = {.d = d, .a = a, .s = s, .len = len};
	bool go_on = true;

	*any = false;
	for (size_t at = 0; at < len && go_on;) {
		struct lines l = measure_lines(&q, at);
		if (l.count > 1 && l.chars >= DECODE_RUN_MIN) {
			*any = true;
			go_on = report_lines(&q, at, &l);
		}
		const char *stop = l.at > at ? NULL : memchr(s + at, '\n', len - at);
		if (l.at == at)
			l.at = stop ? (size_t)(stop - s) + 1 : len;
		at = l.at;
	}
	return go_on;
}

/* The digits of hex are a subset of base64: without a run or group of lines of base64 there is
 * none of hex. */
bool decode_runs(struct decoder *d, const char *data, size_t len)
{
	bool runs, lines;

	if (!search(d, &base64, data, len, &runs) || !search_lines(d, &base64, data, len, &lines))
		return false;
	return (!runs || search(d, &hex, data, len, &runs)) &&
	       (!lines || search_lines(d, &hex, data, len, &lines));
}
