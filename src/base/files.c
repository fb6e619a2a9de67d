/* SPDX-License-Identifier: MIT
 *
 * Removes a tree that may be deeper than PATH_MAX or the stack allow, and may have directories
 * without permissions. Each subdirectory is renamed to the top level, until all directories are
 * flat. That needs no recursion, no long path and two descriptors.
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

/* Is it a name made by lift, or one like it? empty_lifted handles all of these. */
static bool is_lifted(const char *name, unsigned serial)
{
	unsigned n;
	char again[32];

	if (sscanf(name, ".cordon-%u", &n) != 1)
		return false;
	snprintf(again, sizeof(again), ".cordon-%u", n);
	return strcmp(again, name) == 0 && n < serial;
}

/* Hostile code may have used our names: try the next number. */
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

/* Moving a directory needs write permission on it. The mode is changed only for EACCES: on EBUSY
 * the name is a mount point, and chmod would change the mounted directory. */
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

/* A directory that changes while it is read may hide entries: repeat until it is empty. */
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

/* rename does not cross mounts (EXDEV) or move mount points (EBUSY), so only the top itself must be
 * checked. A bind mount may have the same device number. */
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
