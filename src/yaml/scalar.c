/* SPDX-License-Identifier: MIT
 *
 * `yes` is a string, `0o14` is 12, `012` is 12 too, `1_000` is a string, and so is a date, because
 * no field of a rule is one. A number over 64 bits becomes a float, as in JavaScript.
 */
#include "yaml/scalar.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

enum { NUMBER_MAX = 400 }; /* bytes; a longer word is a string */

static const struct {
	char word[8];
	enum node_kind kind;
	double value;
} words[] = {
	{"", NODE_NULL, 0},
	{"~", NODE_NULL, 0},
	{"null", NODE_NULL, 0},
	{"Null", NODE_NULL, 0},
	{"NULL", NODE_NULL, 0},
	{"true", NODE_BOOL, 1},
	{"True", NODE_BOOL, 1},
	{"TRUE", NODE_BOOL, 1},
	{"false", NODE_BOOL, 0},
	{"False", NODE_BOOL, 0},
	{"FALSE", NODE_BOOL, 0},
	{".inf", NODE_FLOAT, INFINITY},
	{".Inf", NODE_FLOAT, INFINITY},
	{".INF", NODE_FLOAT, INFINITY},
	{"+.inf", NODE_FLOAT, INFINITY},
	{"+.Inf", NODE_FLOAT, INFINITY},
	{"+.INF", NODE_FLOAT, INFINITY},
	{"-.inf", NODE_FLOAT, -INFINITY},
	{"-.Inf", NODE_FLOAT, -INFINITY},
	{"-.INF", NODE_FLOAT, -INFINITY},
	{".nan", NODE_FLOAT, NAN},
	{".NaN", NODE_FLOAT, NAN},
	{".NAN", NODE_FLOAT, NAN},
};

static const struct {
	char letter;
	int base;
	const char *digits;
} bases[] = {{'b', 2, "01"}, {'o', 8, "01234567"}, {'x', 16, "0123456789abcdefABCDEF"}};

#define DECIMAL "0123456789"

static bool is_word(struct text t, struct node *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != t.len || memcmp(words[i].word, t.s, t.len) != 0)
			continue;
		n->kind = words[i].kind;
		if (n->kind == NODE_BOOL)
			n->truth = words[i].value > 0;
		else
			n->number = words[i].value;
		return true;
	}
	return false;
}

/* Converts DIGITS, without a sign; a word that is not a number stays a string. */
static bool set_integer(const char *digits, int base, bool negative, struct node *n)
{
	const char *p = digits;
	double large = 0;

	errno = 0;
	unsigned long long v = strtoull(digits, NULL, base);
	if (errno == 0 && v <= INT64_MAX) {
		n->kind = NODE_INT;
		n->integer = negative ? -(int64_t)v : (int64_t)v;
		return true;
	}
	for (; base != 10 && *p; p++)
		large = large * base + (*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
	if (base == 10)
		large = strtod(digits, NULL);
	n->kind = NODE_FLOAT;
	n->number = negative ? -large : large;
	return isfinite(large);
}

static bool is_integer(const char *s, struct node *n)
{
	bool negative = *s == '-';

	s += *s == '-' || *s == '+';
	for (size_t i = 0; s[0] == '0' && i < ARRAY_SIZE(bases); i++) {
		if (s[1] != bases[i].letter)
			continue;
		if (!s[2] || s[2 + strspn(s + 2, bases[i].digits)])
			return false;
		return set_integer(s + 2, bases[i].base, negative, n);
	}
	if (!*s || s[strspn(s, DECIMAL)])
		return false;
	return set_integer(s, 10, negative, n);
}

/* [sign] digits [. digits] [exponent], or without sign: . digits [exponent] */
static bool is_float(const char *s, struct node *n)
{
	const char *p = s;

	if (*p != '.') {
		p += *p == '-' || *p == '+';
		size_t whole = strspn(p, DECIMAL);
		if (!whole)
			return false;
		p += whole;
		if (*p == '.')
			p += 1 + strspn(p + 1, DECIMAL);
	} else {
		size_t part = strspn(p + 1, DECIMAL);
		if (!part)
			return false;
		p += 1 + part;
	}
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '-' || p[1] == '+');
		size_t exponent = strspn(p, DECIMAL);
		if (!exponent)
			return false;
		p += exponent;
	}
	if (*p)
		return false;
	n->kind = NODE_FLOAT;
	n->number = strtod(s, NULL);
	return isfinite(n->number);
}

void scalar_resolve(struct text word, struct node *n)
{
	if (is_word(word, n))
		return;
	if (word.len <= NUMBER_MAX && !memchr(word.s, '\0', word.len) &&
	    strchr("+-.0123456789", word.s[0]) && (is_integer(word.s, n) || is_float(word.s, n)))
		return;
	n->kind = NODE_STRING;
	n->text = word;
}

/* The shortest decimal form that gives the same number. */
static char *number_text(double number, struct arena *arena)
{
	char digits[40];

	if (isnan(number))
		return arena_dup(arena, "NaN");
	if (isinf(number))
		return arena_dup(arena, number > 0 ? "Infinity" : "-Infinity");
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	return arena_dup(arena, digits);
}

struct text scalar_key(const struct node *n, struct arena *arena)
{
	char *s;

	if (n->kind == NODE_STRING)
		return n->text;
	if (n->kind == NODE_INT)
		s = arena_printf(arena, "%" PRId64, n->integer);
	else if (n->kind == NODE_FLOAT)
		s = number_text(n->number, arena);
	else
		s = arena_dup(arena, n->kind == NODE_NULL ? "null" : n->truth ? "true" : "false");
	return (struct text){s, strlen(s)};
}
