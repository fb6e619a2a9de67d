/* SPDX-License-Identifier: MIT
 *
 * Modules that Python imports: from the words after "import", by their dotted names. See gate_modules.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/io.h"
#include "base/scope.h"
#include "flow/gate_modules_private.h"

enum {
	ENTRIES_MAX = 65536, /* of all directories that are listed */
	SKIP_MAX =
		4096, /* bytes between two names of a list; they are read as often as lists begin there */
};

/* What leads to sys.path. */
enum { SEEN_SYS = 1, SEEN_FROM_SYS = 2, SEEN_MEMBER = 4, SEEN_PATH = 8 };

/* Imported by Python itself when it finds them. */
static const char *const always[] = {"sitecustomize", "usercustomize"};

/* Compiled code without its text is imported as well. */
static int add_stem(struct modules *m, const char *stem, struct err *err)
{
	char path[MODULE_NAME_MAX + 16];

	snprintf(path, sizeof(path), "%s.py", stem);
	if (modules_add_file(m, path, err) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/__init__.py", stem);
	if (modules_add_file(m, path, err) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s.pyc", stem);
	AUTO_CLOSE int compiled = beneath_open(m->dir, path, O_PATH | O_NOFOLLOW);
	m->more |= compiled >= 0;
	return 0;
}

/* "a.b.c" below BASE: each of its packages, and itself. */
static int add_name(struct modules *m, const char *base, const char *name, size_t len,
		    struct err *err)
{
	char stem[MODULE_NAME_MAX + 1];
	size_t at = strlen(base);

	if (!len || *name == '.')
		return 0;
	m->more |= at + len > MODULE_NAME_MAX;
	if (!modules_may_look(m) || at + len > MODULE_NAME_MAX)
		return 0;
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

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		m->more = true;
	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (entry = io_readdir(dir))) {
		size_t len = strlen(entry->d_name);
		if (++m->entries > ENTRIES_MAX) {
			m->more = true;
			return 0;
		}
		if (len > 3 && strcmp(entry->d_name + len - 3, ".py") == 0 &&
		    add_name(m, directory, entry->d_name, len - 3, err) < 0)
			return -1;
	}
	return 0;
}

/* Blanks, and lines that go on; LINES: also ends of lines and comments. */
static void skip(struct reader *r, bool lines)
{
	const char *from = r->at;

	for (; r->at < r->end; r->at++) {
		if (r->at - from > SKIP_MAX) {
			r->m->more = true;
			return;
		}
		bool goes_on = *r->at == '\\' && r->at + 1 < r->end &&
			       (r->at[1] == '\n' || r->at[1] == '\r');
		if (lines && *r->at == '#')
			while (r->at + 1 < r->end && r->at[1] != '\n' && r->at - from <= SKIP_MAX)
				r->at++;
		else if (goes_on)
			r->at++;
		else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\f' &&
			 !(lines && (*r->at == '\n' || *r->at == '\r')))
			return;
	}
}

/* A name with its dots. One that is too long is cut, and that is told: each of its parts may be such a
 * word. */
static struct text take_name(struct reader *r)
{
	struct text t = {.s = r->at};

