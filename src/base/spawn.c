/* SPDX-License-Identifier: MIT
 *
 * Uses vfork, because posix_spawn first reads every signal's handler. The child shares the memory
 * of its parent until execve, so it must do nothing else.
 */
#include "base/spawn.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

int spawn_explain(struct err *err, const char *what)
{
	bool is_full = errno == EAGAIN;
	struct rlimit most;

	err_errno(err, ERR_SYSTEM, "starting %s", what);
	if (!is_full)
		return -1;
	if (getrlimit(RLIMIT_NPROC, &most) == 0 && most.rlim_cur != RLIM_INFINITY) {
		err_cause(err,
			  "this user may have %llu processes (ulimit -u), or its cgroup allows no "
			  "more",
			  (unsigned long long)most.rlim_cur);
		err_cure(err, "end some processes, or raise the limit (pids.max, for a cgroup)");
		return -1;
	}
	err_cause(err, "the cgroup that Cordon runs in, or the system, allows no more processes");
	err_cure(err, "end some processes, or raise pids.max there, or kernel.pid_max");
	return -1;
}

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
