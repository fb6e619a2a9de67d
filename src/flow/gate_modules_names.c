/* SPDX-License-Identifier: MIT
 *
 * From a name in a text to a file of the workspace. See gate_modules.c. Of a path that is computed its
 * constant end is taken ("$HERE/x.sh"); relative ones are looked for where the file is that names them
 * and where the workspace begins, whichever of the two the language would take.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/scope.h"
#include "base/utf8.h"
#include "flow/gate_modules_private.h"

enum {
	PARTS_MAX = 8, /* of a path, whose ends are looked for */
	NAME_MAX_ALL = 2 * MODULE_NAME_MAX,
};

static const char *const as_it_is[] = {"", NULL};

/* Behind what is computed, if a directory's end follows it. */
static struct text constant_end(struct text path)
{
	const char *last = NULL;

	for (size_t i = 0; i < path.len; i++)
		if (is_in("$`)}", path.s[i]))
			last = path.s + i;
	if (!last)
		return path;
	const char *end = path.s + path.len, *slash = memchr(last, '/', (size_t)(end - last));
	const char *rest = slash ? slash + 1 : end;
	return (struct text){rest, (size_t)(end - rest)};
}

static void cut(struct text *path, size_t len)
{
	*path = (struct text){path->s + len, path->len - len};
}

/* How much of an absolute path, without its first slash, is the workspace; 0: it lies elsewhere. */
static size_t skip_place(const struct modules *m, const char *name)
{
	const char *own = m->g->req->workspace;
	const char *const places[] = {"workspace", "proc/self/cwd", own + strspn(own, "/")};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t len = strlen(places[i]);
		if (strncmp(name, places[i], len) == 0 && name[len] == '/')
			return len + 1;
	}
	return 0;
}

/* "x/..", of which NAME is x: if that is a link, a shell goes on where it leads to, and only the kernel
 * knows where. It may also be made first. */
static void go_back(struct modules *m, const char *name, bool is_absolute)
{
	size_t place = is_absolute ? skip_place(m, name) : 0;

	if ((is_absolute && !place) || !modules_may_look(m))
		return;
	AUTO_CLOSE int fd = beneath_open(m->dir, name + place, O_PATH | O_NOFOLLOW | O_DIRECTORY);
	if (fd < 0 && errno == ENOENT)
		modules_take_computed(m);
	else if (fd < 0)
		m->more = true;
}

/* One file has one name: "./", "//" and "x/.." are left out. false: it leads out of the workspace, and
 * not back. */
static bool make_plain(struct modules *m, char *name)
{
	bool is_absolute = *name == '/';
	static const char top[] = "workspace";
	bool outside = false;
	size_t len = 0;

	for (char *at = name, *next; *at; at = next) {
		size_t n = strcspn(at, "/");
		next = at + n + (at[n] == '/');
		if (n == 2 && memcmp(at, "..", 2) == 0) {
			outside |= !len;
			char behind = name[len];
			name[len] = '\0';
			if (len)
				go_back(m, name, is_absolute);
			name[len] = behind;
			while (len && name[--len] != '/')
				;
		} else if (outside && n == strlen(top) && memcmp(at, top, n) == 0) {
			outside = false;
		} else if (n && !(n == 1 && *at == '.')) {
			if (len)
				name[len++] = '/';
			memmove(name + len, at, n);
			len += n;
		}
		if (outside && len)
			return false;
	}
	name[len] = '\0';
	return len && !outside;
}

/* false: there can be none, or it is too long, and that is told. */
static bool make_name(struct modules *m, const char *base, struct text path, const char *end,
		      char *ret)
{
	int n = snprintf(ret, NAME_MAX_ALL, "%s%.*s%s", base, (int)path.len, path.s, end);

	m->more |= n >= NAME_MAX_ALL;
	return n < NAME_MAX_ALL && make_plain(m, ret);
}

/* A path without the directory that the workspace is; RET is where it is put. false: it lies elsewhere. */
static bool find_path(struct modules *m, struct text *path, char *ret)
{
	if (begins(*path, "file://"))
		cut(path, strlen("file://"));
	if (!path->len || *path->s != '/')
		return path->len;
	size_t place = make_name(m, "", *path, "", ret) ? skip_place(m, ret) : 0;
	*path = (struct text){ret + place, place ? strlen(ret + place) : 0};
	return place;
}