	while (r->at < r->end && r->at - t.s <= MODULE_NAME_MAX &&
	       (modules_is_word(*r->at) || *r->at == '.'))
		r->at++;
	t.len = (size_t)(r->at - t.s);
	r->m->more |= t.len > MODULE_NAME_MAX;
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
			return modules_may_look(r->m) ? add_all(r->m, below, err) : 0;
		struct text one = take_name(r);
		if (!one.len || add_name(r->m, below, one.s, one.len, err) < 0)
			return one.len ? -1 : 0;
		if (r->m->more && r->m->names == GATE_NAMES_MAX)
			return 0;
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

/* "s.path", getattr(s, "path") once there is sys; a bare path, once something is taken from it. Which
 * comes first nobody asks. */
static void see(struct modules *m, unsigned what)
{
	const unsigned member = SEEN_SYS | SEEN_MEMBER, taken = SEEN_FROM_SYS | SEEN_PATH;

	m->seen |= what;
	m->moved |= (m->seen & member) == member || (m->seen & taken) == taken;
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
	if (is(name, "sys"))
		see(r->m, SEEN_SYS | SEEN_FROM_SYS);
	if (!modules_may_look(r->m))
		return 0;
	char *base = package_of(r, dots);
	if (!base || add_name(r->m, base, name.s + dots, len, err) < 0)
		return base ? -1 : err_memory(err);
	char *below = arena_printf(&r->m->g->arena, "%s%.*s%s", base,
				   (int)(len < MODULE_NAME_MAX ? len : MODULE_NAME_MAX),
				   name.s + dots, len ? "/" : "");
	if (!below)
		return err_memory(err);
	for (char *c = below + strlen(base); *c; c++)
		*c = *c == '.' ? '/' : *c;
	skip(r, false);
	bool round = r->at < r->end && *r->at == '(';
	const char *at = r->at;
	r->at += round;
	int done = read_list(r, below, round, err);
	r->at = at; /* there may be words in it */
	return done;
}

static int read_import(struct reader *r, struct err *err)
{
	const char *at = r->at;
	int done = read_list(r, "", false, err);

	r->at = at;
	return done;
}

/* import_module("NAME") */
static int read_call(struct reader *r, struct err *err)
{
	if (modules_call(r) != GIVEN_CONSTANTS)
		modules_take_computed(r->m);
	while (r->at < r->end && strchr("( \t\r\n\"'", *r->at) && *r->at)
		r->at++;
	struct text name = take_name(r);
	if (is(name, "sys"))
		see(r->m, SEEN_SYS);
	return add_name(r->m, "", name.s, name.len, err);
}

/* Does WHAT stand before the word that R is behind of? */
static bool is_behind(const struct reader *r, const char *what)
{
	const char *at = r->at;

	while (at > r->begin && modules_is_word(at[-1]))
		at--;
	size_t len = strlen(what);
	return (size_t)(at - r->begin) >= len && memcmp(at - len, what, len) == 0;
}

/* Python's own, not what others call so: re.compile(x), model.eval(), def compile(x). */
static int read_own(struct reader *r, struct err *err)
{
	bool is_own = is_behind(r, "builtins.") || is_behind(r, "__builtins__.");
	bool is_other = is_behind(r, ".") || is_behind(r, "def ");

	return is_other && !is_own ? 0 : modules_read_taker(r, err);
}

/* Few others are called so, and b.exec(x) is Python's own after "import builtins as b". */
static int read_exec(struct reader *r, struct err *err)
{
	return is_behind(r, "def ") ? 0 : modules_read_taker(r, err);
}

/* eval(x): an expression. Many programs compute so; a script is none. */
static int read_eval(struct reader *r, struct err *err)
{
	bool all = r->m->all;
	int done = read_own(r, err);

	r->m->all = all;
	return done;
}

/* Those that import what any text of theirs names. */
static int read_importer(struct reader *r, struct err *err)
{
	(void)err;
	modules_take_computed(r->m);
	return 0;
}

/* An archive is a directory to an import, and nobody looks into one. */
static bool has_archive(const char *text, size_t len)
{
	static const char *const archives[] = {".zip", ".egg", ".whl", ".pyz"};

	for (size_t i = 0; i < ARRAY_SIZE(archives); i++)
		if (memmem(text, len, archives[i], strlen(archives[i])))
			return true;
	return false;
}

/* What lies in a directory that the code names may be imported. */
static int read_move(struct reader *r, struct err *err)
{
	(void)err;
	r->m->moved = true;
	if (r->m->archives != r->begin) /* once a text, however often it moves */
		r->m->more |= has_archive(r->begin, (size_t)(r->end - r->begin));
	r->m->archives = r->begin;
	return 0;
}

/* What was seen may be sys.path. */
static int look_at_path(struct reader *r, unsigned what, struct err *err)
{
	bool moved = r->m->moved;

	see(r->m, what);
	return r->m->moved && !moved ? read_move(r, err) : 0;
}

/* Under another name, which may be "os", every path may be its. */
static int read_sys(struct reader *r, struct err *err)
{
	struct reader next = *r;
	const char *before = r->at - strlen("sys");

	while (before > r->begin && is_in(" \t", before[-1]))
		before--;
	skip(&next, false);
	bool is_renamed = is(take_name(&next), "as") || (before > r->begin && before[-1] == '=');
	return look_at_path(r, SEEN_SYS | (is_renamed ? SEEN_MEMBER : 0), err);
}

/* Most are os.path. */
static int read_path(struct reader *r, struct err *err)
{
	const char *name = r->at - strlen("path"), os[] = "os.";
	bool is_os = is_behind(r, os) && (name - r->begin == (ssize_t)strlen(os) ||
					  !modules_is_word(name[-(ssize_t)strlen(os) - 1]));

	while (name > r->begin && is_in(" \t", name[-1]))
		name--;
	bool is_member = name > r->begin && is_in(".'\"", name[-1]);
	return is_os ? 0 : look_at_path(r, is_member ? SEEN_MEMBER : SEEN_PATH, err);
}

static int begin(struct modules *m, struct err *err)
{
	const struct look *l = &m->g->look;
	const struct request *req = m->g->req;

	for (size_t i = 0; i < req->envc; i++)
		m->more |= strncmp(req->env[i], "PYTHONPATH=", strlen("PYTHONPATH=")) == 0 &&
			   has_archive(req->env[i], strlen(req->env[i]));
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (add_name(m, "", always[i], strlen(always[i]), err) < 0)
			return -1;
	for (size_t i = 0; i < l->effectc; i++)
		if (l->effect[i].kind == EFFECT_IMPORT &&
		    add_name(m, "", l->effect[i].value, strlen(l->effect[i].value), err) < 0)
			return -1;
	/* Matplotlib reads it where it is started, and evaluates what stands there. */
	return modules_add_file(m, "matplotlibrc", err);
}

static const struct module_word words[] = {{"from", read_from},
					   {"import", read_import},
					   {"__import__", read_call},
					   {"import_module", read_call},
					   {"run_module", read_call},
					   {"resolve_name", read_call},
					   {"loadTestsFromName", read_call},
					   {"pydoc", read_importer},
					   {"EntryPoint", read_importer},
					   {"PathFinder", read_importer},
					   {"FileFinder", read_importer},
					   {"loadTestsFromNames", read_importer},
					   {"make_parser", read_importer},
					   {"dictConfig", read_importer},
					   {"fileConfig", read_importer},
					   {"exec", read_exec},
					   {"compile", read_own},
					   {"eval", read_eval},
					   {"execfile", modules_read_loader},
					   {"run_path", modules_read_loader},
					   {"load_source", modules_read_loader},
					   {"spec_from_file_location", modules_read_loader},
					   {"SourceFileLoader", modules_read_loader},
					   {"runsource", modules_read_loader},
					   {"zipimporter", modules_read_loader},
					   {"sys", read_sys},
					   {"path", read_path},
					   {"chdir", read_move},
					   {"addsitedir", read_move},
					   {"PYTHONPATH", read_move}};
static const char *const ends[] = {".py", NULL};
static const char *const follow[] = {"", NULL};
const struct module_language module_python = {.name = "python",
					      .words = words,
					      .wordc = ARRAY_SIZE(words),
					      .begin = begin,
					      .ends = ends,
					      .follow = follow,
					      .add_below = add_all,
					      .quotes = ""};
