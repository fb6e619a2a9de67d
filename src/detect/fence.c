/* SPDX-License-Identifier: MIT
 *
 * Three kinds of quotation, as in the reference: lines between two that begin with three backticks
 * (the last one may be missing), text between two backticks in a line, and "quoted" text in lines
 * that begin with a bar, because tables list examples that way. One pass for each; then all are
 * sorted and joined, since a text may consist of quotations only.
 */
#include "detect/fence.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"

/* A place in the text, in bytes and in code units; it only moves forward. */
struct place {
	const char *data;
	size_t at, unit;
};

static size_t move(struct place *p, size_t to)
{
	for (; p->at < to; p->at++) {
		unsigned char c = (unsigned char)p->data[p->at];
		p->unit += ((c & 0xc0) != 0x80) + (c >= 0xf0);
	}
	return p->unit;
}

static void add(struct fences *f, size_t from, size_t to)
{
	if (f->count == f->room) {
		size_t room = f->room ? 2 * f->room : 16;
		void *grown = realloc(f->range, room * sizeof(*f->range));
		if (!grown) {
			f->failed = true;
			return;
		}
		f->range = grown;
		f->room = room;
	}
	f->range[f->count++] = (struct fence_range){from, to};
}

/* JavaScript's white space. */
static bool is_blank(uint32_t c)
{
	static const struct {
		uint16_t low, high;
	} blanks[] = {{9, 13},		{32, 32},	  {0xa0, 0xa0},	    {0x1680, 0x1680},
		      {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
		      {0x3000, 0x3000}, {0xfeff, 0xfeff}};

	for (size_t i = 0; i < ARRAY_SIZE(blanks); i++)
		if (c >= blanks[i].low && c <= blanks[i].high)
			return true;
	return false;
}

static bool is_fence(const char *line, size_t len)
{
	size_t at = 0;

	while (at < len) {
		struct utf8_char c = utf8_next(line, len, at);
		if (!is_blank(c.value))
			break;
		at += c.len;
	}
	return len - at >= 3 && !memcmp(line + at, "```", 3);
}

static void find_blocks(const char *data, size_t len, bool unclosed, struct fences *f)
{
	struct place p = {.data = data};
	size_t open = SIZE_MAX;

	for (size_t at = 0; at <= len;) {
		const char *end = at < len ? memchr(data + at, '\n', len - at) : NULL;
		size_t stop = end ? (size_t)(end - data) : len;
		if (is_fence(data + at, stop - at) && open == SIZE_MAX) {
			open = move(&p, at);
		} else if (is_fence(data + at, stop - at)) {
			add(f, open, move(&p, stop) + 1);
			open = SIZE_MAX;
		}
		at = stop + 1;
	}
	if (open != SIZE_MAX && unclosed)
		add(f, open, move(&p, len));
}

/* The next pair of MARK on one line with text between them. False when there is none. */
static bool find_pair(const char *data, size_t len, char mark, size_t *at, size_t *ret_end)
{
	while (*at < len) {
		const char *first = memchr(data + *at, mark, len - *at);
		if (!first)
			return false;
		size_t from = (size_t)(first - data), to = from + 1;
		while (to < len && data[to] != mark && data[to] != '\n')
			to++;
		*at = from;
		*ret_end = to + 1;
		if (to < len && data[to] == mark && to > from + 1)
			return true;
		/* The part walked over has no mark. */
		*at = to < len && data[to] == mark ? to : to + 1;
	}
	return false;
}

static void find_inline(const char *data, size_t len, struct fences *f)
{
	struct place p = {.data = data};
	size_t blocks = f->count, block = 0, end;

	for (size_t at = 0; find_pair(data, len, '`', &at, &end); at = end) {
		size_t from = move(&p, at);
		while (block < blocks && f->range[block].to <= from)
			block++;
		if (block == blocks || from < f->range[block].from)
			add(f, from, move(&p, end));
	}
}

/* The length of the line at DATA, by JavaScript's line terminators. */
static size_t line_length(const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n' || data[i] == '\r')
			return i;
		if (data[i] == '\xe2' && len - i >= 3 && data[i + 1] == '\x80' &&
		    (data[i + 2] == '\xa8' || data[i + 2] == '\xa9'))
			return i;
	}
	return len;
}

static void find_cells(const char *data, size_t len, struct fences *f)
{
	struct place p = {.data = data};

	for (size_t at = 0; at < len;) {
		size_t line = line_length(data + at, len - at), quote = 0, end;
		while (data[at] == '|' && find_pair(data + at, line, '"', &quote, &end)) {
			size_t from = move(&p, at + quote);
			add(f, from, move(&p, at + end));
			quote = end;
		}
		at += line;
		at += at < len && data[at] == '\xe2' ? 3 : 1;
	}
}

static int by_begin(const void *left, const void *right)
{
	const struct fence_range *a = left, *b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Sorts the ranges and joins those that touch. */
static void join(struct fences *f)
{
	size_t last = 0;

	if (!f->count)
		return;
	qsort(f->range, f->count, sizeof(*f->range), by_begin);
	for (size_t i = 1; i < f->count; i++)
		if (f->range[i].from > f->range[last].to)
			f->range[++last] = f->range[i];
		else if (f->range[i].to > f->range[last].to)
			f->range[last].to = f->range[i].to;
	f->count = last + 1;
}

void fences_find(const char *data, size_t len, bool unclosed, struct fences *f)
{
	find_blocks(data, len, unclosed, f);
	find_inline(data, len, f);
	find_cells(data, len, f);
	join(f);
}

/* The number of the first range that ends after UNIT. */
static size_t first_behind(const struct fences *f, size_t unit)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (f->range[middle].to > unit)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool fences_contain(const struct fences *f, size_t unit)
{
	size_t i = first_behind(f, unit);

	return i < f->count && f->range[i].from <= unit;
}

size_t fences_leave(const struct fences *f, size_t unit)
{
	return fences_contain(f, unit) ? f->range[first_behind(f, unit)].to : unit;
}

size_t fences_enter(const struct fences *f, size_t unit)
{
	size_t i = first_behind(f, unit) + fences_contain(f, unit);

	return i < f->count ? f->range[i].from : SIZE_MAX;
}

void fences_done(struct fences *f)
{
	free(f->range);
	*f = (struct fences){0};
}
