/* SPDX-License-Identifier: MIT
 *
 * See shell_sed.h. Either sed is told to keep from it before it sees a script, or every option is one
 * of a few that are spelled here, and every script of a grammar so small that sed cannot read it
 * otherwise: commands with ";" between them, each with at most two addresses, of p d q = and s. To
 * follow sed in the rest of its language would be to be wrong once.
 */
#include "flow/shell_sed.h"

#include <stddef.h>
#include <string.h>

#include "base/scope.h"
#include "flow/shell_words.h"

static const char delimiters[] = "/,|:#_@%!";
/* What may follow a backslash: none of these makes sed look further than at the pair. */
static const char escaped[] = ".*^$(){}+?|sSwWbBnt&\\/[]<>123456789";

/* S is behind "[", then behind its "]". NULL: not closed, or somebody could think that the delimiter in
 * it ends the expression. */
static const char *skip_class(const char *s, char delimiter)
{
	s += *s == '^';
	for (bool first = true; *s != ']' || first; s++, first = false) {
		if (!*s || *s == delimiter || *s == '\\')
			return NULL;
		if (*s != '[')
			continue;
		/* [:space:] */
		size_t name = s[1] == ':' ? strspn(s + 2, "abcdefghijklmnopqrstuvwxyz") : 0;
		if (!name || delimiter == ':' || strncmp(s + 2 + name, ":]", 2) != 0)
			return NULL;
		s += name + 3;
	}
	return s + 1;
}

/* Behind the next delimiter. NULL: there is none, or it is not sure which it is. */
static const char *skip_part(const char *s, char delimiter, bool is_pattern)
{
	while (*s && *s != delimiter) {
		if (*s == '\\') {
			if (!s[1] || s[1] == delimiter || !strchr(escaped, s[1]))
				return NULL;
			s += 2;
		} else if (*s == '[' && is_pattern) {
			if (!(s = skip_class(s + 1, delimiter)))
				return NULL;
		} else {
			s++;
		}
	}
	return *s ? s + 1 : NULL;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " ");
}

/* 12, $ or /text/. RET_IS: there was one. */
static const char *skip_address(const char *s, bool *ret_is)
{
	size_t digits = strspn(s, "0123456789");

	*ret_is = digits || *s == '$' || *s == '/';
	if (*s == '/')
		return skip_part(s + 1, '/', true);
	return s + digits + (*s == '$');
}

static const char *skip_addresses(const char *s)
{
	bool is_one;

	s = skip_address(s, &is_one);
	if (!s || !is_one || *s != ',')
		return s;
	s = skip_address(s + 1, &is_one);
	return is_one ? s : NULL;
}

/* s/a/b/flags: S is at its delimiter. */
static const char *skip_substitute(const char *s)
{
	char delimiter = *s;

	if (!delimiter || !strchr(delimiters, delimiter) ||
	    !(s = skip_part(s + 1, delimiter, true)) || !(s = skip_part(s, delimiter, false)))
		return NULL;
	return s + strspn(s, "gpiI0123456789");
}

/* One command, to the ";" or the end. NULL: it runs something, or nobody here knows what it does. */
static const char *skip_command(const char *s)
{
	s = skip_addresses(skip_blanks(s));
	if (!s)
		return NULL;
	s = skip_blanks(s);
	if (*s == 's')
		s = skip_substitute(s + 1);
	else if (*s && strchr("pdq=", *s))
		s++;
	else
		return NULL;
	if (!s)
		return NULL;
	s = skip_blanks(s);
	return !*s || *s == ';' ? s : NULL;
}

bool shell_sed_script_runs(const char *s)
{
	for (const char *c = s; *c; c++)
		if (*c < ' ' || *c > '~')
			return true;
	for (s = skip_blanks(s); *s; s = skip_blanks(s)) {
		if (*s != ';' && !(s = skip_command(s)))
			return true;
		s += *s == ';';
	}
	return false;
}

enum option { OTHER, ALONE, SCRIPT_NEXT, SCRIPT_IN, SANDBOX };

/* *RET_SCRIPT: of --expression=SCRIPT. */
static enum option option_of(const char *word, const char **ret_script)
{
	static const char in[] = "--expression=";
	static const char *const alone[] = {"--quiet", "--silent", "--regexp-extended"};
	size_t letters = strspn(word + 1, "nErsuz");

	if (strcmp(word, "--sandbox") == 0)
		return SANDBOX;
	if (strncmp(word, in, strlen(in)) == 0) {
		*ret_script = word + strlen(in);
		return SCRIPT_IN;
	}
	for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
		if (strcmp(word, alone[i]) == 0)
			return ALONE;
	/* What follows it is the end of a name. */
	if (word[1] == 'i')
		return ALONE;
	if (word[1 + letters] == 'e' && !word[2 + letters])
		return SCRIPT_NEXT;
	return letters && !word[1 + letters] ? ALONE : OTHER;
}

bool shell_sed_runs(const char **at)
{
	char word[SHELL_WORD_MAX];
	bool had = false, next = false;
	enum shell_word kind;

	while ((kind = shell_word_take(at, word)) != SHELL_WORD_END) {
		const char *script = next || !had ? word : NULL;
		if (kind == SHELL_WORD_UNKNOWN)
			return true;
		bool is_option = word[0] == '-' && word[1] && !next;
		if (kind == SHELL_WORD_NAMES && (script || is_option))
			return true;
		next = false;
		if (is_option) {
			script = NULL;
			enum option is = option_of(word, &script);
			/* Scripts that it has seen are those before. */
			if (is == SANDBOX)
				return false;
			if (is == OTHER)
				return true;
			next = is == SCRIPT_NEXT;
		}
		had |= script || next;
		if (script && shell_sed_script_runs(script))
			return true;
	}
	return false;
}
