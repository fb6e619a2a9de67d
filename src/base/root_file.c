/* SPDX-License-Identifier: MIT
 *
 * Opens the path one component at a time and checks each one by its descriptor. Then only root can
 * make the path lead elsewhere.
 */
#include "base/root_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "base/scope.h"

static int check(int fd, const char *path, const char *part, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%.200s", part);
	if (S_ISLNK(st.st_mode)) {
		err_set(err, ERR_REFUSED, "%.200s: %.200s is a link", path, part);
		err_cure(err, "move the file there, or use a path without links");
		return -1;
	}
	if (st.st_uid == 0 && !(st.st_mode & 022))
		return 0;
	err_set(err, ERR_REFUSED, "%.200s: users other than root can change it", path);
	err_cause(err, "the owner of %.200s is %u and its mode %03o", part, st.st_uid,
		  st.st_mode & 0777);
	err_cure(err, "as root: chown root %.100s; chmod go-w %.100s", part, part);
	return -1;
}

/* In a user namespace any user can be root and mount anything. */
static int check_root(const char *path, struct err *err)
{
	if (!account_is_mapped())
		return 0;
	err_set(err, ERR_REFUSED, "%.200s: its owner cannot be verified", path);
	err_cause(err, "this is a user namespace, whose root is not the machine's");
	err_cure(err, "run cordon outside the user namespace");
	return -1;
}

int root_file_open(const char *path, int flags, struct err *err)
{
	AUTO_CLOSE int dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char part[PATH_MAX];
	size_t len = strlen(path);

	if (check_root(path, err) < 0)
		return -1;
	if (path[0] != '/' || len >= sizeof(part))
		return err_set(err, ERR_INPUT, "%.200s is not an absolute path", path);
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "/");
	if (check(dir, path, "/", err) < 0)
		return -1;
	for (size_t at = 1; at < len;) {
		size_t end = at + strcspn(path + at, "/");
		bool last = end + strspn(path + end, "/") == len;
		memcpy(part, path, end);
		part[end] = '\0';
		AUTO_CLOSE int fd =
			openat(dir, part + at,
			       (last && end == len ? flags : O_PATH) | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 && errno == ELOOP)
			fd = openat(dir, part + at, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return err_errno(err, ERR_INPUT, "%.200s", path);
		if (check(fd, path, part, err) < 0)
			return -1;
		scope_close(&dir);
		dir = scope_take_fd(&fd);
		at = end + strspn(path + end, "/");
	}
	return scope_take_fd(&dir);
}
