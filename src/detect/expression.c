/* SPDX-License-Identifier: MIT
 *
 * The reference reads an expression anew each time, and how it reads is what it means: the whole is
 * a name; or NOT of all that follows; or parts around OR outside of parentheses; or around AND; or
 * something in parentheses. An unknown name is false.
 */
#include "detect/expression.h"

#include <string.h>

struct reading {
	const struct rule *rule;
	const enum answer *answer;
};

static struct text trim(const char *s, size_t len)
{
	static const char blank[] = " \t\n\v\f\r";

	while (len && s[0] && strchr(blank, s[0])) {
		s++;
		len--;
	}
	while (len && s[len - 1] && strchr(blank, s[len - 1]))
		len--;
	return (struct text){s, len};
}

static const enum answer *find(const struct reading *r, struct text name)
{
	for (size_t i = 0; i < r->rule->conditionc; i++) {
		const struct text *t = &r->rule->condition[i].name;
		if (t->len == name.len && !memcmp(t->s, name.s, name.len))
			return &r->answer[i];
	}
	return NULL;
}

static bool begins(struct text t, const char *word)
{
	return t.len >= strlen(word) && !memcmp(t.s, word, strlen(word));
}

/* Takes the first part off *REST. Returns false when OPERATOR is not in it. */
static bool split(struct text *rest, const char *upper, const char *lower, struct text *ret_part)
{
	long depth = 0;

	for (size_t i = 0; i < rest->len; i++) {
		struct text here = {rest->s + i, rest->len - i};
		depth += rest->s[i] == '(';
		depth -= rest->s[i] == ')';
		if (depth == 0 && (begins(here, upper) || begins(here, lower))) {
			size_t end = i + strlen(upper);
			*ret_part = trim(rest->s, i);
			*rest = (struct text){rest->s + end, rest->len - end};
			return true;
		}
	}
	*ret_part = trim(rest->s, rest->len);
	return false;
}

static enum answer ask(const struct reading *r, struct text e, int depth);

/* UPPER is " OR " or " AND ". False: E is one part, and *RET is not set. */
static bool ask_parts(const struct reading *r, struct text e, int depth, bool any, enum answer *ret)
{
	const char *upper = any ? " OR " : " AND ", *lower = any ? " or " : " and ";
	enum answer all = any ? ANSWER_NO : ANSWER_YES;
	struct text rest = e, part;
	bool more = split(&rest, upper, lower, &part);

	if (!more || (!trim(rest.s, rest.len).len))
		return false;
	for (;;) {
		enum answer one = ask(r, part, depth + 1);
		if (any ? one > all : one < all)
			all = one;
		if (!more)
			break;
		more = split(&rest, upper, lower, &part);
		if (!more && !part.len)
			break;
	}
	*ret = all;
	return true;
}

static enum answer ask(const struct reading *r, struct text e, int depth)
{
	enum answer result;

	if (depth > EXPRESSION_DEPTH_MAX)
		return ANSWER_UNDECIDED;
	e = trim(e.s, e.len);
	const enum answer *named = find(r, e);
	if (named)
		return *named;
	if (begins(e, "NOT ") || begins(e, "not "))
		return (enum answer)(ANSWER_YES -
				     ask(r, (struct text){e.s + 4, e.len - 4}, depth + 1));
	if (ask_parts(r, e, depth, true, &result) || ask_parts(r, e, depth, false, &result))
		return result;
	if (e.len > 1 && e.s[0] == '(' && e.s[e.len - 1] == ')')
		return ask(r, (struct text){e.s + 1, e.len - 2}, depth + 1);
	return ANSWER_NO;
}

enum answer expression_ask(const struct rule *rule, const enum answer *answer)
{
	struct reading r = {rule, answer};

	return ask(&r, (struct text){rule->expression, strlen(rule->expression)}, 0);
}
