/* SPDX-License-Identifier: MIT
 *
 * vfork and not posix_spawn: that one asks for every signal's handler first. The child shares our
 * memory until it is another program, so it may do nothing but what stands here.
 */
#include "base/spawn.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

int spawn_program(const char *path, char *name, char *const *env, const struct spawn_fd *fds,
		  size_t count, pid_t *ret)
{
	char *const argv[] = {name, NULL};
	volatile int failed = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		for (size_t i = 0; i < count; i++)
			if (dup2(fds[i].source, fds[i].place) < 0)
				_exit(failed = errno);
		execve(path, argv, env);
		_exit(failed = errno);
	}
	if (pid > 0 && failed)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	errno = pid < 0 ? errno : failed;
	*ret = pid < 0 || failed ? 0 : pid;
	return pid < 0 || failed ? -1 : 0;
}
