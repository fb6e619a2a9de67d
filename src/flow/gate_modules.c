/* SPDX-License-Identifier: MIT
 *
 * Code that a Python program imports from its workspace is code that runs: it is looked at too, as
 * text. Which files those are is read cheaply and generously from the words after "import": a file
 * that is looked at for nothing costs a millisecond. What exists and was not read, because it is too
 * much or too odd, is told, and then nobody knows what runs. It must never follow a link.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "flow/beneath.h"
#include "flow/gate.h"

enum {
	FILES_MOST = GATE_MODULES_MAX,
	NAME_MOST = 256, /* bytes of a module's whole name, and of its file's */
	ENTRIES_MAX = 4096,
};

/* Imported by Python itself when it finds them. */
static const char *const always[] = {"sitecustomize", "usercustomize"};

struct modules {
	struct gate *g;
	int dir;      /* the workspace */
	size_t names; /* that were looked for */
	size_t count; /* files that were read */
	const char *path[FILES_MOST];
	struct text text[FILES_MOST]; /* malloc'd */
	bool more;		      /* there is something that was not read */
};

/* What is read next. AT is behind what was read. */
struct reader {
	struct modules *m;
	const char *base; /* the package's directory, with a slash; "" */
	const char *at, *end;
};

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
static int add_file(struct modules *m, const char *path, struct err *err)
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
	    m->count < FILES_MOST)
		return keep_file(m, path, fd, (size_t)st.st_size, err);
	m->more = true;
	return 0;
}

