/* SPDX-License-Identifier: MIT
 *
 * Made in /tmp, locked while in use, removed at the end by whoever of cordon and cordon-box is
 * left. When both are killed at once the next run sweeps it away: the lock tells that nobody
 * lives there, the owner that it is ours. Other people's directories are never touched.
 */
#include "flow/private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/scope.h"
#include "model/spec.h"

#define PREFIX ".cordon-private-"
#define PATTERN PREFIX "XXXXXX"

int private_open(struct private *p, struct err *err)
{
	/* Between mkdtemp and the lock a sweep may take it for a dead one's: then another one. */
	for (int tries = 0; tries < 16; tries++) {
		snprintf(p->path, sizeof(p->path), "/tmp/" PATTERN);
		if (!mkdtemp(p->path))
			break;
		p->lock = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (p->lock >= 0 && flock(p->lock, LOCK_EX) == 0 && access(p->path, F_OK) == 0)
			return 0;
		scope_close(&p->lock);
	}
	err_errno(err, ERR_SYSTEM, "making a private directory in /tmp");
	p->path[0] = '\0';
	return -1;
}

void private_close(struct private *p)
{
	if (p->path[0])
		files_remove_tree(AT_FDCWD, p->path);
	p->path[0] = '\0';
	scope_close(&p->lock);
}

/* Root's runs have ids that nobody else has. */
static bool is_ours(int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return false;
	return st.st_uid == geteuid() || (geteuid() == 0 && st.st_uid >= SPEC_FREE_ID_BASE);
}

void private_sweep(void)
{
	AUTO_CLOSEDIR DIR *d = opendir("/tmp");

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (strncmp(e->d_name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
		    strlen(e->d_name) != sizeof(PATTERN) - 1)
			continue;
		AUTO_CLOSE int dir = openat(dirfd(d), e->d_name,
					    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir >= 0 && is_ours(dir) && flock(dir, LOCK_EX | LOCK_NB) == 0)
			files_remove_tree(dirfd(d), e->d_name);
	}
}
