/* SPDX-License-Identifier: MIT
 *
 * A directory that other users can enter, or could have replaced, is refused and never repaired
 * (base/owned_dir.h).
 */
#include "store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owned_dir.h"
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
		return err_set(err, ERR_INPUT,
			       "no state directory: neither HOME nor XDG_STATE_HOME is set");
	return n < PATH_MAX ? 0 : err_set(err, ERR_INPUT, "the state directory's name is too long");
}

/* As `mkdir -p`, with mode 0700. */
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

static int mark(int dir, const char *path, struct err *err)
{
	AUTO_CLOSE int fd =
		openat(dir, STATE_MARK, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 && errno != EROFS ? err_errno(err, ERR_SYSTEM, "%s/" STATE_MARK, path) : 0;
}

static int open_or_make(const char *path, struct err *err)
{
	int dir = owned_dir_open(path, 077, err);

	if (dir >= 0 || err->code != ERR_SYSTEM || err->sys_errno != ENOENT)
		return dir;
	if (make_parents(path, err) < 0)
		return -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_errno(err, ERR_SYSTEM, "making %s", path);
	return owned_dir_open(path, 077, err);
}

int state_open(const char *path, struct err *err)
{
	AUTO_CLOSE int dir = open_or_make(path, err);

	return dir < 0 || mark(dir, path, err) < 0 ? -1 : scope_take_fd(&dir);
}