/* Compiled code without its text is imported as well. */
static int add_stem(struct modules *m, const char *stem, struct err *err)
{
	char path[NAME_MOST + 16];

	snprintf(path, sizeof(path), "%s.py", stem);
	if (add_file(m, path, err) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/__init__.py", stem);
	if (add_file(m, path, err) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s.pyc", stem);
	if (faccessat(m->dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		m->more = true;
	return 0;
}

/* "a.b.c" below BASE: each of its packages, and itself. */
static int add_name(struct modules *m, const char *base, const char *name, size_t len,
		    struct err *err)
{
	char stem[NAME_MOST + 1];
	size_t at = strlen(base);

	if (!len || *name == '.')
		return 0;
	if (at + len > NAME_MOST || ++m->names > GATE_NAMES_MAX) {
		m->more = true;
		return 0;
	}
	memcpy(stem, base, at);
	for (size_t i = 0; i <= len; i++, at++) {
		bool ends = i == len || name[i] == '.';
		stem[at] = '\0';
		if (ends && i && add_stem(m, stem, err) < 0)
			return -1;
		stem[at] = i == len ? '\0' : ends ? '/' : name[i];
	}
	return 0;
}

/* "from a import *" takes what a's list names. */
static int add_all(struct modules *m, const char *directory, struct err *err)
{
	int fd = beneath_open(m->dir, *directory ? directory : ".", O_RDONLY | O_DIRECTORY);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	size_t seen = 0;

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		m->more = true;
	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (entry = io_readdir(dir))) {
		size_t len = strlen(entry->d_name);
		if (++seen > ENTRIES_MAX) {
			m->more = true;
			return 0;
		}
		if (len > 3 && strcmp(entry->d_name + len - 3, ".py") == 0 &&
		    add_name(m, directory, entry->d_name, len - 3, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Blanks, and lines that go on; LINES: also ends of lines and comments. */
static void skip(struct reader *r, bool lines)
{
	for (; r->at < r->end; r->at++) {
		bool goes_on = *r->at == '\\' && r->at + 1 < r->end &&
			       (r->at[1] == '\n' || r->at[1] == '\r');
		if (lines && *r->at == '#')
			while (r->at + 1 < r->end && r->at[1] != '\n')
				r->at++;
		else if (goes_on)
			r->at++;
		else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\f' &&
			 !(lines && (*r->at == '\n' || *r->at == '\r')))
			return;
	}
}

/* A name with its dots. */
static struct text take_name(struct reader *r)
{
	struct text t = {.s = r->at};

	while (r->at < r->end && (is_word(*r->at) || *r->at == '.'))
		r->at++;
	t.len = (size_t)(r->at - t.s);
	return t;
}

static bool is(struct text t, const char *word)
{
	return t.len == strlen(word) && memcmp(t.s, word, t.len) == 0;
}

static size_t count_dots(struct text name)
{
	size_t dots = 0;

	while (dots < name.len && name.s[dots] == '.')
		dots++;
	return dots;
}

/* The directory that "..name" begins in: one dot is where the file is. */
static char *package_of(struct reader *r, size_t dots)
{
	char *to = arena_printf(&r->m->g->arena, "%s", dots ? r->base : "");

	for (size_t up = 1; to && up < dots; up++) {
		size_t len = strlen(to);
		while (len > 1 && to[len - 2] != '/')
			len--;
		to[len ? len - 1 : 0] = '\0';
	}
	return to;
}

/* Names with commas between them, and what they are to be called. BELOW: where they are, if not all of
 * them are modules of their own. */
static int read_list(struct reader *r, const char *below, bool lines, struct err *err)
{
	for (;; r->at++) {
		skip(r, lines);
		if (r->at < r->end && *r->at == '*')
			return add_all(r->m, below, err);
		struct text one = take_name(r);
		if (!one.len || add_name(r->m, below, one.s, one.len, err) < 0)
			return one.len ? -1 : 0;
		skip(r, lines);
		struct reader before = *r;
		if (is(take_name(r), "as")) {
			skip(r, lines);
			take_name(r);
			skip(r, lines);
		} else {
			*r = before;
		}
		if (r->at == r->end || *r->at != ',')
			return 0;
	}
}

/* "from NAME import a, b": NAME, and each of them as if it were a module in it. */
static int read_from(struct reader *r, struct err *err)
{
	skip(r, false);
	struct text name = take_name(r);
	size_t dots = count_dots(name), len = name.len - dots;
	skip(r, false);
	if (!is(take_name(r), "import"))
		return 0;
	char *base = package_of(r, dots);
	if (!base || add_name(r->m, base, name.s + dots, len, err) < 0)
		return base ? -1 : err_set(err, ERR_SYSTEM, "out of memory");
	char *below = arena_printf(&r->m->g->arena, "%s%.*s%s", base,
				   (int)(len < NAME_MOST ? len : NAME_MOST), name.s + dots,
				   len ? "/" : "");
	if (!below)
		return err_set(err, ERR_SYSTEM, "out of memory");
	for (char *c = below + strlen(base); *c; c++)
		*c = *c == '.' ? '/' : *c;
	skip(r, false);
	bool round = r->at < r->end && *r->at == '(';
	r->at += round;
	return read_list(r, below, round, err);
}

static int read_import(struct reader *r, struct err *err)
{
	return read_list(r, "", false, err);
}

/* import_module("NAME") */
static int read_call(struct reader *r, struct err *err)
{
	while (r->at < r->end && strchr("( \t\r\n\"'", *r->at) && *r->at)
		r->at++;
	struct text name = take_name(r);
	return add_name(r->m, "", name.s, name.len, err);
}

static const struct {
	const char *word;
	int (*read)(struct reader *r, struct err *err);
} words[] = {{"from", read_from},
	     {"import", read_import},
	     {"__import__", read_call},
	     {"import_module", read_call}};

/* Every word is looked at, in strings and comments too: whoever computes his imports has them there. */
static int read_text(struct modules *m, const char *base, struct text text, struct err *err)
{
	struct reader r = {.m = m, .base = base, .at = text.s};

	if (!text.len)
		return 0;
	r.end = text.s + text.len;
	while (r.at < r.end) {
		struct text word = {.s = r.at};
		if (!is_word(*r.at)) {
			r.at++;
			continue;
		}
		while (r.at < r.end && is_word(*r.at))
			r.at++;
		word.len = (size_t)(r.at - word.s);
		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (is(word, words[i].word) && words[i].read(&r, err) < 0)
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

static int read_code(struct modules *m, struct err *err)
{
	const struct look *l = &m->g->look;
	const struct payload *p = &m->g->bp->payload;

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (add_name(m, "", always[i], strlen(always[i]), err) < 0)
			return -1;
	if (read_text(m, "", (struct text){p->data, p->len}, err) < 0 ||
	    read_text(m, "", (struct text){l->view.text, l->view.text_len}, err) < 0)
		return -1;
	for (size_t i = 0; i < l->effectc; i++)
		if (l->effect[i].kind == EFFECT_IMPORT &&
		    add_name(m, "", l->effect[i].value, strlen(l->effect[i].value), err) < 0)
			return -1;
	return 0;
}

/* Looks at it, and finds what it imports in turn. */
static int read_module(struct modules *m, size_t i, struct err *err)
{
	char *base = base_of(&m->g->arena, m->path[i]);

	if (!base)
		return err_set(err, ERR_SYSTEM, "out of memory");
	return gate_scan_module(m->g, m->path[i], m->text[i], err) < 0
		       ? -1
		       : read_text(m, base, m->text[i], err);
}

int gate_scan_modules(struct gate *g, struct err *err)
{
	AUTO_CLOSE int dir = -1;
	struct modules m = {.g = g};

	g->unread_modules = g->has_modules = false;
	g->modulec = 0;
	if (!g->req->workspace || strcmp(g->bp->profile->name, "python") != 0)
		return 0;
	dir = m.dir = open(g->req->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_errno(err, ERR_INPUT, "%s", g->req->workspace);
	struct stat st;
	if (fstat(dir, &st) < 0 || st.st_dev != g->workspace.st_dev ||
	    st.st_ino != g->workspace.st_ino)
		return given_replaced(g->req->workspace, err);
	int result = read_code(&m, err);
	for (size_t i = 0; i < m.count && result == 0; i++)
		result = read_module(&m, i, err);
	for (size_t i = 0; i < m.count; i++) {
		g->module[g->modulec++] = m.path[i];
		free((char *)m.text[i].s);
	}
	g->unread_modules = m.more;
	g->has_modules = m.count > 0 || m.more;
	return result;
}