static int add_follow(struct modules *m, const char *base, struct text path,
		      const char *const *follow, struct err *err)
{
	char name[NAME_MAX_ALL];

	for (; *follow; follow++) {
		if (make_name(m, base, path, *follow, name) && modules_add_file(m, name, err) < 0)
			return -1;
	}
	return 0;
}

int modules_add_path(struct reader *r, struct text path, const char *const *follow, struct err *err)
{
	struct modules *m = r->m;
	char name[NAME_MAX_ALL];

	path = constant_end(path);
	m->more |= path.len > MODULE_NAME_MAX;
	if (path.len > MODULE_NAME_MAX || !find_path(m, &path, name) || !modules_may_look(m))
		return 0;
	if (*r->base && add_follow(m, r->base, path, follow, err) < 0)
		return -1;
	return add_follow(m, "", path, follow, err);
}

void modules_take_computed(struct modules *m)
{
	m->takes = m->all = true;
}

/* What is behind a link counts as one. */
static mode_t kind_of(struct modules *m, const char *base, struct text path, const char *end)
{
	char name[NAME_MAX_ALL];
	struct stat st;

	if (!make_name(m, base, path, end, name))
		return 0;
	AUTO_CLOSE int fd = beneath_open(m->dir, name, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return errno == ELOOP || errno == EXDEV ? S_IFLNK : 0;
	return fstat(fd, &st) == 0 ? st.st_mode & S_IFMT : 0;
}

bool modules_is_plain(struct reader *r, struct text path)
{
	char name[NAME_MAX_ALL];

	path = constant_end(path);
	if (path.len > MODULE_NAME_MAX || !find_path(r->m, &path, name))
		return false;
	return kind_of(r->m, r->base, path, "") == S_IFREG;
}

/* Most words name nothing. */
static bool is_there(struct modules *m, const char *base, struct text path,
		     const char *const *follow)
{
	for (; *follow; follow++) {
		mode_t kind = kind_of(m, base, path, *follow);
		if (kind && kind != S_IFDIR)
			return true;
	}
	return false;
}

/* A directory that it names, in which others may be: path.join("lib", "x"). */
static int add_below(struct modules *m, const char *base, struct text path, struct err *err)
{
	char name[NAME_MAX_ALL];

	if (!make_name(m, base, path, "", name))
		return 0;
	char *below = arena_printf(&m->g->arena, "%s/", name);
	if (m->g->arena.failed)
		return err_memory(err);
	for (size_t i = 0; i < m->belowc; i++)
		if (strcmp(m->below[i], below) == 0)
			return 0;
	if (m->belowc < MODULE_BELOW_MAX)
		m->below[m->belowc++] = below;
	else
		m->more = true;
	return 0;
}

static int add_word(struct reader *r, struct text word, const char *const *follow, struct err *err)
{
	struct modules *m = r->m;
	char name[NAME_MAX_ALL];

	if (word.len > MODULE_NAME_MAX || memchr(word.s, '\0', word.len) ||
	    !find_path(m, &word, name))
		return 0;
	if (m->words == GATE_WORDS_MAX) {
		m->more = true;
		return 0;
	}
	m->words++;
	if (kind_of(m, r->base, word, "") == S_IFDIR && add_below(m, r->base, word, err) < 0)
		return -1;
	if (!m->takes)
		return 0;
	if ((!*r->base || !is_there(m, r->base, word, follow)) && !is_there(m, "", word, follow))
		return 0;
	return modules_add_path(r, word, follow, err);
}

/* "/x.sh" and "HERE/x.sh" may stand behind what is computed. */
static int add_run(struct reader *r, struct text run, struct err *err)
{
	bool is_path = *run.s == '.' || memchr(run.s, '/', run.len);
	const char *const *follow = is_path ? r->m->language->follow : as_it_is;
	const char *slash;

	for (int i = 0; i < PARTS_MAX; i++) {
		if (add_word(r, run, follow, err) < 0)
			return -1;
		if (*run.s == '.' || !(slash = memchr(run.s, '/', run.len)))
			return 0;
		cut(&run, (size_t)(slash + 1 - run.s));
		if (!run.len)
			return 0;
	}
	return 0;
}

/* From any quote to the next of its kind on that line: which of them begin, nobody asks. */
static int add_quoted(struct reader *r, const char *quote, struct err *err)
{
	struct text in = {.s = quote + 1};

	while (in.s + in.len < r->end && in.len <= MODULE_NAME_MAX && !is_in("\n", in.s[in.len]) &&
	       in.s[in.len] != *quote)
		in.len++;
	bool ends = in.s + in.len < r->end && in.s[in.len] == *quote;
	return ends && in.len ? add_word(r, in, r->m->language->follow, err) : 0;
}

int modules_add_words(struct reader *r, struct err *err)
{
	while (r->at < r->end) {
		struct text run = {.s = r->at};
		while (r->at < r->end && (modules_is_word(*r->at) || is_in("./@%+~-,", *r->at)))
			r->at++;
		run.len = (size_t)(r->at - run.s);
		if (run.len && add_run(r, run, err) < 0)
			return -1;
		if (!run.len && is_in("'\"`", *r->at) && add_quoted(r, r->at, err) < 0)
			return -1;
		r->at += !run.len;
	}
	return 0;
}

static int digit_of(char c, unsigned base)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | (c >= 'A' ? 0x20 : 0)) : NULL;

	return at && (unsigned)(at - digits) < base ? (int)(at - digits) : -1;
}

