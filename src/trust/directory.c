/* SPDX-License-Identifier: MIT
 *
 * All entries and marks are one row of the store. A decision expects the row's version, so that it
 * cannot miss a mark that was made meanwhile.
 */
#include "trust/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parent_dir.h"
#include "base/scope.h"
#include "trust/pack.h"

#define KEY "directories"
enum { ROW_VERSION = 1 };

static int identify(int fd, struct directory_identity *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) < 0)
		return -1;
	*ret = (struct directory_identity){.inode = st.stx_ino};
	if (st.stx_mask & STATX_BTIME)
		ret->born_ns = (uint64_t)st.stx_btime.tv_sec * 1000000000U + st.stx_btime.tv_nsec;
	return 0;
}

/* The name that the kernel gives for an open directory has no links. A removed directory has none. */
static int name_of(int fd, char ret[PATH_MAX], struct err *err)
{
	char link[64];
	struct stat st, there;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, ret, PATH_MAX - 1);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading %s", link);
	ret[n] = '\0';
	if (ret[0] != '/' || fstat(fd, &st) < 0 || stat(ret, &there) < 0 ||
	    !parent_dir_is_same(&st, &there))
		return err_set(err, ERR_INPUT, "the directory has been moved or removed");
	return 0;
}

static size_t depth_of(const char *path)
{
	size_t depth = 1;

	for (const char *at = path; *at; at++)
		depth += *at == '/' && at[1];
	return depth;
}

static int open_directory(int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "reading its attributes");
	int dir = S_ISDIR(st.st_mode) ? openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC)
				      : parent_dir_open(fd, &st);
	return dir < 0 ? err_errno(err, ERR_INPUT, "opening its directory") : dir;
}

static int find(int fd, struct directory_place *ret, struct err *err)
{
	AUTO_CLOSE int dir = open_directory(fd, err);

	if (dir < 0 || name_of(dir, ret->path, err) < 0)
		return -1;
	size_t depth = depth_of(ret->path);
	if (depth > DIRECTORY_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "it lies deeper than %d directories",
			       DIRECTORY_DEPTH_MAX);
	for (ret->depth = 0; ret->depth < depth; ret->depth++) {
		if (identify(dir, &ret->identity[ret->depth]) < 0)
			return err_errno(err, ERR_SYSTEM,
					 "reading the attributes of a parent directory");
		int up = openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0)
			return err_errno(err, ERR_SYSTEM, "opening a parent directory");
		scope_close(&dir);
		dir = up;
	}
	return 0;
}

int directory_find(int fd, const char *name, struct directory_place *ret, struct err *err)
{
	if (find(fd, ret, err) == 0)
		return 0;
	err_context(err, "%.200s", name);
	return -1;
}

static int unpack(struct directories *d, const struct store_item *item, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION;
	size_t count = (size_t)unpack_uint(&u, 2);
	char path[PATH_MAX], by[DIRECTORY_BY_MAX + 1];

	for (d->count = 0; !u.failed && d->count < count && d->count < DIRECTORIES_MAX;
	     d->count++) {
		struct directory *e = &d->list[d->count];
		e->kind = (enum directory_kind)unpack_enum(&u, DIRECTORY_KINDS);
		unpack_text(&u, path, sizeof(path));
		e->identity.inode = unpack_uint(&u, 8);
		e->identity.born_ns = unpack_uint(&u, 8);
		e->time_us = unpack_uint(&u, 8);
		unpack_text(&u, by, sizeof(by));
		e->path = arena_dup(&d->arena, u.failed ? "" : path);
		e->by = arena_dup(&d->arena, u.failed ? "" : by);
	}
	if (d->arena.failed)
		return err_memory(err);
	if (old || d->count != count || !unpack_is_done(&u))
		return err_set(err, ERR_INPUT, "the list of trusted directories is damaged");
	d->version = item->version;
	return 0;
}

