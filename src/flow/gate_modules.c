/* SPDX-License-Identifier: MIT
 *
 * Code that a program takes in from its workspace is code that runs: what Python imports, a shell
 * sources and Node requires is looked at too, as text. Which files those are is read cheaply and
 * generously from the words that name them: a file that is looked at for nothing costs a
 * millisecond. What exists and was not read, because it is too much or too odd, is told, and then
 * nobody knows what runs. It must never follow a link.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/walk.h"
#include "flow/beneath.h"
#include "flow/gate_modules_private.h"

static const struct module_language *const languages[] = {&module_python, &module_shell,
							  &module_node};

bool modules_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool modules_may_look(struct modules *m)
{
	if (m->names < GATE_NAMES_MAX) {
		m->names++;
		return true;
	}
	m->more = true;
	return false;
}

static bool is_known(const struct modules *m, const char *path)
{
	for (size_t i = 0; i < m->count; i++)
		if (strcmp(m->path[i], path) == 0)
			return true;
	return false;
}

/* One that grows meanwhile is not read to its end. */
static int keep_file(struct modules *m, const char *path, int fd, size_t len, struct err *err)
{
	char *data = malloc(len + 1), *name = arena_dup(&m->g->arena, path);

	if (!data || m->g->arena.failed) {
		free(data);
		return err_set(err, ERR_SYSTEM, "out of memory");
	}
	ssize_t n = pread(fd, data, len, 0);
	if (n < 0 || (size_t)n != len)
		m->more = true;
	data[n > 0 ? n : 0] = '\0';
	m->path[m->count] = name;
	m->text[m->count++] = (struct text){data, n > 0 ? (size_t)n : 0};
	return 0;
}

/* A file of the workspace, if it is there. */
int modules_add_file(struct modules *m, const char *path, struct err *err)
{
	struct stat st;

	if (is_known(m, path))
		return 0;
	AUTO_CLOSE int fd = beneath_open(m->dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	bool is_absent = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	bool is_read = fd >= 0 && fstat(fd, &st) == 0;
	if (is_absent || (is_read && S_ISDIR(st.st_mode)))
		return 0;
	if (is_read && S_ISREG(st.st_mode) && st.st_size <= GATE_MODULE_BYTES &&
	    m->count < GATE_MODULES_MAX)
		return keep_file(m, path, fd, (size_t)st.st_size, err);
	m->more = true;
	return 0;
}

/* Every word is looked at, in strings and comments too: whoever computes what he takes in has them
 * there. */
static int read_words(struct modules *m, const char *base, struct text text, struct err *err)
{
	const struct module_language *l = m->language;
	struct reader r = {.m = m, .base = base, .begin = text.s, .at = text.s};

	if (!text.len)
		return 0;
	r.end = text.s + text.len;
	while (r.at < r.end) {
		struct text word = {.s = r.at++};
		while (modules_is_word(*word.s) && r.at < r.end && modules_is_word(*r.at))
			r.at++;
		word.len = (size_t)(r.at - word.s);
		for (size_t i = 0; i < l->wordc; i++)
			if (word.len == strlen(l->words[i].word) &&
			    memcmp(word.s, l->words[i].word, word.len) == 0 &&
			    l->words[i].read(&r, err) < 0)
				return -1;
	}
	return 0;
}

/* To a shell a word with a NUL in it is that word. */
static int read_text(struct modules *m, const char *base, struct text text, struct err *err)
{
	AUTO_FREE char *copy = NULL;

	if (read_words(m, base, text, err) < 0)
		return -1;
	if (!text.len || !memchr(text.s, '\0', text.len))
		return 0;
	copy = scan_drop_nuls(text, &text);
	return copy ? read_words(m, base, text, err) : err_set(err, ERR_SYSTEM, "out of memory");
}

/* The directory of a file, with a slash. */
static char *base_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return arena_printf(a, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

static int read_code(struct modules *m, struct err *err)
{
	const struct look *l = &m->g->look;
	const struct payload *p = &m->g->bp->payload;

	if (m->language->begin && m->language->begin(m, err) < 0)
		return -1;
	if (read_text(m, "", (struct text){p->data, p->len}, err) < 0)
		return -1;
	return read_text(m, "", (struct text){l->view.text, l->view.text_len}, err);
}

/* Looks at it, and finds what it imports in turn. */
static int read_module(struct modules *m, size_t i, struct err *err)
{
	char *base = base_of(&m->g->arena, m->path[i]);

	if (!base)
		return err_set(err, ERR_SYSTEM, "out of memory");
	return gate_scan_module(m->g, m->language->name, m->path[i], m->text[i], err) < 0
		       ? -1
		       : read_text(m, base, m->text[i], err);
}

static bool is_of_language(const struct modules *m, const struct walk_entry *e)
{
	for (const char *const *end = m->language->ends; *end; end++) {
		size_t len = strlen(*end);
		if (e->len > len && memcmp(e->path + e->len - len, *end, len) == 0)
			return true;
	}
	return false;
}

static int visit(void *ctx, const struct walk_entry *e, struct err *err)
{
	struct modules *m = ctx;

	return S_ISREG(e->st.st_mode) && is_of_language(m, e) ? modules_add_file(m, e->path, err)
							      : 0;
}

/* Nobody knows which: all that look like it are looked at, and still nobody knows. */
static int add_any(struct modules *m, struct err *err)
{
	struct walk_to to = {
		.entries = GATE_KNOWN_ENTRIES, .goes_on = true, .visit = visit, .ctx = m};
	uint64_t seen;

	m->any = false;
	m->more = true;
	if (!m->language->ends || walk(m->dir, &to, &seen, err) == 0)
		return 0;
	return err->code == ERR_LIMIT || err->code == ERR_INPUT ? 0 : -1;
}

static int read_modules(struct modules *m, struct err *err)
{
	bool done = false;

	for (size_t i = 0; i < m->count || (m->any && !done); i++) {
		if (m->any && !done) {
			done = true;
			if (add_any(m, err) < 0)
				return -1;
		}
		if (i < m->count && read_module(m, i, err) < 0)
			return -1;
	}
	return 0;
}

static const struct module_language *find_language(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (strcmp(languages[i]->name, name) == 0)
			return languages[i];
	return NULL;
}

int gate_scan_modules(struct gate *g, struct err *err)
{
	AUTO_CLOSE int dir = -1;
	struct modules m = {.g = g, .language = find_language(g->bp->profile->name)};

	g->unread_modules = g->has_modules = false;
	g->modulec = 0;
	if (!g->req->workspace || !m.language)
		return 0;
	dir = m.dir = open(g->req->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_errno(err, ERR_INPUT, "%s", g->req->workspace);
	struct stat st;
	if (fstat(dir, &st) < 0 || st.st_dev != g->workspace.st_dev ||
	    st.st_ino != g->workspace.st_ino)
		return err_replaced(err, g->req->workspace);
	int result = read_code(&m, err);
	if (result == 0)
		result = read_modules(&m, err);
	for (size_t i = 0; i < m.count; i++) {
		g->module[g->modulec++] = m.path[i];
		free((char *)m.text[i].s);
	}
	g->unread_modules = m.more;
	g->has_modules = m.count > 0 || m.more;
	return result;
}
