/* SPDX-License-Identifier: MIT
 *
 * See shell_words.h. Whatever is not surely constant is unknown: a bare word may have lost its
 * backslashes on the way into the text, so only letters that mean nothing to a shell are taken there.
 */
#include "flow/shell_words.h"

#include <stddef.h>
#include <string.h>

static const char bare[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./^-";
static const char ends[] = " \n|;&<>()";

/* Behind the quotes that end the word; NULL: it is not one constant. */
static const char *take_quoted(const char *s, char *ret)
{
	char quote = *s++;
	size_t len = 0;

	for (; *s && *s != quote; s++) {
		if (quote == '"' && strchr("$`", *s))
			return NULL;
		if (quote == '"' && *s == '\\' && s[1] && strchr("\"\\$`", s[1]))
			s++;
		if (len == SHELL_WORD_MAX - 1)
			return NULL;
		ret[len++] = *s;
	}
	ret[len] = '\0';
	return *s && strchr(ends, s[1]) ? s + 1 : NULL;
}

enum shell_word shell_word_take(const char **at, char *ret)
{
	const char *s = *at + strspn(*at, " ");

	*at = s;
	if (strchr(ends, *s))
		return strncmp(s, "<(", 2) == 0 || strncmp(s, ">(", 2) == 0 ? SHELL_WORD_UNKNOWN
									    : SHELL_WORD_END;
	if (*s == '\'' || *s == '"') {
		const char *end = take_quoted(s, ret);
		*at = end ? end : s + strcspn(s, "\n");
		return end ? SHELL_WORD_CONSTANT : SHELL_WORD_UNKNOWN;
	}
	size_t len = strcspn(s, ends), known = strspn(s, bare);
	*at = s + len;
	if (len >= SHELL_WORD_MAX)
		return SHELL_WORD_UNKNOWN;
	memcpy(ret, s, len);
	ret[len] = '\0';
	/* "2>&1" */
	if (s[len] && strchr("<>", s[len]) && strspn(s, "0123456789") == len)
		return SHELL_WORD_END;
	if (known >= len)
		return SHELL_WORD_CONSTANT;
	return known && !strpbrk(ret, "$`'\"\\") ? SHELL_WORD_NAMES : SHELL_WORD_UNKNOWN;
}
