/* SPDX-License-Identifier: MIT
 *
 * What a shell sources, and what it gives to a shell. See gate_modules.c. Where "." stands nobody asks: a
 * file's name behind it is enough.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "flow/gate_modules_private.h"

enum {
	WORDS_MAX = 16, /* of a command, until its script comes */
	WORD_MAX = 1024,
	STARTED_MAX = 8, /* words between a program and what it starts */
};

/* A command may stand behind them. */
#define SEPARATORS "\n;&|({!`'\")"

static const char *const follow[] = {"", NULL};
static const char *const ends[] = {".sh", ".bash", NULL};

/* The next word of a command, with its quotes; empty: there is none. One that is too long is cut. */
static struct text take_argument(struct reader *r)
{
	char quote = '\0';
	int depth = 0;

	while (r->at < r->end && is_in(" \t", *r->at))
		r->at++;
	struct text word = {.s = r->at};
	for (; r->at < r->end && r->at - word.s < WORD_MAX; r->at++) {
		bool within = quote || depth;
		if (!within && is_in(" \t\n;|&)`", *r->at))
			break;
		depth += (*r->at == '(') - (*r->at == ')' && depth);
		if (*r->at == quote)
			quote = '\0';
		else if (!quote && is_in("'\"", *r->at))
			quote = *r->at;
	}
	word.len = (size_t)(r->at - word.s);
	return word;
}

/* A system's own file, which no run has written. */
static bool is_system(struct text path)
{
	static const char *const places[] = {"/etc/", "/usr/", "/lib/", "/opt/"};
	bool is_there = false;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		is_there |= begins(path, places[i]);
	return is_there && !memmem(path.s, path.len, "..", 2);
}

/* Quotes that stand within it are left out. What is too long is not read to its end. What is not there is
 * made before it is taken in, or comes through a descriptor. */
static int add_argument(struct reader *r, struct text word, struct err *err)
{
	struct modules *m = r->m;
	char path[MODULE_NAME_MAX + 2];
	size_t len = 0, found = m->found, i = 0;

	for (; i < word.len && len < sizeof(path); i++) {
		if (!is_in("'\"\\", word.s[i]))
			path[len++] = word.s[i];
		m->any |= is_in("*?[", word.s[i]) ||
			  (word.s[i] == '{' && (!i || word.s[i - 1] != '$'));
	}
	m->any |= i < word.len;
	struct text named = {path, len};
	m->any |= m->moved && len && path[0] != '/';
	if (modules_add_path(r, named, follow, err) < 0)
		return -1;
	if (m->found == found && !is_system(named))
		modules_take_computed(m);
	return 0;
}

/* Programs that start what they are given, and those that feed it too. */
static const char *const starters[] = {"env",	 "sudo",   "nice",   "timeout",
				       "setsid", "stdbuf", "ionice", NULL};
static const char *const feeders[] = {"xargs", "-exec", "-execdir", "parallel", NULL};

/* Is one of a command's words, up to the blank before AT, one of these? */
static bool is_behind(const struct reader *r, const char *at, const char *const *programs)
{
	for (int n = 0; n < STARTED_MAX; n++) {
		const char *end = at;
		while (end > r->begin && is_in(" \t", end[-1]))
			end--;
		for (at = end;
		     at > r->begin && end - at < WORD_MAX && !is_in(" \t\n;&|(`'\")", at[-1]);)
			at--;
		struct text word = {at, (size_t)(end - at)};
		if (!word.len)
			return false;
		for (const char *const *one = programs; *one; one++)
			if (word.len == strlen(*one) && begins(word, *one))
				return true;
	}
	return false;
}

/* Does a command begin at AT? Elsewhere a dot is a directory, or the end of a sentence. */
static bool is_command(const struct reader *r, const char *at)
{
	static const char *const before[] = {"command", "builtin", "then", "do",    "else",
					     "time",	"if",	   "elif", "while", "until",
					     "exec",	"coproc",  "nohup"};
	const char *word = at, *from = at;

	while (at > r->begin && is_in(" \t", at[-1]))
		at--;
	if (at == r->begin || is_in(SEPARATORS, at[-1]))
		return true;
	if (at == from)
		return false;
	for (word = at; word > r->begin && at - word < WORD_MAX && !is_in(" \t\n;&|(", word[-1]);)
		word--;
	struct text last = {word, (size_t)(at - word)};
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (last.len == strlen(before[i]) && begins(last, before[i]))
			return true;
	bool is_set = last.len && modules_is_word(*word) && memchr(word, '=', last.len);
	return is_set || memchr(word, '<', last.len) || memchr(word, '>', last.len) ||
	       is_behind(r, at, starters) || is_behind(r, at, feeders);
}