/* \x2e, \u002e, \u{2e}, \056; BLANKS are letters that stand for such. Returns how many bytes it was. */
static size_t take_escape(const char *s, const char *end, const char *blanks, uint32_t *ret)
{
	static const struct {
		char sign;
		unsigned base, digits;
	} rows[] = {{'x', 16, 2}, {'u', 16, 4}, {'U', 16, 8}, {'\0', 8, 3}};
	char sign = s < end ? *s : '\0';
	size_t row = 0, at = 1, n = 0;

	*ret = is_in(blanks, sign) ? ' ' : (unsigned char)sign;
	if (*ret >= 0x80) {
		*ret = 0; /* a part of a character, which stays as it is */
		return 0;
	}
	while (rows[row].sign && rows[row].sign != sign)
		row++;
	if (!rows[row].sign && digit_of(sign, 8) < 0)
		return s < end;
	at -= !rows[row].sign;
	bool braced = sign == 'u' && s + 1 < end && s[1] == '{';
	uint32_t value = 0;
	at += braced;
	for (; n < (braced ? 6 : rows[row].digits) && s + at < end; n++, at++) {
		int digit = digit_of(s[at], rows[row].base);
		if (digit < 0)
			break;
		value = value * rows[row].base + (uint32_t)digit;
	}
	if (!n)
		return 1;
	*ret = value <= 0x10ffff && value ? value : ' ';
	return at + (braced && s + at < end && s[at] == '}');
}

int modules_plain_text(const struct modules *m, struct text text, char **ret, size_t *ret_len,
		       struct err *err)
{
	const char *quotes = m->language->quotes, *end = text.s + text.len;
	size_t len = 0;

	/* A shell passes over NULs. */
	bool hides = text.len && (memchr(text.s, '\\', text.len) || memchr(text.s, '\0', text.len));
	for (const char *q = quotes; text.len && *q; q++)
		hides |= memchr(text.s, *q, text.len) != NULL;
	if (!hides)
		return 0;
	char *out = malloc(text.len + UTF8_CHAR_MAX + 1);
	if (!out)
		return err_memory(err);
	for (const char *s = text.s; s < end;) {
		uint32_t c;
		char sign = *s++;
		if (sign == '\\') {
			s += take_escape(s, end, *quotes ? "" : "abfnrtv", &c);
			if (c != '\n' && c)
				len += utf8_put(out + len, c);
		} else if (sign && !is_in(quotes, sign)) {
			out[len++] = sign;
		}
	}
	out[len] = '\0';
	*ret = out;
	*ret_len = len;
	return 0;
}
