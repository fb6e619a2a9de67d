/* SPDX-License-Identifier: MIT
 *
 * openat2 with the RESOLVE flags that keep a path inside: the kernel checks each component while it
 * walks, so there is no race between check and open.
 */
#include "base/subpath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int subpath_open(int dir, const char *path, uint64_t flags)
{
	struct open_how how = {.flags = flags | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					  RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

int subpath_open_parent(int dir, const char *path, const char **ret_name)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (slash && (size_t)(slash - path) >= sizeof(parent)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	*ret_name = slash ? slash + 1 : path;
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
	return subpath_open(dir, parent, O_PATH | O_DIRECTORY);
}

bool subpath_is_clean(const char *path, size_t len)
{
	if (strlen(path) != len || path[0] == '/')
		return false;
	for (const char *p = path; *p; p += strcspn(p, "/"), p += *p == '/') {
		size_t part = strcspn(p, "/");
		if (part == 0 || (part == 1 && p[0] == '.') ||
		    (part == 2 && p[0] == '.' && p[1] == '.'))
			return false;
	}
	return true;
}