int directories_load(struct keeper *k, struct directories *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};

	directories_done(ret);
	if (store_get(k->store, STORE_DIRECTORY, KEY, &item, err) < 0)
		return -1;
	return item.version ? unpack(ret, &item, err) : 0;
}

void directories_done(struct directories *d)
{
	arena_done(&d->arena);
	d->arena = (struct arena){0};
	d->count = 0;
	d->version = 0;
}

void directories_expect(const struct directories *d, struct store_tx *tx)
{
	if (d->version)
		store_expect(tx, STORE_DIRECTORY, KEY, d->version);
	else
		directories_put(d, tx); /* the commit fails if another process added it */
}

void directories_put(const struct directories *d, struct store_tx *tx)
{
	AUTO_FREE uint8_t *row = malloc(DIRECTORIES_BYTES);
	struct packer p = {.data = row, .room = row ? DIRECTORIES_BYTES : 0};

	pack_uint(&p, ROW_VERSION, 1);
	pack_uint(&p, d->count, 2);
	for (size_t i = 0; i < d->count; i++) {
		const struct directory *e = &d->list[i];
		pack_uint(&p, e->kind, 1);
		pack_text(&p, e->path);
		pack_uint(&p, e->identity.inode, 8);
		pack_uint(&p, e->identity.born_ns, 8);
		pack_uint(&p, e->time_us, 8);
		pack_text(&p, e->by);
	}
	if (p.failed || d->arena.failed)
		err_set(&tx->failed, ERR_LIMIT, "the list of trusted directories is full");
	else
		store_put(tx, STORE_DIRECTORY, KEY, row, p.len, d->version);
}

bool directory_holds(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(dir, path, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Written by the package manager, the same for every account. */
static const char *const system_paths[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"};

static bool is_system(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(system_paths); i++)
		if (directory_holds(system_paths[i], path))
			return true;
	return false;
}

static bool is_same(const struct directory *e, const struct directory_place *at)
{
	size_t up = at->depth - depth_of(e->path);
	const struct directory_identity *now = &at->identity[up];

	return now->inode == e->identity.inode && now->born_ns == e->identity.born_ns;
}

/* The entry with the longest path that holds the place. */
static const struct directory *nearest(const struct directories *d,
				       const struct directory_place *at)
{
	const struct directory *best = NULL;

	for (size_t i = 0; i < d->count; i++) {
		const struct directory *e = &d->list[i];
		if (e->kind != DIRECTORY_MARK && directory_holds(e->path, at->path) &&
		    (!best || strlen(e->path) > strlen(best->path)))
			best = e;
	}
	return best;
}

/* Is there a mark at or below the place, or one above it that is newer than the entry? */
static bool is_marked(const struct directories *d, const struct directory_place *at,
		      uint64_t trusted_us)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct directory *m = &d->list[i];
		if (m->kind == DIRECTORY_MARK &&
		    (directory_holds(at->path, m->path) ||
		     (directory_holds(m->path, at->path) && m->time_us >= trusted_us)))
			return true;
	}
	return false;
}

const char *directory_why_words(enum directory_why why)
{
	static const char *const words[] = {
		[DIRECTORY_NO_ENTRY] = "is untrusted",
		[DIRECTORY_SAID] = "is untrusted",
		[DIRECTORY_REPLACED] = "is not the directory that was trusted",
		[DIRECTORY_MARKED] = "was changed by exposed code",
	};

	return words[why];
}

struct directory_answer directory_judge(const struct directories *d,
					const struct directory_place *at)
{
	const struct directory *e = nearest(d, at);
	struct directory_answer a = {.why = DIRECTORY_NO_ENTRY};

	if (!e && !is_system(at->path))
		return a;
	a.why = e && e->kind == DIRECTORY_UNTRUSTED ? DIRECTORY_SAID
		: e && !is_same(e, at)		    ? DIRECTORY_REPLACED
						    : DIRECTORY_GOOD;
	if (a.why == DIRECTORY_GOOD && is_marked(d, at, e ? e->time_us : 0))
		a.why = DIRECTORY_MARKED;
	a.trusted = a.why == DIRECTORY_GOOD;
	return a;
}

