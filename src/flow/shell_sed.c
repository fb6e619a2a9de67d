/* SPDX-License-Identifier: MIT
 *
 * See shell_sed.h. The words of the command are taken as a shell would; which of them are scripts
 * is said by the options. A script is read command by command: an address, a letter, and what
 * belongs to it.
 */
#include "flow/shell_sed.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { WORD_MAX = 8192 };

/* The next word of the command, without its quotes. 0: there is none; -1: it is too long. */
static int take_word(const char **at, char *ret)
{
	size_t len = 0;
	char quote = '\0';

	while (**at == ' ')
		(*at)++;
	if (!**at || strchr("\n|;&<>()", **at))
		return 0;
	for (; **at && (quote || !strchr(" \n|;&<>()", **at)); (*at)++) {
		char c = **at;
		if (c == quote || (!quote && (c == '\'' || c == '"'))) {
			quote = quote ? '\0' : c;
			continue;
		}
		if (c == '\\' && quote != '\'' && (*at)[1])
			c = *++*at;
		if (len == WORD_MAX - 1)
			return -1;
		ret[len++] = c;
	}
	ret[len] = '\0';
	return quote ? -1 : 1;
}

/* Behind the next DELIMITER that is not escaped; NULL: there is none. */
static const char *skip_part(const char *s, char delimiter)
{
	for (; *s && *s != delimiter; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : NULL;
}

static const char *skip_line(const char *s)
{
	for (; *s && *s != '\n'; s++)
		if (*s == '\\' && s[1])
			s++;
	return s;
}

/* 1, $, /x/I, \cxc, 2~3, +4, and two of them with a comma; then maybe a "!". NULL: no end of it. */
static const char *skip_address(const char *s)
{
	for (;;) {
		s += strspn(s, " \t0123456789$~+,IM");
		if (*s != '/' && *s != '\\')
			return s + strspn(s, "! \t");
		s += *s == '\\';
		if (!*s || *s == '\n' || !(s = skip_part(s + 1, *s)))
			return NULL;
	}
}

/* s/a/b/flags: S is at its delimiter. NULL: it runs what comes of it, or is none. */
static const char *skip_substitute(const char *s)
{
	char delimiter = *s;

	if (!delimiter || delimiter == '\n' || delimiter == '\\' ||
	    !(s = skip_part(s + 1, delimiter)) || !(s = skip_part(s, delimiter)))
		return NULL;
	s += strspn(s, "gpiImM0123456789");
	if (*s == 'w')
		return skip_line(s);
	return *s == 'e' ? NULL : s;
}

/* One command with its address. NULL: it runs something, or nobody knows what it does. */
static const char *skip_command(const char *s)
{
	s = skip_address(s);
	if (!s || !*s)
		return s;
	char c = *s++;
	if (c == 's')
		return skip_substitute(s);
	if (c == 'y')
		return *s && (s = skip_part(s + 1, *s)) ? skip_part(s, s[-1]) : NULL;
	if (strchr("aicrRwW#", c))
		return skip_line(s);
	if (strchr(":btTqQlL", c))
		return s + strcspn(s, ";\n}");
	return strchr("{}=dDgGhHnNpPxzF;\n", c) ? s : NULL;
}

static bool script_runs(const char *s)
{
	while (*s) {
		s += strspn(s, " \t;\n");
		if (!(s = skip_command(s)))
			return true;
	}
	return false;
}

/* The script that an option brings with it: -e X, -neX, --expression=X. *RET_NEXT: it is the next
 * word. */
static const char *script_of(const char *option, bool *ret_next)
{
	static const char name[] = "--expression";
	const char *e = strchr(option, 'e'), *is = strchr(option, '=');

	*ret_next = false;
	if (strncmp(option, "--", 2) == 0) {
		size_t len = is ? (size_t)(is - option) : strlen(option);
		if (len < 4 || len >= sizeof(name) || strncmp(option, name, len) != 0)
			return NULL;
		*ret_next = !is;
		return is ? is + 1 : NULL;
	}
	/* What follows -i is the end of a name. */
	const char *i = strchr(option, 'i');
	if (!e || (i && i < e))
		return NULL;
	*ret_next = !e[1];
	return e[1] ? e + 1 : NULL;
}

bool shell_sed_runs(const char **at)
{
	char word[WORD_MAX];
	bool had = false, next = false;
	int taken;

	while ((taken = take_word(at, word)) > 0) {
		bool is_option = !next && word[0] == '-' && word[1];
		const char *script = is_option	    ? script_of(word, &next)
				     : next || !had ? word
						    : NULL;
		if (!is_option)
			next = false;
		had |= script || next;
		if (script && script_runs(script))
			return true;
	}
	return taken < 0;
}
