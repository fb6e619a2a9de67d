/* SPDX-License-Identifier: MIT
 *
 * Knows strings in " ' and ` with backslash escapes, and the comments of C++. A string continues
 * after + or .concat(, with blanks around. One pass; only blanks are read twice.
 */
#include "trust/evidence/join_literals.h"

#include <stdbool.h>
#include <string.h>

#define CONCAT ".concat("

struct joining {
	const char *text;
	size_t at, len;
	char *out;
	size_t outc;
	bool any;
};

static bool is_at(const struct joining *j, size_t at, const char *word)
{
	size_t len = strlen(word);

	return j->len - at >= len && memcmp(j->text + at, word, len) == 0;
}

/* The place after a comment at AT; AT if there is none. */
static size_t skip_comment(const struct joining *j, size_t at)
{
	bool is_line = is_at(j, at, "//");
	const char *end = NULL;

	if (!is_line && !is_at(j, at, "/*"))
		return at;
	if (is_line)
		end = memchr(j->text + at, '\n', j->len - at);
	else
		end = memmem(j->text + at + 2, j->len - at - 2, "*/", 2);
	return end ? (size_t)(end - j->text) + (is_line ? 1 : 2) : j->len;
}

/* BRACKET is ( before a literal, ) after one. */
static size_t skip_blank(const struct joining *j, size_t at, char bracket)
{
	for (size_t next = at; at < j->len; at = next) {
		bool is_blank = strchr(" \t\r\n", j->text[at]) && j->text[at];
		next = is_blank || j->text[at] == bracket ? at + 1 : skip_comment(j, at);
		if (next == at)
			break;
	}
	return at;
}

static bool is_quote(const struct joining *j, size_t at)
{
	return at < j->len && (j->text[at] == '"' || j->text[at] == '\'' || j->text[at] == '`');
}

/* The quote of the next part of a literal that ended before AT; 0: there is none. */
static size_t next_part(const struct joining *j, size_t at)
{
	size_t then = skip_blank(j, at, ')');

	if (is_at(j, then, CONCAT))
		then += sizeof(CONCAT) - 1;
	else if (is_at(j, then, "+") && !is_at(j, then, "++") && !is_at(j, then, "+="))
		then++;
	else
		return 0;
	then = skip_blank(j, then, '(');
	return is_quote(j, then) ? then : 0;
}

static void copy(struct joining *j, size_t len)
{
	len = len < j->len - j->at ? len : j->len - j->at;
	memcpy(j->out + j->outc, j->text + j->at, len);
	j->outc += len;
	j->at += len;
}

/* Copies a literal with all parts that are joined to it, between the quotes of the first. */
static void copy_literal(struct joining *j)
{
	char first = j->text[j->at], quote = first;

	copy(j, 1);
	while (j->at < j->len) {
		char c = j->text[j->at];
		size_t next = c == quote ? next_part(j, j->at + 1) : 0;
		if (next) {
			quote = j->text[next];
			j->at = next + 1;
			j->any = true;
			continue;
		}
		copy(j, c == '\\' ? 2 : 1);
		if (c == quote)
			j->out[j->outc - 1] = first;
		if (c == quote || (c == '\n' && quote != '`'))
			return;
	}
}

size_t join_literals(const char *text, size_t len, char *ret)
{
	struct joining j = {.text = text, .len = len, .out = ret};

	while (j.at < len) {
		size_t comment = skip_comment(&j, j.at);
		if (comment > j.at)
			copy(&j, comment - j.at);
		else if (is_quote(&j, j.at))
			copy_literal(&j);
		else
			copy(&j, 1);
	}
	return j.any ? j.outc : 0;
}
