/* SPDX-License-Identifier: MIT
 *
 * Cordon chooses the name. cordon-box creates the directory in /tmp and holds a lock on it during
 * the run. At the end cordon or cordon-box removes it; if both were killed, the next run does. A
 * directory without a lock is not in use. Only directories of this user are ever removed; the
 * run's own directory may belong to another id, so it lies inside one of this user's.
 */
#include "live/private_path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/scope.h"

#define PREFIX ".cordon-private-"
#define NAME_LEN (sizeof(PREFIX) - 1 + 16)

int private_path_choose(struct private_path *p, struct err *err)
{
	uint64_t r;

	if (getrandom(&r, sizeof(r), 0) != sizeof(r))
		return err_errno(err, ERR_SYSTEM, "choosing a private directory");
	snprintf(p->path, sizeof(p->path), "/tmp/" PREFIX "%016llx", (unsigned long long)r);
	snprintf(p->inner, sizeof(p->inner), "%s/run", p->path);
	return 0;
}

void private_path_close(struct private_path *p)
{
	if (p->path[0])
		files_remove_tree(AT_FDCWD, p->path);
	p->path[0] = '\0';
}

/* The outer directory belongs to the user that ran cordon. */
static bool is_ours(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_uid == geteuid();
}

void private_path_sweep(void)
{
	AUTO_CLOSEDIR DIR *d = opendir("/tmp");

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (strncmp(e->d_name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
		    strlen(e->d_name) != NAME_LEN)
			continue;
		AUTO_CLOSE int dir = openat(dirfd(d), e->d_name,
					    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir >= 0 && is_ours(dir) && flock(dir, LOCK_EX | LOCK_NB) == 0)
			files_remove_tree(dirfd(d), e->d_name);
	}
}
