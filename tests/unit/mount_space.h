/* SPDX-License-Identifier: MIT
 *
 * A mount namespace of the test's own: what it mounts, no other process sees.
 */
#ifndef CORDON_UNIT_MOUNT_SPACE_H
#define CORDON_UNIT_MOUNT_SPACE_H

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/io.h"

/* An ordinary user needs a user namespace for it, in which they keep their account. */
static inline int enter_mount_space(void)
{
	unsigned uid = geteuid(), gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
		return -1;
	if (uid) {
		io_write_text(AT_FDCWD, "/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "%u %u 1", gid, gid);
		io_write_text(AT_FDCWD, "/proc/self/gid_map", map);
		snprintf(map, sizeof(map), "%u %u 1", uid, uid);
		io_write_text(AT_FDCWD, "/proc/self/uid_map", map);
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

#endif