static void remove_at(struct directories *d, size_t i)
{
	d->list[i] = d->list[--d->count];
}

static void remove_entry(struct directories *d, const char *path)
{
	for (size_t i = d->count; i-- > 0;)
		if (d->list[i].kind != DIRECTORY_MARK && strcmp(d->list[i].path, path) == 0)
			remove_at(d, i);
}

static int add(struct directories *d, enum directory_kind kind, const struct directory_place *at,
	       const char *by, uint64_t now_us, struct err *err)
{
	if (d->count == DIRECTORIES_MAX) {
		err_set(err, ERR_LIMIT, "at most %d directories are trusted or marked",
			DIRECTORIES_MAX);
		err_cure(err, "remove entries of directories that no longer exist: cordon trust "
			      "list, cordon untrust DIR");
		return -1;
	}
	d->list[d->count++] =
		(struct directory){.kind = kind,
				   .path = arena_dup(&d->arena, at->path),
				   .identity = at->identity[0],
				   .time_us = now_us,
				   .by = arena_printf(&d->arena, "%.*s", DIRECTORY_BY_MAX, by)};
	return d->arena.failed ? err_memory(err) : 0;
}

int directory_set(struct directories *d, const struct directory_place *at, bool trusted,
		  const char *by, uint64_t now_us, struct err *err)
{
	remove_entry(d, at->path);
	for (size_t i = d->count; trusted && i-- > 0;)
		if (d->list[i].kind == DIRECTORY_MARK && directory_holds(at->path, d->list[i].path))
			remove_at(d, i);
	return add(d, trusted ? DIRECTORY_TRUSTED : DIRECTORY_UNTRUSTED, at, by, now_us, err);
}

/* Is a trusted directory at, above or below the path? *RET_NEWEST: the latest time of trusting one. */
static bool concerns_trusted(const struct directories *d, const char *path, uint64_t *ret_newest)
{
	bool any = is_system(path);

	*ret_newest = 0;
	for (size_t i = 0; i < d->count; i++) {
		const struct directory *e = &d->list[i];
		if (e->kind != DIRECTORY_TRUSTED ||
		    (!directory_holds(e->path, path) && !directory_holds(path, e->path)))
			continue;
		any = true;
		if (e->time_us > *ret_newest)
			*ret_newest = e->time_us;
	}
	return any;
}

bool directory_forget(struct directories *d, const char *path)
{
	bool found = false;
	uint64_t newest;

	for (size_t i = 0; i < d->count; i++)
		if (d->list[i].kind != DIRECTORY_MARK && strcmp(d->list[i].path, path) == 0) {
			d->list[i].kind = DIRECTORY_UNTRUSTED;
			found = true;
		}
	for (size_t i = d->count; i-- > 0;) {
		const struct directory *e = &d->list[i];
		bool is_meant = e->kind == DIRECTORY_MARK ? directory_holds(path, e->path)
							  : strcmp(e->path, path) == 0;
		if (is_meant && !concerns_trusted(d, e->path, &newest)) {
			remove_at(d, i);
			found = true;
		}
	}
	return found;
}

/* The first mark after the latest trusting stays: it shows since when files may have changed. */
int directory_mark(struct directories *d, const struct directory_place *at, const char *run,
		   uint64_t now_us, struct err *err)
{
	uint64_t newest;

	if (!concerns_trusted(d, at->path, &newest))
		return 0;
	for (size_t i = 0; i < d->count; i++)
		if (d->list[i].kind == DIRECTORY_MARK && strcmp(d->list[i].path, at->path) == 0 &&
		    d->list[i].time_us >= newest)
			return 1;
	return add(d, DIRECTORY_MARK, at, run, now_us, err) < 0 ? -1 : 1;
}
