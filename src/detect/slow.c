/* SPDX-License-Identifier: MIT
 *
 * Each shape is looked for at the one character that it must have, so that a look at all of the
 * source is a look at each character a few times, however it is nested: source comes from anybody.
 */
#include "detect/slow.h"

#include <string.h>

#include "base/scope.h"

static char at(struct text s, size_t i)
{
	return i < s.len ? s.s[i] : '\0';
}

static bool is_endless(char c)
{
	return c == '*' || c == '+';
}

static bool is_letter_or_digit(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Is I where a group's content begins? */
static bool is_begin(struct text s, size_t i)
{
	return (i >= 1 && s.s[i - 1] == '(') || (i >= 3 && !memcmp(s.s + i - 3, "(?:", 3));
}

/* Is one thing all that the group holds up to END? A class ends at the first bracket, escaped or
 * not, so that none can be in it. */
static bool is_one(struct text s, size_t end)
{
	char last = s.s[end - 1];

	if (last == ']') {
		for (size_t i = end - 1; i-- > 0 && s.s[i] != ']';)
			if (s.s[i] == '[' && is_begin(s, i))
				return true;
		return false;
	}
	if (last && strchr("dDwWsS", last) && end >= 2 && s.s[end - 2] == '\\' &&
	    is_begin(s, end - 2))
		return true;
	return (last == '.' || is_letter_or_digit(last)) && is_begin(s, end - 1);
}

/* At a group's end: (x+)*, (?:x*)+ and the like. */
static bool is_repeat_of_repeat(struct text s, size_t i)
{
	return i >= 2 && s.s[i] == ')' && is_endless(at(s, i + 1)) && is_endless(s.s[i - 1]) &&
	       is_one(s, i - 1);
}

/* At a bar: (same|same)*. What is behind it up to the group's end says how long both are. */
static bool is_choice_of_same(struct text s, size_t i)
{
	size_t end = i + 1;

	if (s.s[i] != '|')
		return false;
	while (end < s.len && s.s[end] != '|' && s.s[end] != ')')
		end++;
	size_t len = end - i - 1;
	return len && len < i && at(s, end) == ')' && is_endless(at(s, end + 1)) &&
	       s.s[i - len - 1] == '(' && !memcmp(s.s + i - len, s.s + i + 1, len);
}

/* Anything, three times in a row. */
static bool is_three_wildcards(struct text s, size_t i)
{
	static const char three[] = {'.', '*', '.', '*', '.', '*'};

	return s.len - i >= sizeof(three) && !memcmp(s.s + i, three, sizeof(three));
}

static bool (*const shapes[])(struct text s, size_t i) = {
	is_repeat_of_repeat,
	is_choice_of_same,
	is_three_wildcards,
};

bool slow_is_refused(struct text source)
{
	for (size_t i = 0; i < source.len; i++)
		for (size_t k = 0; k < ARRAY_SIZE(shapes); k++)
			if (shapes[k](source, i))
				return true;
	return false;
}
