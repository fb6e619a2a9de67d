/* SPDX-License-Identifier: MIT
 *
 * Case comes from libutf8proc's simple mappings, corrected by three tables: characters whose upper
 * case is more than one character (JavaScript leaves them alone), characters that share a case with a
 * pair they are not part of, and pairs newer than the library's Unicode. The unit test compares every
 * character with Node.js. Folding a set looks only into blocks of scripts that have case, so a class
 * over all characters costs no more than a table of letters.
 */
#include "scan/regex/char_set.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/scope.h"

/* clang-format off */
const struct js_range js_case_blocks[] = {
	{0x41, 0x5a}, {0x61, 0x7a}, {0xb5, 0xb5}, {0xc0, 0x2af}, {0x345, 0x345}, {0x370, 0x587},
	{0x10a0, 0x10ff}, {0x13a0, 0x13ff}, {0x1c80, 0x1cbf}, {0x1d79, 0x1d8e}, {0x1e00, 0x1fff},
	{0x2126, 0x2188}, {0x24b6, 0x24e9}, {0x2c00, 0x2d2d}, {0xa640, 0xa7ff}, {0xab53, 0xabbf},
	{0xfb00, 0xfb17}, {0xff21, 0xff5a}, {0x10400, 0x105bc}, {0x10c80, 0x10d85},
	{0x118a0, 0x118df}, {0x16e40, 0x16ed3}, {0x1e900, 0x1e943}, {1, 0},
};

/* Characters whose upper case is several characters. */
static const struct js_range spread[] = {
	{0xdf, 0xdf}, {0x149, 0x149}, {0x1f0, 0x1f0}, {0x390, 0x390}, {0x3b0, 0x3b0},
	{0x587, 0x587}, {0x1e96, 0x1e9a}, {0x1f50, 0x1f50}, {0x1f52, 0x1f52}, {0x1f54, 0x1f54},
	{0x1f56, 0x1f56}, {0x1f80, 0x1faf}, {0x1fb2, 0x1fb4}, {0x1fb6, 0x1fb7}, {0x1fbc, 0x1fbc},
	{0x1fc2, 0x1fc4}, {0x1fc6, 0x1fc7}, {0x1fcc, 0x1fcc}, {0x1fd2, 0x1fd3}, {0x1fd6, 0x1fd7},
	{0x1fe2, 0x1fe4}, {0x1fe6, 0x1fe7}, {0x1ff2, 0x1ff4}, {0x1ff6, 0x1ff7}, {0x1ffc, 0x1ffc},
	{0xfb00, 0xfb06}, {0xfb13, 0xfb17},
};

/* Third and fourth forms, each with the lower-case letter it belongs to. */
static const struct { uint16_t odd, lower; } thirds[] = {
	{0xb5, 0x3bc}, {0x17f, 's'}, {0x1c5, 0x1c6}, {0x1c8, 0x1c9}, {0x1cb, 0x1cc},
	{0x1f2, 0x1f3}, {0x345, 0x3b9}, {0x3c2, 0x3c3}, {0x3d0, 0x3b2}, {0x3d1, 0x3b8},
	{0x3d5, 0x3c6}, {0x3d6, 0x3c0}, {0x3f0, 0x3ba}, {0x3f1, 0x3c1}, {0x3f4, 0x3b8},
	{0x3f5, 0x3b5}, {0x1c80, 0x432}, {0x1c81, 0x434}, {0x1c82, 0x43e}, {0x1c83, 0x441},
	{0x1c84, 0x442}, {0x1c85, 0x442}, {0x1c86, 0x44a}, {0x1c87, 0x463}, {0x1c88, 0xa64b},
	{0x1e9b, 0x1e61}, {0x1e9e, 0xdf}, {0x1fbe, 0x3b9}, {0x1fd3, 0x390}, {0x1fe3, 0x3b0},
	{0x2126, 0x3c9}, {0x212a, 'k'}, {0x212b, 0xe5}, {0xfb05, 0xfb06},
};

/* Newer than the Unicode 15 of Debian 12's library. */
static const struct { uint32_t lower, upper, count; } young[] = {
	{0x19b, 0xa7dc, 1}, {0x264, 0xa7cb, 1}, {0x1c8a, 0x1c89, 1}, {0xa7cd, 0xa7cc, 1},
	{0xa7cf, 0xa7ce, 1}, {0xa7d3, 0xa7d2, 1}, {0xa7d5, 0xa7d4, 1}, {0xa7db, 0xa7da, 1},
	{0x10d70, 0x10d50, 22}, {0x16ebb, 0x16ea0, 25},
};
/* clang-format on */

static uint32_t upper(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(young); i++)
		if (c - young[i].lower < young[i].count)
			return c - young[i].lower + young[i].upper;
	return (uint32_t)utf8proc_toupper((utf8proc_int32_t)c);
}

static uint32_t lower(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(young); i++)
		if (c - young[i].upper < young[i].count)
			return c - young[i].upper + young[i].lower;
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

static bool is_spread(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
		if (c >= spread[i].low && c <= spread[i].high)
			return true;
	return false;
}

/* Without u: the upper-case form. */
static uint32_t canonical_unit(uint32_t c)
{
	if (c < 128)
		return c - 'a' < 26 ? c - 'a' + 'A' : c;
	uint32_t u = is_spread(c) ? c : upper(c);
	return u < 128 || u > JS_UNIT_MAX ? c : u;
}

/* With u: simple folding. The dotted and dotless i fold to nothing but themselves. */
static uint32_t canonical_point(uint32_t c)
{
	if (c == 0x130 || c == 0x131)
		return c;
	for (size_t i = 0; i < ARRAY_SIZE(thirds); i++)
		if (thirds[i].odd == c)
			return thirds[i].lower;
	return lower(c);
}

static uint32_t canonical(uint32_t c, bool unicode)
{
	return unicode ? canonical_point(c) : canonical_unit(c);
}

static bool in_blocks(uint32_t c)
{
	for (const struct js_range *b = js_case_blocks; b->low <= b->high; b++)
		if (c >= b->low && c <= b->high)
			return true;
	return false;
}

static size_t put(uint32_t c, uint32_t candidate, bool unicode, uint32_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ret[i] == candidate)
			return n;
	if (n >= JS_CASE_MAX || canonical(candidate, unicode) != canonical(c, unicode))
		return n;
	ret[n] = candidate;
	return n + 1;
}

size_t js_case_all(uint32_t c, bool unicode, uint32_t ret[JS_CASE_MAX])
{
	size_t n = 1;

	ret[0] = c;
	if (c < 128 && !unicode) {
		ret[1] = c ^ 32;
		return (c | 32) - 'a' < 26 ? 2 : 1;
	}
	if (!in_blocks(c))
		return n;
	uint32_t low = canonical_point(c);
	n = put(c, lower(c), unicode, ret, n);
	n = put(c, upper(c), unicode, ret, n);
	n = put(c, low, unicode, ret, n);
	n = put(c, upper(low), unicode, ret, n);
	for (size_t i = 0; i < ARRAY_SIZE(thirds); i++)
		if (thirds[i].lower == low)
			n = put(c, thirds[i].odd, unicode, ret, n);
	return n;
}

/* More than half of the code units in js_case_blocks. */
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

/* The reverse: adds each character outside the set that equals one in it. */
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

/* The number of characters in the set that may have case. */
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
