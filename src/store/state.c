/* SPDX-License-Identifier: MIT
 *
 * What is checked is the directory that was opened, not its name: a link in its place, another
 * owner or a mode that lets others in is refused, never mended, because somebody may have been in
 * there already. The directory above it must not let others exchange it.
 */
#include "store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

int state_path(char ret[PATH_MAX], struct err *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	/* The XDG base directory specification: a relative path is to be ignored. */
	if (state && state[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/cordon", state);
	else if (geteuid() == 0)
		n = snprintf(ret, PATH_MAX, "/var/lib/cordon");
	else if (home && home[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/.local/state/cordon", home);
	else
		return err_set(
			err, ERR_INPUT,
			"there is no place for state: neither HOME nor XDG_STATE_HOME is set");
	return n < PATH_MAX ? 0 : err_set(err, ERR_INPUT, "the state directory's name is too long");
}

/* Each part of it, as `mkdir -p` does, but only for us. */
static int make_parents(const char *path, struct err *err)
{
	char part[PATH_MAX];

	if ((size_t)snprintf(part, sizeof(part), "%s", path) >= sizeof(part))
		return err_set(err, ERR_INPUT, "%.100s...: the name is too long", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return err_errno(err, ERR_SYSTEM, "making %s", part);
		*slash = '/';
	}
	return 0;
}

static int check(const struct stat *st, const char *path, struct err *err)
{
	if (st->st_uid == geteuid() && !(st->st_mode & 077))
		return 0;
	err_set(err, ERR_REFUSED, "%s: not a directory that only you may enter", path);
	err_cause(err, "its owner is %u and its mode %03o", st->st_uid, st->st_mode & 0777);
	err_cure(err, "if nobody else can have changed it: chmod 700; otherwise move it away");
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
	return err_set(err, ERR_REFUSED, "%s: others may exchange it (mode %03o of what it is in)",
		       path, st.st_mode & 0777);
}

int state_open(const char *path, struct err *err)
{
	struct stat st;

	if (make_parents(path, err) < 0)
		return -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_errno(err, ERR_SYSTEM, "making %s", path);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "the state directory %s", path);
	if (check(&st, path, err) < 0 || check_above(fd, path, err) < 0)
		return -1;
	return scope_take_fd(&fd);
}
