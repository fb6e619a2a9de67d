/* SPDX-License-Identifier: MIT
 *
 * Calls of Node and Python, which are written alike: eval(x), exec(open(f).read()). See gate_modules.c.
 * What is given constants takes in what stands there, which is looked at as a part of the text. Anything
 * else is computed. Comments may stand anywhere.
 */
#include <string.h>

#include "base/scope.h"
#include "flow/gate_modules_private.h"

enum {
	LENGTH_MAX = 1024
}; /* of comments, and of a literal; each is read as often as words stand before it */

/* Of JavaScript. Python has none that stand between two words of a call. NULL: it is too long. */
static const char *skip_comment(const char *at, const char *end)
{
	bool is_long = end - at > 1 && at[0] == '/' && at[1] == '*';
	bool is_line = end - at > 1 && at[0] == '/' && at[1] == '/';
	size_t most = end - at > LENGTH_MAX ? LENGTH_MAX : (size_t)(end - at);

	if (is_long) {
		const char *to = memmem(at + 2, most - 2, "*/", 2);
		return to ? to + 2 : NULL;
	}
	return is_line ? memchr(at, '\n', most) : at;
}

const char *modules_skip(struct reader *r, const char *at)
{
	const char *from = at;

	for (;;) {
		while (at < r->end && is_in(" \t\r\n\f\v", *at))
			at++;
		const char *to = skip_comment(at, r->end);
		if (to == at)
			return at;
		if (!to || to - from > LENGTH_MAX) {
			modules_take_computed(r->m);
			return at;
		}
		at = to;
	}
}

/* Behind the literal that AT is at the quote of; NULL: it is no constant, or too long. */
static const char *skip_literal(const char *at, const char *end)
{
	const char quote = *at++, *from = at;

	for (; at < end && *at != quote && at - from < LENGTH_MAX; at++) {
		if (quote == '`' && *at == '$' && at + 1 < end && at[1] == '{')
			return NULL;
		at += *at == '\\' && at + 1 < end;
	}
	return at < end && *at == quote ? at + 1 : NULL;
}

enum call_given modules_given(struct reader *r, const char *at)
{
	enum call_given given = GIVEN_NOTHING;
	const char *from = at;

	for (;;) {
		at = modules_skip(r, at);
		if (at < r->end && *at == ')')
			return given;
		given = GIVEN_CONSTANTS;
		if (at < r->end && *at == ',' && at - from < LENGTH_MAX) {
			at++;
			continue;
		}
		if (at == r->end || at - from >= LENGTH_MAX || !is_in("'\"`", *at) ||
		    !(at = skip_literal(at, r->end)))
			return GIVEN_COMPUTED;
	}
}

/* The word before, whose end TO is. */
static bool is_operator(const char *begin, const char *to)
{
	static const char *const words[] = {"return", "yield",	"await", "void", "default",
					    "in",     "lambda", "or",	 "and",	 "else"};
	const char *word = to;

	while (word > begin && to - word < LENGTH_MAX && modules_is_word(word[-1]))
		word--;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((size_t)(to - word) == strlen(words[i]) &&
		    memcmp(word, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static const char *skip_back(const struct reader *r, const char *at)
{
	while (at > r->begin && is_in(" \t\r\n", at[-1]))
		at--;
	return at;
}

/* x["eval"], getattr(x, "eval"). NAME is where the word begins. */
static bool is_looked_up(const struct reader *r, const char *name)
{
	if (name == r->begin || !is_in("'\"`", name[-1]) || r->at == r->end || *r->at != name[-1])
		return false;
	const char *before = skip_back(r, name - 1);
	return before > r->begin && is_in("[(,", before[-1]);
}

/* eval.call(null, x), eval["call"], exec.__call__(x): whoever calls a member of it, calls it. Half of all
 * other members are a file's name, "eval.csv", or x.constructor.name. */
static bool is_used(struct reader *r, const char *at)
{
	static const char *const callers[] = {"call", "apply", "bind"};

	if (at < r->end && *at == '[')
		return true;
	at += r->end - at > 1 && at[0] == '?' && at[1] == '.';
	if (at == r->end || *at != '.')
		return false;
	struct text name = {.s = modules_skip(r, at + 1)};
	while (name.s + name.len < r->end && modules_is_word(name.s[name.len]))
		name.len++;
	bool is_caller = name.len && begins(name, "__");
	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		is_caller |= name.len == strlen(callers[i]) && begins(name, callers[i]);
	at = modules_skip(r, name.s + name.len);
	return is_caller || (name.len && at < r->end && *at == '(');
}

/* It is handed on, not called. */
static bool is_value(struct reader *r, const char *name)
{
	const char *at = modules_skip(r, r->at);

	if (is_looked_up(r, name) || is_used(r, at))
		return true;
	bool is_member = name > r->begin && name[-1] == '.';
	name = skip_back(r, name);
	bool is_over = at == r->end || is_in(";,)]}?:|&", *at) ||
		       memchr(r->at, '\n', (size_t)(at - r->at));
	return is_over && name > r->begin &&
	       (is_member || is_in("=,([{:?|&>!;", name[-1]) || is_operator(r->begin, name));
}

enum call_given modules_call(struct reader *r)
{
	const char *at = modules_skip(r, r->at), *name = r->at;

	if (r->end - at > 1 && at[0] == '?' && at[1] == '.')
		at = modules_skip(r, at + 2);
	if (at < r->end && *at == '(')
		return modules_given(r, at + 1);
	while (name > r->begin && modules_is_word(name[-1]))
		name--;
	return is_value(r, name) ? GIVEN_COMPUTED : GIVEN_NOTHING;
}

int modules_read_taker(struct reader *r, struct err *err)
{
	bool is_known = r->m->takes && r->m->all;

	(void)err;
	if (!is_known && modules_call(r) == GIVEN_COMPUTED)
		modules_take_computed(r->m);
	return 0;
}

int modules_read_loader(struct reader *r, struct err *err)
{
	(void)err;
	r->m->takes = true;
	r->m->all |= modules_call(r) != GIVEN_CONSTANTS;
	return 0;
}
