/* SPDX-License-Identifier: MIT
 *
 * Dumps as xxd, od and hexdump print them: an offset, bytes in groups, and sometimes the text
 * beside them. The offsets separate the bytes of one line from those of the next, and the text
 * column is cut into sixteens, so a rule sees no whole word in either. Consecutive dump lines are
 * joined. xxd and od write a group of two bytes in opposite orders: both are read. od -c and od -a
 * print one character per cell. A dump without offsets is a list, which decode_numbers.c reads.
 */
#include <string.h>

#include "base/scope.h"
#include "scan/text/decode.h"
#include "scan/text/decode_private.h"

enum { OFFSET_MIN = 6, OFFSET_MAX = 16, GROUP_MAX = 8, MIDDLE = 8 };
/* od -c: the width of a cell, cells on a line, and the fewest on a line that may be filled up. */
enum { CELL = 4, CELLS = 16, CELLS_LEAST = 4 };
_Static_assert(CELLS_LEAST *CELL + OFFSET_MIN >= CELLS, "what is filled up fits where it stood");

struct line {
	const char *s;
	size_t at, end;
	size_t cells; /* where the cells would begin */
};

struct dump {
	struct decoder *d;
	char *big, *little; /* scratch: as written, and with each group reversed */
	size_t n;
	size_t cells; /* of the last line, if it had cells */
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t skip_space(struct line *l)
{
	size_t from = l->at;

	while (l->at < l->end && (l->s[l->at] == ' ' || l->s[l->at] == '\t'))
		l->at++;
	return l->at - from;
}

/* The number of hex digits here; 0 unless space or the end follows them. */
static size_t token(const struct line *l)
{
	size_t at = l->at;

	while (at < l->end && digit(l->s[at]) >= 0)
		at++;
	bool whole = at == l->end || l->s[at] == ' ' || l->s[at] == '\t' || l->s[at] == '\r';
	return whole ? at - l->at : 0;
}

/* 00000010: or 0000020, and the space after it. */
static bool skip_offset(struct line *l)
{
	size_t n = 0;

	skip_space(l);
	while (l->at < l->end && digit(l->s[l->at]) >= 0) {
		l->at++;
		n++;
	}
	if (l->at < l->end && l->s[l->at] == ':')
		l->at++;
	l->cells = l->at;
	return n >= OFFSET_MIN && n <= OFFSET_MAX && skip_space(l);
}

static unsigned value(const char *s, size_t digits, unsigned base)
{
	unsigned v = 0;

	for (size_t i = 0; i < digits; i++)
		v = v * base + (unsigned)digit(s[i]);
	return v;
}

/* The bytes of a group of DIGITS digits; three are octal. */
static bool add_group(struct dump *p, const char *s, size_t digits)
{
	size_t bytes = digits == 3 ? 1 : digits / 2;

	for (size_t i = 0; i < bytes; i++) {
		unsigned v = digits == 3 ? value(s, 3, 8) : value(s + 2 * i, 2, 16);
		if (v > UINT8_MAX)
			return false;
		p->big[p->n + i] = p->little[p->n + bytes - 1 - i] = (char)v;
	}
	p->n += bytes;
	return true;
}

/* Adds the groups of a line, up to the text column. More than one space stands before that column;
 * only in the middle of the bytes may this be the gap between two halves. */
static size_t add_line(struct dump *p, struct line *l)
{
	size_t groups = 0, digits = 0, space = 1;

	for (; l->at < l->end; groups++) {
		size_t n = token(l);
		bool fits = n == 2 || n == 3 || n == 4 || n == GROUP_MAX;
		if (!fits || (digits && n != digits && (n > digits || n % 2)))
			break;
		if (groups && space > 1 && space % 2 == 0 && groups != MIDDLE)
			break;
		digits = digits ? digits : n;
		if (!add_group(p, l->s + l->at, n))
			break;
		l->at += n;
		space = skip_space(l);
	}
	return groups;
}

static void add_byte(struct dump *p, char c)
{
	p->big[p->n] = p->little[p->n] = c;
	p->n++;
}

/* How od writes unprintable characters, after two spaces. */
static const struct {
	char cell[3], value;
} named[] = {{"\\0", '\0'}, {"\\a", '\a'}, {"\\b", '\b'}, {"\\t", '\t'},
	     {"\\n", '\n'}, {"\\v", '\v'}, {"\\f", '\f'}, {"\\r", '\r'},
	     {"sp", ' '},   {"nl", '\n'},  {"ht", '\t'},  {"cr", '\r'}};

/* The byte in the cell at S, or -1. */
static int cell_value(const char *s)
{
	if (s[0] != ' ')
		return -1;
	if (s[1] == ' ' && s[2] == ' ')
		return s[3] >= ' ' && s[3] < 0x7f ? s[3] : -1;
	for (size_t i = 0; s[1] == ' ' && i < ARRAY_SIZE(named); i++)
		if (memcmp(s + 2, named[i].cell, 2) == 0)
			return named[i].value;
	for (size_t i = 1; i < CELL; i++)
		if (s[i] < '0' || s[i] > '7')
			return -1;
	unsigned v = value(s + 1, 3, 8);
	return v <= UINT8_MAX ? (int)v : -1;
}

/* Adds a line of od -c. Returns false, and adds nothing, when the line is not one. Editors remove
 * spaces at a line's end: they are restored when another line follows, but never beyond the length
 * that was written. */
static bool add_cells(struct dump *p, const struct line *l)
{
	size_t end = l->end, before = p->n, had = p->cells;
	bool blank = true;

	p->cells = 0;
	while (end > l->cells && (l->s[end - 1] == '\r' || l->s[end - 1] == ' '))
		end--;
	if ((end - l->cells) % CELL || end - l->cells > (size_t)CELL * CELLS)
		return false;
	for (; had >= CELLS_LEAST && had < CELLS; had++)
		add_byte(p, ' ');
	for (size_t at = l->cells; at < end; at += CELL, p->cells++) {
		int v = cell_value(l->s + at);
		if (v < 0)
			break;
		blank = blank && v == ' ';
		add_byte(p, (char)v);
	}
	if (p->cells == (end - l->cells) / CELL && !blank)
		return true;
	p->n = before;
	p->cells = 0;
	return false;
}

/* Reports a dump that has ended. Returns false to stop. */
static bool report(struct dump *p, size_t offset, size_t end)
{
	const char *const both[] = {p->big, p->little};
	bool go_on = true;
	size_t n = p->n;

	p->n = p->cells = 0;
	for (size_t i = 0; n >= DECODE_NUMBERS_MIN && i < ARRAY_SIZE(both) && go_on; i++) {
		struct decode_measure m = decode_measure(both[i], n, true);
		if (decode_is_text(&m, n))
			go_on = decode_add(p->d, &(struct decode_part){"dump", both[i], n, offset,
								       end - offset});
	}
	return go_on;
}

static bool begin(struct dump *p)
{
	char *const *scratch = p->big ? NULL : decode_scratch(p->d);

	if (scratch) {
		p->big = scratch[0];
		p->little = scratch[1];
	}
	return p->big != NULL;
}

bool decode_dumps(struct decoder *d, const char *data, size_t len)
{
	struct dump p = {.d = d};
	size_t first = 0, last = 0;

	for (size_t at = 0, next; at < len; at = next) {
		const char *stop = memchr(data + at, '\n', len - at);
		struct line l = {data, at, stop ? (size_t)(stop - data) : len, at};
		next = l.end + (stop != NULL);
		size_t before = p.n;
		if (skip_offset(&l)) {
			if (!begin(&p))
				return false;
			first = before ? first : at;
			if (!add_cells(&p, &l))
				add_line(&p, &l);
		}
		if (p.n > before)
			last = l.end;
		else if (before && !report(&p, first, last))
			return false;
	}
	return !p.n || report(&p, first, last);
}
