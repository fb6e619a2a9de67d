/* SPDX-License-Identifier: MIT
 *
 * See parent_dir.h. It reads only names.
 */
#include "base/parent_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"

bool parent_dir_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int parent_dir_open(int fd, const struct stat *st)
{
	static const char gone[] = " (deleted)";
	char link[64], path[PATH_MAX];
	struct stat there;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0 || path[0] != '/' || n == sizeof(path) - 1)
		return -1;
	path[n] = '\0';
	char *name = strrchr(path, '/') + 1, *end = path + n - (sizeof(gone) - 1);
	bool deleted = st->st_nlink == 0 && end > name && strcmp(end, gone) == 0;
	char first = *name;
	*name = '\0';
	AUTO_CLOSE int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*name = first;
	if (dir >= 0 && !deleted &&
	    (fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
	     !parent_dir_is_same(&there, st)))
		return -1;
	return scope_take_fd(&dir);
}
