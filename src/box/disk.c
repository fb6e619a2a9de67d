/* SPDX-License-Identifier: MIT
 *
 * Walks the run's directory, without following a link, until the sum passes the limit. The
 * program changes it meanwhile: what is gone is skipped, what is closed to us is an error. Not
 * seen are files that were deleted and are only mapped any more.
 */
#include "box/disk.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

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
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? NULL : fdopendir(fd);
}

/* A file of several names is counted in parts, one for each. */
static uint64_t entry_bytes(const struct stat *st)
{
	uint64_t names = S_ISDIR(st->st_mode) || st->st_nlink == 0 ? 1 : st->st_nlink;

	return DISK_ENTRY_BYTES + (uint64_t)st->st_blocks * 512U / names;
}

static int walk_below(struct walk *w, int at, const char *name, int depth)
{
	AUTO_CLOSEDIR DIR *d = open_below(at, name);
	struct stat st;

	if (!d)
		return is_gone() ? 0 : -1;
	if (depth == DISK_DEPTH_MAX)
		w->sum = w->max + 1;
	for (struct dirent *e; w->sum <= w->max && (e = io_readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (!is_gone())
				return -1;
			continue;
		}
		w->sum += entry_bytes(&st);
		if (S_ISDIR(st.st_mode) && walk_below(w, dirfd(d), e->d_name, depth + 1) < 0)
			return -1;
	}
	return w->sum <= w->max && errno ? -1 : 0;
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

/* /proc/PID/fd/N leads to the file itself, whether it has a name or not. */
static int find_deleted(struct walk *w, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	AUTO_CLOSEDIR DIR *d = open_below(AT_FDCWD, path);
	if (!d) /* one that is ending is closed to us */
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
	int r = stat(dir, &st);

	w.device = st.st_dev;
	if (r == 0)
		r = walk_below(&w, AT_FDCWD, dir, 0);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = find_deleted(&w, rows[i].shown);
	add_deleted(&w);
	free(w.deleted);
	if (r == 0)
		*ret = w.sum;
	return r;
}
