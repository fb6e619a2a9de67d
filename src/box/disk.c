/* SPDX-License-Identifier: MIT
 *
 * Adds up the sizes in the run's directory, without following links, until the sum exceeds the limit. The
 * program changes the directory meanwhile: a missing entry is skipped, one without permission is an error.
 * It does not see deleted files that are only mapped.
 */
#include "box/disk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "model/limit.h"

enum { LEVELS_OPEN = 16, WALK_TRIES = 8 };

struct inode {
	ino_t number;
	uint64_t bytes;
};

struct walk {
	uint64_t sum, max;
	dev_t device;
	struct inode *deleted; /* one file may be open many times */
	size_t count, size;
};

static bool is_gone(void)
{
	return errno == ENOENT || errno == ESRCH || errno == ENOTDIR || errno == ELOOP;
}

static DIR *open_below(int at, const char *name)
{
	/* The access time would tell the program how far the walk is, and where to hide files from it. */
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM) /* another owner: in /proc, which has no access times */
		fd = openat(at, name, flags);

	return fd < 0 ? NULL : fdopendir(fd);
}

/* A file with several hard links is counted in parts, one for each. */
static uint64_t entry_bytes(const struct stat *st)
{
	uint64_t names = S_ISDIR(st->st_mode) || st->st_nlink == 0 ? 1 : st->st_nlink;

	return DISK_ENTRY_BYTES + (uint64_t)st->st_blocks * 512U / names;
}

/* Names of directories, each with its NUL. */
struct names {
	char *text;
	size_t len, size;
};

static int add_name(struct names *n, const char *name)
{
	size_t len = strlen(name) + 1;

	if (n->len + len > n->size) {
		size_t size = 2 * n->size + NAME_MAX + 1;
		char *grown = realloc(n->text, size);
		if (!grown)
			return -1;
		n->text = grown;
		n->size = size;
	}
	memcpy(n->text + n->len, name, len);
	n->len += len;
	return 0;
}

/* Adds up the entries of D, and lists its directories. */
static int read_level(struct walk *w, DIR *d, struct names *ret)
{
	struct stat st;

	for (struct dirent *e; w->sum <= w->max && (e = io_readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (!is_gone())
				return -1;
			continue;
		}
		w->sum += entry_bytes(&st);
		if (S_ISDIR(st.st_mode) && add_name(ret, e->d_name) < 0)
			return -1;
	}
	return w->sum <= w->max && errno ? -1 : 0;
}

/* Goes back to the directory HERE. ESTALE: the program has moved CHILD to another one. */
static DIR *climb(DIR *child, const struct stat *here)
{
	struct stat st;
	AUTO_CLOSE int fd = openat(dirfd(child), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	if (st.st_dev != here->st_dev || st.st_ino != here->st_ino) {
		errno = ESTALE;
		return NULL;
	}
	DIR *d = fdopendir(fd);
	if (d)
		scope_take_fd(&fd);
	return d;
}

static int walk_below(struct walk *w, DIR **dir, unsigned depth);

/* The first levels stay open; deeper ones are closed and opened again on the way back, so that a deep tree
 * needs few descriptors. */
static int visit(struct walk *w, DIR **dir, const char *name, unsigned depth)
{
	AUTO_CLOSEDIR DIR *child = open_below(dirfd(*dir), name);
	struct stat here;

	if (!child)
		return is_gone() ? 0 : -1;
	if (depth < LEVELS_OPEN)
		return walk_below(w, &child, depth);
	if (fstat(dirfd(*dir), &here) < 0)
		return -1;
	closedir(*dir);
	*dir = NULL;
	if (walk_below(w, &child, depth) < 0)
		return -1;
	*dir = climb(child, &here);
	return *dir ? 0 : -1;
}

/* DEPTH: of *DIR below the first. *DIR is open again afterwards, or NULL on failure. */
static int walk_below(struct walk *w, DIR **dir, unsigned depth)
{
	AUTO_FREE char *text = NULL;
	struct names names = {0};
	int r = read_level(w, *dir, &names);

	text = names.text;
	if (names.len && depth == CORDON_DISK_DEPTH_MAX)
		w->sum = w->max + 1;
	for (size_t at = 0; r == 0 && at < names.len && w->sum <= w->max;
	     at += strlen(text + at) + 1)
		r = visit(w, dir, text + at, depth + 1);
	return r;
}

/* Starts again if the program has moved the directory; it cannot do that each time. */
static int walk_all(struct walk *w, const char *dir)
{
	int r = -1;

	errno = ESTALE;
	for (int i = 0; i < WALK_TRIES && r < 0 && errno == ESTALE; i++) {
		AUTO_CLOSEDIR DIR *d = open_below(AT_FDCWD, dir);
		w->sum = 0;
		r = d ? walk_below(w, &d, 0) : -1;
	}
	return r;
}

static int keep(struct walk *w, const struct stat *st)
{
	if (w->count == w->size) {
		size_t size = w->size ? w->size * 2 : 64;
		struct inode *grown = realloc(w->deleted, size * sizeof(*grown));
		if (!grown)
			return -1;
		w->deleted = grown;
		w->size = size;
	}
	w->deleted[w->count++] = (struct inode){st->st_ino, (uint64_t)st->st_blocks * 512U};
	return 0;
}

/* /proc/PID/fd/N leads to the file itself, even if it has no name. */
static int find_deleted(struct walk *w, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	AUTO_CLOSEDIR DIR *d = open_below(AT_FDCWD, path);
	if (!d) /* a process that is ending cannot be read */
		return is_gone() || errno == EACCES || errno == EPERM ? 0 : -1;
	for (struct dirent *e; (e = io_readdir(d));)
		if (isdigit((unsigned char)e->d_name[0]) &&
		    fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode) &&
		    st.st_nlink == 0 && st.st_dev == w->device && keep(w, &st) < 0)
			return -1;
	return errno && !is_gone() ? -1 : 0;
}

static int by_number(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void add_deleted(struct walk *w)
{
	if (w->count)
		qsort(w->deleted, w->count, sizeof(*w->deleted), by_number);
	for (size_t i = 0; i < w->count; i++)
		if (i == 0 || w->deleted[i].number != w->deleted[i - 1].number)
			w->sum += w->deleted[i].bytes;
}

int disk_measure(const char *dir, const struct tree_row *rows, size_t count, uint64_t max,
		 uint64_t *ret)
{
	struct walk w = {.max = max};
	struct stat st;

	if (stat(dir, &st) < 0)
		return -1;
	w.device = st.st_dev;
	int r = walk_all(&w, dir);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = find_deleted(&w, rows[i].shown);
	add_deleted(&w);
	free(w.deleted);
	if (r == 0)
		*ret = w.sum;
	return r;
}
