/* SPDX-License-Identifier: MIT
 *
 * See shell_awk.h. Options are -F and -v, and the program is one constant, read token by token: it
 * calls only listed functions, and an operator is one of those listed, which a pipe is not. Where a
 * string or an expression /x/ begins and ends must be sure, or what is in it could be outside of it:
 * a "/" that could be both, a division and the beginning of an expression, is refused.
 */
#include "flow/shell_awk.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "flow/shell_words.h"

static const char functions[] = " atan2 cos exp gsub index int length log match rand sin split "
				"sprintf sqrt srand sub substr "
				"tolower toupper if while for return in print printf ";
/* A value does not end with them. */
static const char keywords[] =
	" BEGIN END break continue delete do else exit for func function if in "
	"length next print printf return while ";
/* Their values are names of functions, or of anything. */
static const char refused[] = " BEGINFILE ENDFILE FUNCTAB PROCINFO SYMTAB getline system ";

enum before { VALUE, BRACKET, OPERATOR, UNSURE }; /* what the last token was, to a "/" */

static bool has(const char *words, const char *s, size_t len)
{
	char word[64];

	if (len > sizeof(word) - 3)
		return false;
	word[0] = ' ';
	memcpy(word + 1, s, len);
	memcpy(word + 1 + len, " ", 2);
	return strstr(words, word) != NULL;
}

static const char *skip_string(const char *s)
{
	for (; *s && *s != '"' && *s != '\n'; s++)
		if (*s == '\\' && (!*++s || *s == '\n'))
			return NULL;
	return *s == '"' ? s + 1 : NULL;
}

/* S is behind "[", then behind its "]". Some see the end of the expression at a "/" there, some do not. */
static const char *skip_class(const char *s)
{
	s += *s == '^';
	if (*s == ']')
		return NULL;
	s += strcspn(s, "]/[\\\"\n");
	return *s == ']' ? s + 1 : NULL;
}

/* S is behind the first "/". */
static const char *skip_expression(const char *s)
{
	if (*s == '=')
		return NULL;
	while (s && *s && *s != '/') {
		bool is_pair = *s == '\\';
		if (strchr("\"\n", s[is_pair]) || (is_pair && s[1] == '/'))
			return NULL;
		s = *s == '[' ? skip_class(s + 1) : s + 1 + is_pair;
	}
	return s && *s ? s + 1 : NULL;
}

static const char *skip_name(const char *s, enum before *ret)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	bool is_called = s[len + strspn(s + len, " \t")] == '(';

	if (has(refused, s, len) || (is_called && !has(functions, s, len)))
		return NULL;
	*ret = has(keywords, s, len) ? UNSURE : VALUE;
	return s + len;
}

/* Of two characters, then of one. A "|" alone is none. */
static const char *skip_operator(const char *s, enum before *ret)
{
	static const char *const two[] = {"||", "&&", "==", "!=", "<=", ">=", "++", "--",
					  "+=", "-=", "*=", "%=", "^=", "!~", ">>"};

	*ret = OPERATOR;
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (strncmp(s, two[i], 2) == 0) {
			*ret = two[i][0] == two[i][1] && strchr("+-", *s) ? UNSURE : OPERATOR;
			return s + 2;
		}
	if (!strchr("{}();,[]+-*%^!<>=~?:$\n", *s))
		return NULL;
	if (*s == ')' || *s == ']')
		*ret = BRACKET;
	return s + 1;
}

/* Behind a "/", in what comes after BEFORE. */
static const char *skip_slash(const char *s, enum before *before)
{
	if (*before == OPERATOR) {
		*before = VALUE;
		return skip_expression(s);
	}
	/* if (x) /y/: with no other one in the line it is no expression. */
	bool sure = *before == VALUE || (*before == BRACKET && s[strcspn(s, "/\n")] != '/');
	*before = OPERATOR;
	return sure ? s : NULL;
}

static const char *skip_token(const char *s, enum before *before)
{
	if (*s == '#')
		return s + strcspn(s, "\n");
	if (*s == '/')
		return skip_slash(s + 1, before);
	if (isalpha((unsigned char)*s) || *s == '_')
		return skip_name(s, before);
	if (*s == '"' || isdigit((unsigned char)*s) || *s == '.') {
		*before = VALUE;
		return *s == '"' ? skip_string(s + 1) : s + strspn(s, "0123456789.");
	}
	return skip_operator(s, before);
}

bool shell_awk_program_runs(const char *s)
{
	enum before before = OPERATOR;

	for (s += strspn(s, " \t"); *s; s += strspn(s, " \t"))
		if (!(s = skip_token(s, &before)))
			return true;
	return false;
}

/* name=value */
static bool is_assignment(const char *s)
{
	size_t len = strcspn(s, "=");

	return s[len] && len && !has(refused, s, len) && (isalpha((unsigned char)*s) || *s == '_');
}

bool shell_awk_runs(const char **at)
{
	char word[SHELL_WORD_MAX];
	enum shell_word kind;

	while ((kind = shell_word_take(at, word)) == SHELL_WORD_CONSTANT && word[0] == '-') {
		bool is_assigned = word[1] == 'v';
		if (word[1] != 'F' && !is_assigned)
			return true;
		const char *value = word + 2;
		if (!*value) {
			value = word;
			if (shell_word_take(at, word) != SHELL_WORD_CONSTANT)
				return true;
		}
		if (is_assigned && !is_assignment(value))
			return true;
	}
	if (kind == SHELL_WORD_END)
		return false;
	if (kind != SHELL_WORD_CONSTANT || shell_awk_program_runs(word))
		return true;
	/* Behind its program awk knows no options. */
	while ((kind = shell_word_take(at, word)) != SHELL_WORD_END)
		if (kind == SHELL_WORD_UNKNOWN)
			return true;
	return false;
}