/* IS_SURE: a command is meant, so that what cannot be found is told too. */
static int add_source(struct reader *r, bool is_sure, struct err *err)
{
	struct modules before = {.takes = r->m->takes, .all = r->m->all, .any = r->m->any};
	const char *at = r->at;
	struct text word = take_argument(r);

	if (word.len == 2 && begins(word, "--"))
		word = take_argument(r);
	int done = word.len ? add_argument(r, word, err) : 0;
	r->at = at; /* there may be words in it */
	if (!is_sure) {
		r->m->takes = before.takes;
		r->m->all = before.all;
		r->m->any = before.any;
	}
	return done;
}

/* $'\x2e' has its sign before it. */
static int read_dot(struct reader *r, struct err *err)
{
	const char *dot = r->at - 1;
	bool alone = r->at < r->end && is_in(" \t", *r->at) &&
		     (dot == r->begin || is_in(" \t$" SEPARATORS, dot[-1]));

	return alone ? add_source(r, is_command(r, dot), err) : 0;
}

static int read_source(struct reader *r, struct err *err)
{
	bool ends_word = r->at < r->end && is_in(" \t", *r->at);

	return ends_word ? add_source(r, is_command(r, r->at - strlen("source")), err) : 0;
}

/* After a cd nobody knows what a relative path means. */
static int read_cd(struct reader *r, struct err *err)
{
	(void)err;
	r->m->moved |= r->at < r->end && is_in(" \t", *r->at);
	return 0;
}

/* eval "$x": what is constant stands there, and is read. */
static int read_eval(struct reader *r, struct err *err)
{
	const char *at = r->at;
	bool computes = r->m->takes && r->m->all; /* so much is known already */
	struct text word;

	(void)err;
	for (int i = 0; !computes && (word = take_argument(r)).len; i++)
		computes = i == WORDS_MAX || word.len == WORD_MAX ||
			   memchr(word.s, '$', word.len) || memchr(word.s, '`', word.len);
	computes |= r->at < r->end && *r->at == '`';
	r->at = at;
	if (computes)
		modules_take_computed(r->m);
	return 0;
}

/* trap "$x" EXIT. Most others name a file that is to be removed: trap "rm $x" EXIT. */
static int read_trap(struct reader *r, struct err *err)
{
	const char *at = r->at;

	(void)err;
	while (at < r->end && is_in(" \t'\"", *at))
		at++;
	if (at < r->end && is_in("$`", *at))
		modules_take_computed(r->m);
	return 0;
}

/* alias s=source: nobody knows what a command is. */
static int read_alias(struct reader *r, struct err *err)
{
	(void)err;
	if (r->at < r->end && is_in(" \t", *r->at))
		modules_take_computed(r->m);
	return 0;
}

/* Options of a shell that take the next word; of some that is a file that it takes in. */
static const struct {
	const char *name;
	bool is_file;
} shell_options[] = {{"-o", false}, {"+o", false},	{"-O", false},
		     {"+O", false}, {"--rcfile", true}, {"--init-file", true}};

/* -o, and -euo. -1: it takes none; else which it is. */
static int find_option(struct text word)
{
	for (size_t i = 0; i < ARRAY_SIZE(shell_options); i++) {
		const char *name = shell_options[i].name;
		bool is_long = name[1] == '-', is_last = word.s[word.len - 1] == name[1];
		if (is_long ? word.len == strlen(name) && begins(word, name)
			    : word.len > 1 && word.s[0] == name[0] && word.s[1] != '-' && is_last)
			return (int)i;
	}
	return -1;
}

/* -c: the next word is no file, but a text. */
static bool is_text(struct text option)
{
	return option.len > 1 && option.s[1] != '-' && memchr(option.s, 'c', option.len);
}

/* What a shell is given: "-e x.sh", "<x.sh", "-c text"; nothing: what comes through a pipe. */
static int read_arguments(struct reader *r, struct err *err)
{
	for (int i = 0; i < WORDS_MAX; i++) {
		struct text word = take_argument(r);
		int option = word.len && is_in("-+", *word.s) ? find_option(word) : -1;
		if (!word.len)
			break;
		if (is_text(word) && *word.s == '-')
			return read_eval(r, err);
		if (*word.s == '<' && (word.len == 1 || word.s[1] != '(')) {
			while (word.len && *word.s == '<')
				word = (struct text){word.s + 1, word.len - 1};
			word = word.len ? word : take_argument(r);
			if (!word.len)
				break;
		}
		if (!is_in("-+", *word.s))
			return add_argument(r, word, err);
		struct text next = option < 0 ? (struct text){0} : take_argument(r);
		if (next.len && shell_options[option].is_file && add_argument(r, next, err) < 0)
			return -1;
	}
	modules_take_computed(r->m);
	return 0;
}

