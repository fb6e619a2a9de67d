/* SPDX-License-Identifier: MIT
 *
 * Three shapes of expressions are refused at any place of a source. At every character each shape
 * is tried, by a row of one table. Every character stands for itself here, so this must never use
 * the parser of expressions.
 */
#include "detect/slow_regex.h"

#include <string.h>

#include "base/scope.h"

/* Is the character at PLACE in SET? A NUL is in no set. */
static bool is_one_of(struct text s, size_t place, const char *set)
{
	return place < s.len && s.s[place] && strchr(set, s.s[place]);
}

static bool is_at(struct text s, size_t place, struct text word)
{
	return place <= s.len && word.len <= s.len - place &&
	       memcmp(s.s + place, word.s, word.len) == 0;
}

static size_t find(struct text s, size_t place, char c)
{
	const char *found = place < s.len ? memchr(s.s + place, c, s.len - place) : NULL;

	return found ? (size_t)(found - s.s) : s.len;
}

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '.';
}

/* The end of the repeated part: a letter, a digit, a dot, a known set, a class up to the first
 * closing bracket. PLACE itself: none of these. */
static size_t atom_end(struct text s, size_t place)
{
	if (is_one_of(s, place, "["))
		return find(s, place, ']') < s.len ? find(s, place, ']') + 1 : place;
	if (is_one_of(s, place, "\\"))
		return place + (is_one_of(s, place + 1, "dDsSwW") ? 2 : 0);
	return place + (place < s.len && is_plain(s.s[place]));
}

/* A group's end that is repeated. */
static bool is_repeated_end(struct text s, size_t place)
{
	return is_one_of(s, place, ")") && is_one_of(s, place + 1, "*+");
}

/* (x+)+ */
static bool is_repeat_repeated(struct text s, size_t place)
{
	size_t start = place + (is_at(s, place, (struct text){"(?:", 3}) ? 3 : 1);
	size_t end = atom_end(s, start);

	return is_one_of(s, place, "(") && end > start && is_one_of(s, end, "*+") &&
	       is_repeated_end(s, end + 1);
}

/* (x|x)+ */
static bool is_choice_of_same(struct text s, size_t place)
{
	size_t start = place + 1, bar = find(s, start, '|');

	return is_one_of(s, place, "(") && bar > start && bar < s.len &&
	       !memchr(s.s + start, ')', bar - start) &&
	       is_at(s, bar + 1, (struct text){s.s + start, bar - start}) &&
	       is_repeated_end(s, bar + 1 + bar - start);
}

static bool is_all_thrice(struct text s, size_t place)
{
	return is_at(s, place, (struct text){".*.*.*", 6});
}

static bool (*const shapes[])(struct text, size_t) = {
	is_repeat_repeated,
	is_choice_of_same,
	is_all_thrice,
};

bool slow_is_refused(struct text source)
{
	for (size_t place = 0; place < source.len; place++)
		for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
			if (shapes[i](source, place))
				return true;
	return false;
}
