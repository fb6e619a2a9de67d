/* SPDX-License-Identifier: MIT
 *
 * Sets of characters as ranges. Closing sorts and joins; folding looks only into blocks of scripts
 * that have case, so that a class over everything costs no more than a letter table.
 */
#include "scan/js_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/js_case.h"

/* More than half of the characters in js_case_blocks that are code units. */
enum { MANY_CASED = 2500 };

/* clang-format off */
static const struct js_range digits[] = {{'0', '9'}, {1, 0}};
static const struct js_range spaces[] = {
	{9, 13}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
	{0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}, {1, 0},
};
static const struct js_range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {1, 0}};
static const struct js_range words_folded[] = {
	{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0x17f, 0x17f}, {0x212a, 0x212a}, {1, 0},
};
static const struct js_range lines[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}, {1, 0}};
static const struct js_range *const named[] = {
	[JS_DIGIT] = digits, [JS_SPACE] = spaces, [JS_WORDS] = words, [JS_LINES] = lines,
};
/* clang-format on */

void js_set_add(struct js_set *set, uint32_t low, uint32_t high)
{
	if (set->count == set->room) {
		size_t room = set->room ? set->room * 2 : 16;
		struct js_range *grown = NULL;

		if (room <= JS_SET_MAX)
			grown = realloc(set->range, room * sizeof(*grown));
		if (!grown) {
			set->failed = true;
			return;
		}
		set->range = grown;
		set->room = room;
	}
	set->range[set->count++] = (struct js_range){low, high};
}

void js_set_add_named(struct js_set *set, enum js_named name, bool negative, bool unicode_case,
		      uint32_t max)
{
	const struct js_range *r = named[name];
	uint32_t from = 0;

	if (unicode_case && name == JS_WORDS)
		r = words_folded;
	for (; r->low <= r->high; r++) {
		if (!negative)
			js_set_add(set, r->low, r->high);
		else if (r->low > from)
			js_set_add(set, from, r->low - 1);
		from = r->high + 1;
	}
	if (negative)
		js_set_add(set, from, max);
}

static const struct js_range *find(const struct js_range *range, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= range[i].low && c <= range[i].high)
			return &range[i];
	return NULL;
}

static int by_low(const void *a, const void *b)
{
	const struct js_range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

void js_set_close(struct js_set *set)
{
	size_t n = 0;

	if (!set->count)
		return;
	qsort(set->range, set->count, sizeof(*set->range), by_low);
	for (size_t i = 1; i < set->count; i++) {
		struct js_range *last = &set->range[n], *r = &set->range[i];
		if (r->low > last->high + 1)
			set->range[++n] = *r;
		else if (r->high > last->high)
			last->high = r->high;
	}
	set->count = n + 1;
}

static void fold_range(struct js_set *set, struct js_range r, bool unicode)
{
	uint32_t same[JS_CASE_MAX];

	for (uint32_t c = r.low; c <= r.high; c++) {
		size_t n = js_case_all(c, unicode, same);
		for (size_t i = 1; i < n; i++)
			if (same[i] < r.low || same[i] > r.high)
				js_set_add(set, same[i], same[i]);
	}
}

/* The other way round: adds what is not in the set but equals something that is. */
static void fold_rest(struct js_set *set, bool unicode)
{
	uint32_t same[JS_CASE_MAX];
	size_t count = set->count;

	for (const struct js_range *b = js_case_blocks; b->low <= b->high; b++) {
		if (b->low > JS_UNIT_MAX && !unicode)
			break;
		for (uint32_t c = b->low; c <= b->high; c++) {
			const struct js_range *in = find(set->range, count, c);
			if (in) {
				c = in->high;
				continue;
			}
			size_t n = js_case_all(c, unicode, same), i = 1;
			while (i < n && !find(set->range, count, same[i]))
				i++;
			if (i < n)
				js_set_add(set, c, c);
		}
	}
	js_set_close(set);
}

/* How many characters that may have case are in the set. */
static size_t count_cased(const struct js_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->count; i++)
		for (const struct js_range *b = js_case_blocks; b->low <= b->high; b++) {
			uint32_t low = set->range[i].low > b->low ? set->range[i].low : b->low;
			uint32_t high = set->range[i].high < b->high ? set->range[i].high : b->high;
			n += low <= high ? high - low + 1 : 0;
		}
	return n;
}

void js_set_fold(struct js_set *set, bool unicode)
{
	js_set_close(set);
	size_t count = set->count;
	if (count_cased(set) > MANY_CASED) {
		fold_rest(set, unicode);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct js_range r = set->range[i];
		for (const struct js_range *b = js_case_blocks; b->low <= b->high; b++) {
			struct js_range both = {r.low > b->low ? r.low : b->low,
						r.high < b->high ? r.high : b->high};
			if (both.low <= both.high)
				fold_range(set, both, unicode);
		}
	}
	js_set_close(set);
}

void js_set_negate(struct js_set *set, uint32_t max)
{
	struct js_set out = {.failed = set->failed};
	uint32_t from = 0;

	js_set_close(set);
	for (size_t i = 0; i < set->count; i++) {
		if (set->range[i].low > from)
			js_set_add(&out, from, set->range[i].low - 1);
		from = set->range[i].high + 1;
	}
	if (from <= max)
		js_set_add(&out, from, max);
	js_set_done(set);
	*set = out;
}

void js_set_done(struct js_set *set)
{
	free(set->range);
	*set = (struct js_set){0};
}
