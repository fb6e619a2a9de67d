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

#include "base/beneath.h"
#include "base/scope.h"
#include "base/walk.h"
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
		return err_memory(err);
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

	m->found++;
	if (is_known(m, path))
		return 0;
	AUTO_CLOSE int fd = beneath_open(m->dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	bool is_absent = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	bool is_read = fd >= 0 && fstat(fd, &st) == 0;
	if (is_absent || (is_read && S_ISDIR(st.st_mode))) {
		m->found--;
		return 0;
	}
	if (is_read && S_ISREG(st.st_mode) && st.st_size <= GATE_MODULE_BYTES &&
	    m->count < GATE_MODULES_MAX)
		return keep_file(m, path, fd, (size_t)st.st_size, err);
	m->more = true;
	return 0;
}

/* Every word is looked at, in strings and comments too: whoever computes what he takes in has them
 * there. */
static int read_words(struct reader *r, struct err *err)
{
	const struct module_language *l = r->m->language;

	while (r->at < r->end) {
		struct text word = {.s = r->at++};
		while (modules_is_word(*word.s) && r->at < r->end && modules_is_word(*r->at))
			r->at++;
		word.len = (size_t)(r->at - word.s);
		for (size_t i = 0; i < l->wordc; i++)
			if (word.len == strlen(l->words[i].word) &&
			    memcmp(word.s, l->words[i].word, word.len) == 0 &&
			    l->words[i].read(r, err) < 0)
				return -1;
	}
	return 0;
}

/* READ sees it as it is, and without what hides its words. */
static int read_text(struct modules *m, const char *base, struct text text,
		     int (*read)(struct reader *r, struct err *err), struct err *err)
{
	AUTO_FREE char *plain = NULL;
	size_t len = 0;

	if (modules_plain_text(m, text, &plain, &len, err) < 0)
		return -1;
	const struct text both[] = {text, {plain, len}};
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct reader r = {.m = m, .base = base, .begin = both[i].s, .at = both[i].s};
		r.end = both[i].len ? both[i].s + both[i].len : both[i].s;
		if (both[i].len && read(&r, err) < 0)
			return -1;
	}
	return 0;
}

/* The directory of a file, with a slash. */
static char *base_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return arena_printf(a, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

/* The code itself in all its readings, and what it is told. */
static int read_code(struct modules *m, const char *base,
		     int (*read)(struct reader *r, struct err *err), struct err *err)
{
	const struct look *l = &m->g->look;

	for (size_t i = 0; i < l->ownc; i++) {
		struct text text = {l->text[i].data, l->text[i].len};
		if (read_text(m, base, text, read, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_package(const struct modules *m, const char *path)
{
	const char *slash = strrchr(path, '/');

	return m->language->package && strcmp(slash ? slash + 1 : path, m->language->package) == 0;
}

/* Is it below a directory of others? */
static bool is_foreign(const struct modules *m, const char *path)
{
	const char *dir = m->language->foreign;
	size_t len = dir ? strlen(dir) : 0;

	for (const char *at = dir ? path : NULL; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncmp(at, dir, len) == 0 && at[len] == '/')
			return true;
	}
	return false;
}

static int read_file(struct modules *m, size_t i, int (*read)(struct reader *r, struct err *err),
		     struct err *err)
{
	char *base = base_of(&m->g->arena, m->path[i]);

	if (!base)
		return err_memory(err);
	return is_package(m, m->path[i]) ? m->language->read_package(m, base, m->text[i], err)
					 : read_text(m, base, m->text[i], read, err);
}

/* Looks at it, and finds what it imports in turn. Half of all packages make code of something: that says
 * nothing of what this run's own code names. */
static int read_module(struct modules *m, size_t i, struct err *err)
{
	bool takes = m->takes, all = m->all, any = m->any;

	if (gate_scan_module(m->g, m->language->name, m->path[i], m->text[i], err) < 0 ||
	    read_file(m, i, read_words, err) < 0)
		return -1;
	if (is_foreign(m, m->path[i]) || is_package(m, m->path[i])) {
		m->takes = takes;
		m->all = all;
		m->any = any;
	}
	return 0;
}

bool modules_has_end(struct text name, const char *end)
{
	size_t len = strlen(end);

	return name.len > len && memcmp(name.s + name.len - len, end, len) == 0;
}

static bool is_of_language(const struct modules *m, struct text path)
{
	for (const char *const *end = m->language->ends; *end; end++)
		if (modules_has_end(path, *end))
			return true;
	return false;
}

static int visit(void *ctx, const struct walk_entry *e, struct err *err)
{
	struct modules *m = ctx;
	bool is_script = S_ISREG(e->st.st_mode) &&
			 is_of_language(m, (struct text){e->path, e->len}) &&
			 is_foreign(m, e->path) == m->foreign;

	return is_script ? modules_add_file(m, e->path, err) : 0;
}

/* Nobody knows which: all that look like it are looked at; those of others last, because they are many. */
static int add_all(struct modules *m, struct err *err)
{
	struct walk_to to = {
		.entries = GATE_KNOWN_ENTRIES, .goes_on = true, .visit = visit, .ctx = m};
	uint64_t seen;

	for (int i = 0; i < (m->language->foreign ? 2 : 1); i++) {
		m->foreign = i > 0;
		if (walk(m->dir, &to, &seen, err) == 0)
			continue;
		m->more = true;
		if (err->code != ERR_LIMIT && err->code != ERR_INPUT)
			return -1;
	}
	return 0;
}

/* What a script names. A table that it names says nothing of other files. */
static int add_named(struct modules *m, size_t i, struct err *err)
{
	struct text path = {m->path[i], strlen(m->path[i])};

	return is_of_language(m, path) && !is_foreign(m, m->path[i])
		       ? read_file(m, i, modules_add_words, err)
		       : 0;
}

/* What is found last may take in what was named first. */
static int read_modules(struct modules *m, struct err *err)
{
	const struct module_language *l = m->language;
	size_t read = 0, named = 0, below = 0, moved = 1;
	bool takes = false, is_walked = false;
	int done = 0;

	while (done == 0) {
		bool moves = m->moved && l->add_below;
		if (m->takes && !takes) {
			takes = true;
			named = below = 0;
		}
		if (read < m->count) {
			done = read_module(m, read++, err);
		} else if ((takes || moves) && below < m->belowc) {
			done = read_code(m, m->below[below++], modules_add_words, err);
		} else if ((takes || moves) && named < m->count) {
			done = add_named(m, named++, err);
		} else if (moves && moved < m->belowc) {
			done = l->add_below(m, m->below[moved++], err);
		} else if ((m->all || m->any) && !is_walked) {
			is_walked = true;
			done = add_all(m, err);
		} else {
			break;
		}
	}
	m->more |= m->any;
	return done;
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
	struct modules m = {.g = g,
			    .language = find_language(g->bp->profile->name),
			    .belowc = 1,
			    .below = {""}};

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
	int result = m.language->begin ? m.language->begin(&m, err) : 0;
	if (result == 0)
		result = read_code(&m, "", read_words, err);
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
