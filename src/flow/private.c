/* SPDX-License-Identifier: MIT
 *
 * Cordon chooses the name; cordon-box makes it in /tmp and locks it while it is in use; at the end
 * whoever of the two is left removes it. When both are killed at once the next run sweeps it away:
 * the lock tells that nobody lives there, the owner that it is ours. Other people's directories
 * are never touched; that is why the run's own, whose owner may be anybody, lies in one of ours.
 */
#include "flow/private.h"

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

int private_choose(struct private *p, struct err *err)
{
	uint64_t r;

	if (getrandom(&r, sizeof(r), 0) != sizeof(r))
		return err_errno(err, ERR_SYSTEM, "choosing a private directory");
	snprintf(p->path, sizeof(p->path), "/tmp/" PREFIX "%016llx", (unsigned long long)r);
	snprintf(p->inner, sizeof(p->inner), "%s/run", p->path);
	return 0;
}

void private_close(struct private *p)
{
	if (p->path[0])
		files_remove_tree(AT_FDCWD, p->path);
	p->path[0] = '\0';
}

/* The inner one belongs to the box's user, the outer one to whoever ran it. */
static bool is_ours(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && st.st_uid == geteuid();
}

void private_sweep(void)
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
