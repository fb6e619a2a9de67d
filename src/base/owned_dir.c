/* SPDX-License-Identifier: MIT
 *
 * Checks owner, mode and parent directory by a descriptor that was opened without following a link.
 */
#include "base/owned_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

static int check(const struct stat *st, const char *path, mode_t forbidden, struct err *err)
{
	if (st->st_uid == geteuid() && !(st->st_mode & forbidden))
		return 0;
	err_set(err, ERR_REFUSED, "%s: not a directory that only you may %s", path,
		forbidden & 055 ? "enter" : "write to");
	err_cause(err, "its owner is %u and its mode %03o", st->st_uid, st->st_mode & 0777);
	if (st->st_uid == geteuid())
		err_cure(err, "if no other user can have changed it: chmod 700 %s", path);
	else
		err_cure(err, "move it away, or name a directory of your own");
	return -1;
}

static int check_above(int dir, const char *path, struct err *err)
{
	struct stat st;

	if (fstatat(dir, "..", &st, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "%s/..", path);
	bool ours = st.st_uid == geteuid() || st.st_uid == 0;
	if (ours && (!(st.st_mode & 022) || st.st_mode & S_ISVTX))
		return 0;
	err_set(err, ERR_REFUSED, "%s: other users can replace it (its parent has mode %03o)", path,
		st.st_mode & 0777);
	if (st.st_uid == geteuid())
		err_cure(err, "if no other user can have changed it: chmod go-w %s/..", path);
	else
		err_cure(err, "move it into a directory of your own");
	return -1;
}

int owned_dir_open(const char *path, mode_t forbidden, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR)) {
		err_set(err, ERR_REFUSED, "%s: a link, or not a directory", path);
		err_cure(err, "move it away, or set the variable to the link's target");
		return -1;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%s", path);
	if (check(&st, path, forbidden, err) < 0 || check_above(fd, path, err) < 0)
		return -1;
	return scope_take_fd(&fd);
}
