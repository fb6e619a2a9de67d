/* SPDX-License-Identifier: MIT
 *
 * What a shell sources and Node requires: files that are named by their paths. See gate_modules.c.
 * Of a path that is computed its constant end is taken ("$HERE/x.sh"); relative ones are looked for
 * where the file is that names them and where the workspace begins, whichever of the two the
 * language would take.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "flow/gate_modules_private.h"

enum {
	WORDS_MAX = 16, /* of a command, until its script comes */
	WORD_MAX = 1024,
};

/* What may follow a name to make it a file's. */
static const char *const shell_ends[] = {"", NULL};
static const char *const node_ends[] = {"",	"/index.js", "/package.json", ".js", ".mjs",
					".cjs", NULL};

static const char *const shell_all[] = {".sh", ".bash", NULL};
static const char *const node_all[] = {".js", ".mjs", ".cjs", NULL};

static bool is_in(const char *set, char c)
{
	return c && strchr(set, c);
}

/* Behind what is computed, if a directory's end follows it. */
static struct text constant_end(struct text path)
{
	const char *last = NULL;

	for (size_t i = 0; i < path.len; i++)
		if (is_in("$`)}", path.s[i]))
			last = path.s + i;
	const char *end = path.s + path.len;
	const char *slash = last ? memchr(last, '/', (size_t)(end - last)) : path.s - 1;
	if (!slash)
		return (struct text){end, 0};
	return (struct text){slash + 1, (size_t)(end - slash - 1)};
}

/* Without the directory that the workspace is. false: it lies elsewhere. */
static bool strip_workspace(const struct modules *m, struct text *path)
{
	const char *const places[] = {"/workspace", "/proc/self/cwd", m->g->req->workspace};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t len = strlen(places[i]);
		if (path->len > len && memcmp(path->s, places[i], len) == 0 &&
		    path->s[len] == '/') {
			*path = (struct text){path->s + len, path->len - len};
			while (path->len && *path->s == '/')
				*path = (struct text){path->s + 1, path->len - 1};
			return true;
		}
	}
	return !path->len || *path->s != '/';
}

static int add_ends(struct modules *m, const char *base, struct text path, const char *const *ends,
		    struct err *err)
{
	char name[2 * MODULE_NAME_MAX];

	for (; *ends; ends++) {
		int n = snprintf(name, sizeof(name), "%s%.*s%s", base, (int)path.len, path.s,
				 *ends);
		if (n >= (int)sizeof(name) - 8) {
			m->more = true;
			return 0;
		}
		if (modules_add_file(m, name, err) < 0)
			return -1;
	}
	return 0;
}

static int add_path(struct reader *r, struct text path, const char *const *ends, struct err *err)
{
	struct modules *m = r->m;

	path = constant_end(path);
	if (!strip_workspace(m, &path))
		return 0;
	while (path.len > 1 && path.s[0] == '.' && path.s[1] == '/')
		path = (struct text){path.s + 2, path.len - 2};
	if (!path.len || path.len > MODULE_NAME_MAX || !modules_may_look(m)) {
		m->more |= path.len > MODULE_NAME_MAX;
		return 0;
	}
	if (*r->base && add_ends(m, r->base, path, ends, err) < 0)
		return -1;
	return add_ends(m, "", path, ends, err);
}

/* The next word of a command, with its quotes; empty: there is none. One that is too long is cut. */
static struct text take_argument(struct reader *r)
{
	char quote = '\0';
	int depth = 0;

	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '<'))
		r->at++;
	struct text word = {.s = r->at};
	for (; r->at < r->end && r->at - word.s < WORD_MAX; r->at++) {
		bool within = quote || depth;
		if (!within && is_in(" \t\n;|&)`", *r->at))
			break;
		depth += (*r->at == '(') - (*r->at == ')' && depth);
		if (*r->at == quote)
			quote = '\0';
		else if (!quote && (*r->at == '\'' || *r->at == '"'))
			quote = *r->at;
	}
	word.len = (size_t)(r->at - word.s);
	return word;
}

