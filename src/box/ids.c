/* SPDX-License-Identifier: MIT
 *
 * The ids of the box on the host. For an ordinary user they are the user's own. Root's boxes never run as
 * root: they get the ids of the workspace's owner, or ids that no account has. The supervisor writes the
 * maps before the child becomes non-dumpable, because from then on its /proc belongs to root and an ordinary
 * user could not write them (a race that failed one start in ten).
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/sys.h"

/* PROC_USER_INIT_INO: the first user namespace has had this number since Linux 3.8. */
#define HOST_USERNS_INODE 0xeffffffdU

/* Avoids /proc/self, whose entries the kernel must remove again at exit. */
static int stat_own_userns(struct stat *ret)
{
	AUTO_CLOSE int self = sys_pidfd_open(getpid());
	AUTO_CLOSE int space = self < 0 ? -1 : ioctl(self, PIDFD_GET_USER_NAMESPACE, 0);

	return space >= 0 ? fstat(space, ret) : stat("/proc/self/ns/user", ret); /* before 6.11 */
}

/* Root of a user namespace (a rootless container) has no spare ids, and counts as an ordinary user. */
static bool is_root_of_host(void)
{
	struct stat st;

	return geteuid() == 0 && stat_own_userns(&st) == 0 && st.st_ino == HOST_USERNS_INODE;
}

int ids_choose(struct box *b, struct err *err)
{
	struct stat st;

	b->privileged = is_root_of_host();
	b->outer_uid = geteuid();
	b->outer_gid = getegid();
	if (!b->privileged)
		return 0;
	b->outer_uid = b->outer_gid = SPEC_FREE_ID_BASE + (unsigned)getpid();
	if (b->spec->workspace == WORKSPACE_NONE)
		return 0;
	if (fstat(WORKSPACE_FD, &st) < 0)
		return err_errno(err, ERR_INPUT, "looking at the workspace");
	if (st.st_uid != 0 && st.st_gid != 0) {
		b->outer_uid = st.st_uid;
		b->outer_gid = st.st_gid;
	} else {
		b->idmap_workspace = true;
	}
	return 0;
}

static int write_map(pid_t pid, const char *file, const char *text, struct err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	if (io_write_text(AT_FDCWD, path, text) < 0) {
		err_errno(err, ERR_LAYER, "writing %s", file);
		err_blame(err, "userns");
		diagnose_layer(err, LAYER_USERNS);
		return -1;
	}
	return 0;
}

static int write_maps(pid_t pid, unsigned uid, unsigned outer_uid, unsigned gid, unsigned outer_gid,
		      bool privileged, struct err *err)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 1\n", uid, outer_uid);
	if (write_map(pid, "uid_map", text, err) < 0)
		return -1;
	/* CVE-2014-8989: otherwise a user could drop a group that denies them access. */
	if (!privileged && write_map(pid, "setgroups", "deny", err) < 0)
		return -1;
	snprintf(text, sizeof(text), "%u %u 1\n", gid, outer_gid);
	return write_map(pid, "gid_map", text, err);
}

int ids_map(const struct box *b, pid_t pid, struct err *err)
{
	return write_maps(pid, BOX_UID, b->outer_uid, BOX_GID, b->outer_gid, b->privileged, err);
}

int ids_become(struct box *b, struct err *err)
{
	bool mapped = b->layers & LAYER_BIT(LAYER_USERNS);
	uid_t uid = mapped ? BOX_UID : b->outer_uid;
	gid_t gid = mapped ? BOX_GID : b->outer_gid;

	if (b->privileged && setgroups(0, NULL) < 0)
		return err_errno(err, ERR_LAYER, "dropping groups");
	if (setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return err_errno(err, ERR_LAYER, "becoming the box's user");
	return 0;
}

/* Makes a user namespace only for its map, from which an id-mapped mount is made. */
int ids_open_map(const struct box *b, uid_t from_uid, gid_t from_gid, struct err *err)
{
	int pipe_fds[2];
	char path[64], byte;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_errno(err, ERR_SYSTEM, "making a pipe");
	struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
	pid_t pid = sys_clone3(&args);
	if (pid == 0) {
		close(pipe_fds[1]);
		_exit(read(pipe_fds[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(pipe_fds[0]);
	AUTO_CLOSE int hold = pipe_fds[1];
	if (pid < 0)
		return err_errno(err, ERR_LAYER, "making a user namespace for the workspace");
	int fd = -1;
	if (write_maps(pid, from_uid, b->outer_uid, from_gid, b->outer_gid, true, err) == 0) {
		snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			err_errno(err, ERR_SYSTEM, "opening %s", path);
	}
	scope_close(&hold);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return fd;
}
