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

/* Behind what is computed, if a directory's end follows it. */
static struct text constant_end(struct text path)
{
	const char *last = NULL;

	for (size_t i = 0; i < path.len; i++)
		if (strchr("$`)}", path.s[i]) && path.s[i])
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
		if (!within && strchr(" \t\n;|&)`", *r->at))
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

	for (size_t i = 0; i < word.len && len < sizeof(path); i++)
		if (!strchr("'\"\\", word.s[i]))
			path[len++] = word.s[i];
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
	bool begins = at == r->begin || strchr("\n;&|({!`'\"", at[-1]);
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		begins |= n == strlen(before[i]) && memcmp(at - n, before[i], n) == 0;
	return ends && begins ? read_source(r, err) : 0;
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
		if (*word.s == '-' || *word.s == '+')
			continue;
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

static const struct module_word shell_words[] = {{".", read_dot},
						 {"source", read_source},
						 {"bash", read_shell},
						 {"sh", read_shell},
						 {"dash", read_shell}};
const struct module_language module_shell = {"bash", shell_words, ARRAY_SIZE(shell_words),
					     begin_shell};

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
		if (strchr("'\"`", *r->at)) {
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
		} else if (!depth && !strchr(" \t\r\n\":=", *r->at)) {
			return 0;
		}
	}
	return 0;
}

/* "main": "lib/x.js", of a package.json. */
static int read_main(struct reader *r, struct err *err)
{
	while (r->at < r->end && strchr("\" \t\r\n:", *r->at))
		if (*r->at++ == ':')
			return read_require(r, err);
	return 0;
}

static const struct module_word node_words[] = {{"require", read_require}, {"import", read_require},
						{"from", read_require},	   {"fork", read_require},
						{"Worker", read_require},  {"main", read_main}};
const struct module_language module_node = {"node", node_words, ARRAY_SIZE(node_words), NULL};