/* Quotes that stand within it are left out. */
static int add_argument(struct reader *r, struct text word, struct err *err)
{
	char path[MODULE_NAME_MAX + 2];
	size_t len = 0;

	for (size_t i = 0; i < word.len && len < sizeof(path); i++) {
		if (!is_in("'\"\\", word.s[i]))
			path[len++] = word.s[i];
		r->m->any |= is_in("*?[", word.s[i]) ||
			     (word.s[i] == '{' && (!i || word.s[i - 1] != '$'));
	}
	r->m->any |= r->m->moved && len && path[0] != '/';
	return add_path(r, (struct text){path, len}, shell_ends, err);
}

static int read_source(struct reader *r, struct err *err)
{
	const char *before = r->at;
	struct text word = take_argument(r);
	int done = word.len ? add_argument(r, word, err) : 0;

	r->at = before; /* there may be words in it */
	return done;
}

/* Only where a command begins: elsewhere it is a directory, or the end of a sentence. */
static int read_dot(struct reader *r, struct err *err)
{
	const char *at = r->at - 1;
	bool ends = r->at < r->end && (*r->at == ' ' || *r->at == '\t');

	while (at > r->begin && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	size_t n = 0;
	while (at - n > r->begin && modules_is_word(at[-1 - (ssize_t)n]))
		n++;
	static const char *const before[] = {"command", "builtin", "then", "do", "else", "time"};
	bool begins = at == r->begin || is_in("\n;&|({!`'\"", at[-1]);
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		begins |= n == strlen(before[i]) && memcmp(at - n, before[i], n) == 0;
	return ends && begins ? read_source(r, err) : 0;
}

/* After a cd nobody knows what a relative path means. */
static int read_cd(struct reader *r, struct err *err)
{
	(void)err;
	r->m->moved |= r->at < r->end && is_in(" \t", *r->at);
	return 0;
}

/* eval "$(cat x.sh)": any word of the line may be a file. */
static int read_eval(struct reader *r, struct err *err)
{
	const char *line = memchr(r->at, '\n', (size_t)(r->end - r->at));
	const char *end = line ? line : r->end;

	for (const char *at = r->at; at < end; at++) {
		struct text word = {.s = at};
		while (at < end && !is_in(" \t\"'`$()<>;|&", *at))
			at++;
		word.len = (size_t)(at - word.s);
		if (word.len && modules_may_look(r->m) && add_argument(r, word, err) < 0)
			return -1;
	}
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
		if (is_long ? word.len == strlen(name) && memcmp(word.s, name, word.len) == 0
			    : word.len > 1 && word.s[0] == name[0] && word.s[1] != '-' && is_last)
			return (int)i;
	}
	return -1;
}

/* bash -e x.sh, sh <x.sh: the first word that is no option. Not the end of a name: x.sh. */
static int read_shell(struct reader *r, struct err *err)
{
	const char *before = r->at, *name = r->at;
	int done = 0;

	while (name > r->begin && modules_is_word(name[-1]))
		name--;
	if ((name > r->begin && name[-1] == '.') || !modules_may_look(r->m))
		return 0;
	for (int i = 0; i < WORDS_MAX; i++) {
		struct text word = take_argument(r);
		if (!word.len)
			break;
		if (*word.s == '-' || *word.s == '+') {
			int option = find_option(word);
			struct text next = option < 0 ? (struct text){0} : take_argument(r);
			if (next.len && shell_options[option].is_file)
				done = add_argument(r, next, err);
			if (done < 0)
				break;
			continue;
		}
		done = add_argument(r, word, err);
		break;
	}
	r->at = before;
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
			const char *value = req->env[i] + strlen(names[n]);
			if (strncmp(req->env[i], names[n], strlen(names[n])) == 0 &&
			    add_path(&r, (struct text){value, strlen(value)}, shell_ends, err) < 0)
				return -1;
		}
	return 0;
}

static const struct module_word shell_words[] = {
	{".", read_dot},      {"source", read_source}, {"bash", read_shell}, {"sh", read_shell},
	{"dash", read_shell}, {"cd", read_cd},	       {"pushd", read_cd},   {"eval", read_eval}};
const struct module_language module_shell = {"bash", shell_words, ARRAY_SIZE(shell_words),
					     begin_shell, shell_all};

