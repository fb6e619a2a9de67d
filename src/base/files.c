/* SPDX-License-Identifier: MIT
 *
 * A tree can be deeper than any path or any stack allows, and its directories can be closed to
 * their owner. So: one level at a time, always the first directory found is moved up to the top
 * level until only flat directories are left. No recursion, no long path, two descriptors.
 */
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

static int open_dir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == EACCES && fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A name we gave, or one that looks so: empty_lifted comes by all of them. */
static bool is_lifted(const char *name, unsigned serial)
{
	unsigned n;
	char again[32];

	if (sscanf(name, ".cordon-%u", &n) != 1)
		return false;
	snprintf(again, sizeof(again), ".cordon-%u", n);
	return strcmp(again, name) == 0 && n < serial;
}

/* The next free number: hostile code may have used our names. */
static int lift(int top, int dir, const char *name, unsigned *serial)
{
	char lifted[32];

	for (int tries = 0; tries < 65536; tries++) {
		snprintf(lifted, sizeof(lifted), ".cordon-%u", (*serial)++);
		if (renameat(dir, name, top, lifted) == 0)
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			return -1;
	}
	return -1;
}

/* A closed directory must be opened to be moved. Only then: the name may be a mount's (EBUSY), and
 * the mode would be that of what is mounted. */
static int lift_closed(int top, int dir, const char *name, unsigned *serial)
{
	if (lift(top, dir, name, serial) == 0)
		return 0;
	if (errno != EACCES || fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return lift(top, dir, name, serial);
}

/* Removes the files of one directory and lifts its directories to TOP under new names. */
static int flatten_once(int top, bool is_top, DIR *d, unsigned *serial, bool *ret_changed)
{
	*ret_changed = false;
	rewinddir(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (is_dots(e->d_name) || (is_top && is_lifted(e->d_name, *serial)))
			continue;
		*ret_changed = true;
		if (unlinkat(dirfd(d), e->d_name, 0) == 0 || errno == ENOENT)
			continue;
		if (errno != EISDIR && errno != EPERM)
			return -1;
		if (unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR) < 0 &&
		    lift_closed(top, dirfd(d), e->d_name, serial) < 0)
			return -1;
	}
	return 0;
}

/* A directory that changes while it is read may hide entries: again until nothing is seen. */
static int flatten(int top, bool is_top, int dir, unsigned *serial)
{
	AUTO_CLOSEDIR DIR *d = fdopendir(dir);
	bool changed = d != NULL;

	if (!d)
		return -1;
	(void)!fchmod(dirfd(d), 0700);
	while (changed)
		if (flatten_once(top, is_top, d, serial, &changed) < 0)
			return -1;
	return 0;
}

static int empty_lifted(int top, unsigned *serial)
{
	char name[32];

	for (unsigned i = 0; i < *serial; i++) {
		snprintf(name, sizeof(name), ".cordon-%u", i);
		if (unlinkat(top, name, 0) == 0 || unlinkat(top, name, AT_REMOVEDIR) == 0 ||
		    errno == ENOENT)
			continue;
		int fd = open_dir(top, name);
		if (fd < 0 || flatten(top, false, fd, serial) < 0 ||
		    unlinkat(top, name, AT_REMOVEDIR) < 0)
			return -1;
	}
	return 0;
}

/* Lifting by rename never crosses a mount (EXDEV), and a mount point is neither moved nor removed
 * (EBUSY); only the top itself could be one. Its device may be the same: a bind mount's is. */
static bool is_mount(int top)
{
	struct statx st;

	return statx(top, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0 ||
	       !(st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

int files_remove_tree(int dir, const char *name)
{
	unsigned serial = 0;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	int fd = open_dir(dir, name);
	AUTO_CLOSE int top = fd < 0 ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top >= 0 && is_mount(top)) {
		close(fd);
		errno = EBUSY;
		return -1;
	}
	if (top < 0 || flatten(top, true, fd, &serial) < 0 || empty_lifted(top, &serial) < 0)
		return -1;
	return unlinkat(dir, name, AT_REMOVEDIR);
}
