/* SPDX-License-Identifier: MIT
 *
 * The private directory of a run without namespaces. It belongs to the box's user; the directory around it
 * belongs to cordon's user and is locked while the run lives. If all processes of a run were killed, a later
 * run finds the outer directory unlocked and removes both.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/scope.h"
#include "box/box.h"

enum { TRIES = 16 };

static void outer_path(const struct box *b, char outer[PATH_MAX])
{
	const char *dir = b->spec->private_dir;

	snprintf(outer, PATH_MAX, "%.*s", (int)(strrchr(dir, '/') - dir), dir);
}

/* Between mkdir and flock a sweep may take the directory for an abandoned one: then try again. */
int private_dir_make(struct box *b, struct err *err)
{
	char outer[PATH_MAX];

	outer_path(b, outer);
	for (int tries = 0; tries < TRIES; tries++) {
		/* The box's user must be able to enter it, but not to list it. */
		if (mkdir(outer, 0711) < 0)
			break;
		b->private_lock = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (b->private_lock >= 0 && flock(b->private_lock, LOCK_EX) == 0 &&
		    mkdir(b->spec->private_dir, 0700) == 0)
			return 0;
		if (errno != ENOENT)
			break; /* private_dir_remove removes it later */
		scope_close(&b->private_lock);
	}
	return err_errno(err, ERR_SYSTEM, "making %s", b->spec->private_dir);
}

void private_dir_remove(const struct box *b)
{
	char outer[PATH_MAX];

	if (b->private_lock < 0)
		return;
	outer_path(b, outer);
	files_remove_tree(AT_FDCWD, outer);
}
