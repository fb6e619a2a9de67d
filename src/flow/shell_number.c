/* SPDX-License-Identifier: MIT
 *
 * See shell_number.h. What is no plain number counts as computed: there are more ways to write a
 * variable than anybody can list.
 */
#include "flow/shell_number.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Also all of an array. */
static bool is_plain(const char *s, size_t len)
{
	return strspn(s, "0123456789 :-@*") >= len;
}

/* a[i], ${x:i}: a number, as far as a shell is concerned. */
static bool has_name_as_index(const char *text)
{
	for (const char *at = text; (at = strpbrk(at, "[:")); at++) {
		const char *name = at + 1 + (at[1] == '$');
		size_t n = 0;
		while (is_name(name[n]))
			n++;
		bool known = !n || (isdigit((unsigned char)*name) && name == at + 1);
		if (at == text || known || !is_name(at[-1]))
			continue;
		const char *begin = at;
		while (begin > text && is_name(begin[-1]))
			begin--;
		bool cut = *at == ':' && begin - text >= 2 && begin[-1] == '{' && begin[-2] == '$';
		if (cut || (*at == '[' && name[n] == ']'))
			return true;
	}
	return false;
}

/* ${a[..]}, ${a:..}, ${a[@]:..}: AT is behind the brace. A ":-" and its like give another value. */
static bool takes_number(const char *at)
{
	at += strspn(at, "#!");
	at += *at == '@' || *at == '*';
	while (is_name(*at))
		at++;
	if (*at == '[') {
		size_t len = strcspn(at + 1, "]\n");
		if (!is_plain(at + 1, len))
			return true;
		at += 1 + len + (at[1 + len] == ']');
	}
	if (*at != ':' || (at[1] && strchr("-+=?", at[1])))
		return false;
	return !is_plain(at + 1, strcspn(at + 1, "}\n"));
}

/* a[..]=, a[..]+=, a=([..]=..): the first bracket of each is enough, one within it is no plain number. A
 * blank behind it makes it a test. */
static bool sets_at_number(const char *text)
{
	const char *first = NULL;

	for (const char *at = text; (at = strpbrk(at, "[]\n")); at++) {
		bool begins = at == text || is_name(at[-1]) || strchr("( '\"", at[-1]);
		if (*at == '\n') {
			first = NULL;
		} else if (*at == '[') {
			first = first || !begins || at[1] == ' ' || at[1] == '[' ? first : at;
		} else if (first && (at[1] == '=' || (at[1] == '+' && at[2] == '='))) {
			if (!is_plain(first + 1, (size_t)(at - first - 1)))
				return true;
			first = NULL;
		}
	}
	return false;
}

bool shell_makes_number(const char *text)
{
	for (const char *at = text; (at = strstr(at, "${")); at += 2)
		if (takes_number(at + 2))
			return true;
	return sets_at_number(text) || has_name_as_index(text);
}