static bool has_end(struct text path, const char *end)
{
	size_t len = strlen(end);

	return path.len > len && memcmp(path.s + path.len - len, end, len) == 0;
}

/* What is between the quotes that come next. */
static int add_literal(struct reader *r, struct err *err)
{
	char quote = *r->at++;
	struct text path = {.s = r->at};

	while (r->at < r->end && *r->at != quote && *r->at != '\n')
		r->at++;
	path.len = (size_t)(r->at - path.s);
	r->m->any |= memchr(path.s, '\\', path.len) != NULL;
	r->at += r->at < r->end && *r->at == quote;
	char below[MODULE_NAME_MAX + 16];
	int n = snprintf(below, sizeof(below), "node_modules/%.*s",
			 (int)(path.len < MODULE_NAME_MAX ? path.len : MODULE_NAME_MAX), path.s);
	bool is_own = path.len && (*path.s == '.' || *path.s == '/');
	if (has_end(path, ".json"))
		return 0; /* data */
	if (has_end(path, ".node"))
		r->m->more = true; /* machine code */
	if (add_path(r, path, node_ends, err) < 0)
		return -1;
	struct text end = {path.s + 1, path.len - 1}; /* process.cwd() + "/x" */
	if (path.len && *path.s == '/' && add_path(r, end, node_ends, err) < 0)
		return -1;
	return is_own ? 0 : add_path(r, (struct text){below, (size_t)n}, node_ends, err);
}

/* require(...), import(...): every literal in there; import '...', from '...': the one that follows. */
static int read_require(struct reader *r, struct err *err)
{
	int depth = 0;

	for (; r->at < r->end; r->at++) {
		if (is_in("'\"`", *r->at)) {
			if (add_literal(r, err) < 0)
				return -1;
			if (!depth)
				return 0;
			r->at--;
		} else if (*r->at == '(') {
			depth++;
		} else if (*r->at == ')') {
			if (--depth <= 0)
				return 0;
		} else if (!depth && !is_in(" \t\r\n\":=", *r->at)) {
			return 0;
		}
	}
	return 0;
}

/* A call whose name is computed, and require handed on: const r = require, require.call(...). In a
 * sentence it stands alone. */
static int read_call(struct reader *r, struct err *err)
{
	const char *at = r->at, *name = r->at;
	static const char *const hands_on[] = {".call", ".apply", ".bind", "?."};

	while (at < r->end && is_in(" \t\r\n", *at))
		at++;
	while (name > r->begin && modules_is_word(name[-1]))
		name--;
	while (name > r->begin && is_in(" \t\r\n", name[-1]))
		name--;
	bool is_value = name > r->begin && is_in("=,([:?|&", name[-1]);
	bool is_over =
		at == r->end || is_in(";,)]}", *at) || memchr(r->at, '\n', (size_t)(at - r->at));
	r->m->any |= is_value && is_over;
	for (size_t i = 0; i < ARRAY_SIZE(hands_on); i++)
		r->m->any |= (size_t)(r->end - at) > strlen(hands_on[i]) &&
			     memcmp(at, hands_on[i], strlen(hands_on[i])) == 0;
	if (at < r->end && *at == '(') {
		const char *end = memchr(at, ')', (size_t)(r->end - at));
		size_t len = (size_t)((end ? end : r->end) - at);
		r->m->any |= len > 1 && !memchr(at, '\'', len) && !memchr(at, '"', len) &&
			     !memchr(at, '`', len);
	}
	return read_require(r, err);
}

/* "main": "lib/x.js", of a package.json. */
static int read_main(struct reader *r, struct err *err)
{
	while (r->at < r->end && is_in("\" \t\r\n:", *r->at))
		if (*r->at++ == ':')
			return read_require(r, err);
	return 0;
}

static const struct module_word node_words[] = {{"require", read_call},	  {"import", read_call},
						{"from", read_require},	  {"fork", read_require},
						{"Worker", read_require}, {"main", read_main}};
const struct module_language module_node = {"node", node_words, ARRAY_SIZE(node_words), NULL,
					    node_all};
