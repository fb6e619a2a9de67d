/* SPDX-License-Identifier: MIT
 *
 * The private directory of a run without namespaces. It belongs to the box's user, who may be
 * anybody; the directory around it is ours and says whose run it was, so that a later run of ours
 * may remove both when all of us were killed. The lock on the outer one tells that we live.
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

/* Between mkdir and lock somebody's sweep may take it for a dead one's: then once more. */
int private_make(struct box *b, struct err *err)
{
	char outer[PATH_MAX];

	outer_path(b, outer);
	for (int tries = 0; tries < TRIES; tries++) {
		/* The box's user must get through it, and see nothing in it. */
		if (mkdir(outer, 0711) < 0)
			break;
		b->private_lock = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (b->private_lock >= 0 && flock(b->private_lock, LOCK_EX) == 0 &&
		    mkdir(b->spec->private_dir, 0700) == 0)
			return 0;
		if (errno != ENOENT)
			break; /* with the lock: private_remove will come */
		scope_close(&b->private_lock);
	}
	return err_errno(err, ERR_SYSTEM, "making %s", b->spec->private_dir);
}

void private_remove(const struct box *b)
{
	char outer[PATH_MAX];

	if (b->private_lock < 0)
		return;
	outer_path(b, outer);
	files_remove_tree(AT_FDCWD, outer);
}
