/* SPDX-License-Identifier: MIT
 *
 * openat2 with every RESOLVE flag that keeps a name inside: the kernel checks each part while it
 * walks, so there is no moment between looking and opening.
 */
#include "flow/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/limit.h"

int beneath_open(int dir, const char *path, uint64_t flags)
{
	struct open_how how = {.flags = flags | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					  RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

int beneath_open_parent(int dir, const char *path, const char **ret_name)
{
	char parent[CORDON_CHANGE_PATH_MAX + 1];
	const char *slash = strrchr(path, '/');

	*ret_name = slash ? slash + 1 : path;
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
	return beneath_open(dir, parent, O_PATH | O_DIRECTORY);
}
