/* SPDX-License-Identifier: MIT
 *
 * Parses as the reference does, in this order: the whole is a name; or NOT of all that follows; or
 * parts around OR outside of parentheses; or around AND; or an expression in parentheses. An unknown
 * name is false.
 */
#include "rule/expression.h"

#include <string.h>

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

/* Returns the number of conditions if no condition has this name. */
static size_t find(const struct rule *rule, struct text name)
{
	size_t i = 0;

	while (i < rule->conditionc && (rule->condition[i].name.len != name.len ||
					memcmp(rule->condition[i].name.s, name.s, name.len) != 0))
		i++;
	return i;
}

static bool begins(struct text t, const char *word)
{
	return t.len >= strlen(word) && !memcmp(t.s, word, strlen(word));
}

/* The operator between the parts. */
static const struct {
	const char *upper, *lower;
} operators[] = {
	[EXPRESSION_ANY] = {" OR ", " or "},
	[EXPRESSION_ALL] = {" AND ", " and "},
};

/* Takes the first part off *REST. Returns false if *REST does not contain the operator. */
static bool split(struct text *rest, enum expression_kind kind, struct text *ret_part)
{
	long depth = 0;

	for (size_t i = 0; i < rest->len; i++) {
		struct text here = {rest->s + i, rest->len - i};
		depth += rest->s[i] == '(';
		depth -= rest->s[i] == ')';
		if (depth == 0 &&
		    (begins(here, operators[kind].upper) || begins(here, operators[kind].lower))) {
			size_t end = i + strlen(operators[kind].upper);
			*ret_part = trim(rest->s, i);
			*rest = (struct text){rest->s + end, rest->len - end};
			return true;
		}
	}
	*ret_part = trim(rest->s, rest->len);
	return false;
}

static bool has_parts(struct text source, enum expression_kind kind)
{
	struct text first;

	return split(&source, kind, &first);
}

struct expression expression_read(const struct rule *rule, struct text source)
{
	struct text e = trim(source.s, source.len);
	size_t named = find(rule, e);

	if (named < rule->conditionc)
		return (struct expression){EXPRESSION_CONDITION, .condition = named, .ended = true};
	if (begins(e, "NOT ") || begins(e, "not "))
		return (struct expression){EXPRESSION_NOT, .parts = {e.s + 4, e.len - 4}};
	if (has_parts(e, EXPRESSION_ANY))
		return (struct expression){EXPRESSION_ANY, .parts = e};
	if (has_parts(e, EXPRESSION_ALL))
		return (struct expression){EXPRESSION_ALL, .parts = e};
	if (e.len > 1 && e.s[0] == '(' && e.s[e.len - 1] == ')')
		return (struct expression){EXPRESSION_BRACKET, .parts = {e.s + 1, e.len - 2}};
	return (struct expression){EXPRESSION_NEVER, .ended = true};
}

bool expression_next(struct expression *e, struct text *ret_part)
{
	if (e->ended)
		return false;
	*ret_part = e->parts;
	e->ended = (e->kind != EXPRESSION_ANY && e->kind != EXPRESSION_ALL) ||
		   !split(&e->parts, e->kind, ret_part);
	return true;
}

static enum answer ask(const struct rule *rule, const enum answer *answer, struct text source,
		       int depth)
{
	if (depth > EXPRESSION_DEPTH_MAX)
		return ANSWER_UNDECIDED;
	struct expression e = expression_read(rule, source);
	enum answer all = e.kind == EXPRESSION_ANY ? ANSWER_NO : ANSWER_YES;
	struct text part;

	if (e.kind == EXPRESSION_CONDITION)
		return answer[e.condition];
	if (e.kind == EXPRESSION_NEVER)
		return ANSWER_NO;
	while (expression_next(&e, &part)) {
		enum answer one = ask(rule, answer, part, depth + 1);
		if (e.kind == EXPRESSION_ANY ? one > all : one < all)
			all = one;
	}
	return e.kind == EXPRESSION_NOT ? (enum answer)(ANSWER_YES - all) : all;
}

enum answer expression_ask(const struct rule *rule, const enum answer *answer)
{
	return ask(rule, answer, (struct text){rule->expression, strlen(rule->expression)}, 0);
}