/* "$BASH", ${SHELL} as a command; R goes behind it. */
static bool is_own_shell(struct reader *r)
{
	static const char *const names[] = {"BASH", "SHELL"};
	const char *sign = r->at - 1, *at = r->at + (r->at < r->end && *r->at == '{');

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);
		if ((size_t)(r->end - at) < len || memcmp(at, names[i], len) != 0)
			continue;
		at += len;
		if (at < r->end && modules_is_word(*at))
			return false;
		while (at < r->end && is_in("}\"", *at))
			at++;
		if (!is_command(r, sign - (sign > r->begin && sign[-1] == '"')))
			return false;
		r->at = at;
		return true;
	}
	return false;
}

/* $(cat x) as a command, and a command that a variable names: it may be a dot. */
static int read_dollar(struct reader *r, struct err *err)
{
	const char *at = r->at, *sign = at - 1;
	bool is_text = r->end - at > 1 && at[0] == '(' && at[1] != '(';

	if (is_own_shell(r))
		return read_arguments(r, err);
	if ((sign > r->begin && is_in("'\"", sign[-1])) || !is_command(r, sign))
		return 0;
	if (is_text) {
		modules_take_computed(r->m);
		return 0;
	}
	while (r->at < r->end && (modules_is_word(*r->at) || is_in("{}", *r->at)))
		r->at++;
	int done = add_source(r, false, err);
	r->at = at;
	return done;
}

/* Of a shell that stands in a path or a sentence nothing is known but what follows it. */
static int read_shell(struct reader *r, struct err *err)
{
	struct modules before = {.takes = r->m->takes, .all = r->m->all};
	const char *at = r->at, *name = r->at;

	while (name > r->begin && modules_is_word(name[-1]))
		name--;
	if ((name > r->begin && is_in(".-", name[-1])) || !modules_may_look(r->m))
		return 0;
	while (name > r->begin && at - name < WORD_MAX &&
	       (modules_is_word(name[-1]) || name[-1] == '/'))
		name--;
	const char *mark = name;
	while (mark > r->begin && is_in(" \t", mark[-1]))
		mark--;
	if (mark - r->begin > 1 && mark[-1] == '!' && mark[-2] == '#')
		return 0; /* the script's own first line */
	if (is_behind(r, name, feeders))
		modules_take_computed(r->m);
	int done = read_arguments(r, err);
	r->at = at;
	if (!is_command(r, name)) {
		r->m->takes = before.takes;
		r->m->all = before.all;
	}
	return done;
}

/* Read before anything else, if a variable names it. */
static int begin_shell(struct modules *m, struct err *err)
{
	static const char *const names[] = {"BASH_ENV=", "ENV="};
	const struct request *req = m->g->req;
	struct reader r = {.m = m, .base = ""};

	for (size_t i = 0; i < req->envc; i++)
		for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
			size_t len = strlen(names[n]);
			if (strncmp(req->env[i], names[n], len) != 0)
				continue;
			struct text path = {req->env[i] + len, strlen(req->env[i] + len)};
			if (modules_add_path(&r, path, follow, err) < 0)
				return -1;
		}
	return 0;
}

/* BASH_ENV=x bash y: as if y began with ". x". */
static int read_env(struct reader *r, struct err *err)
{
	struct reader value = *r;

	if (value.at == value.end || *value.at != '=') {
		modules_take_computed(r->m);
		return 0;
	}
	value.at++;
	return add_source(&value, true, err);
}

static const struct module_word words[] = {
	{"$", read_dollar},  {".", read_dot},	    {"source", read_source}, {"bash", read_shell},
	{"sh", read_shell},  {"dash", read_shell},  {"ash", read_shell},     {"ksh", read_shell},
	{"zsh", read_shell}, {"cd", read_cd},	    {"pushd", read_cd},	     {"eval", read_eval},
	{"trap", read_trap}, {"alias", read_alias}, {"BASH_ENV", read_env},  {"rbash", read_shell}};
const struct module_language module_shell = {.name = "bash",
					     .words = words,
					     .wordc = ARRAY_SIZE(words),
					     .begin = begin_shell,
					     .ends = ends,
					     .follow = follow,
					     .quotes = "'\""};
