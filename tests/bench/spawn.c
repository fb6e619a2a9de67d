/* SPDX-License-Identifier: MIT
 *
 * posix_spawn -> exit -> waitpid, timed. The same path for every tool: the environment of the
 * benchmark itself (tests/bench/run makes it small, with a home of the half's own), output to
 * /dev/null or a pipe, stderr to one file that explains a failure afterwards.
 * Waiting goes through a pidfd so that a tool that hangs is killed and reported, not waited for.
 * Must never count a run whose program did not end with status 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int actions_fill(posix_spawn_file_actions_t *fa, const struct plan *p, int out_fd,
			int err_fd)
{
	int rc = posix_spawn_file_actions_addopen(fa, 0, p->input, O_RDONLY, 0);
	if (!rc && out_fd >= 0)
		rc = posix_spawn_file_actions_adddup2(fa, out_fd, 1);
	else if (!rc)
		rc = posix_spawn_file_actions_addopen(fa, 1, "/dev/null", O_WRONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(fa, err_fd, 2);
	/* Opened in each child: readers share the offset of an inherited descriptor. */
	if (!rc && p->filter)
		rc = posix_spawn_file_actions_addopen(fa, FILTER_FD, p->filter, O_RDONLY, 0);
	return rc;
}

int spawn_start(struct plan *p, int out_fd, int err_fd, pid_t *ret_pid)
{
	static unsigned serial;
	posix_spawn_file_actions_t fa;

	snprintf(p->id, sizeof(p->id), "bench-%d-%u", (int)getpid(), serial++);
	if (posix_spawn_file_actions_init(&fa))
		return -1;
	int rc = actions_fill(&fa, p, out_fd, err_fd);
	if (!rc)
		rc = posix_spawnp(ret_pid, p->argv[0], &fa, NULL, p->argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	errno = rc;
	return rc ? -1 : 0;
}

static int status_check(int status, char *ret_reason)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	snprintf(ret_reason, REASON_BYTES_MAX, WIFEXITED(status) ? "exit status %d" : "signal %d",
		 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return -1;
}

int spawn_finish(pid_t pid, char *ret_reason)
{
	int status = 0;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd pf = {.fd = fd, .events = POLLIN};
	bool hung = fd >= 0 && poll(&pf, 1, SPAWN_TIMEOUT_MS) == 0;
	if (hung)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0)
		close(fd);
	if (!hung)
		return status_check(status, ret_reason);
	snprintf(ret_reason, REASON_BYTES_MAX, "still running after %d ms", SPAWN_TIMEOUT_MS);
	return -1;
}

int spawn_time(struct plan *p, int err_fd, double *ret_us, char *ret_reason)
{
	pid_t pid = -1;
	double start = now_us();
	if (spawn_start(p, -1, err_fd, &pid) < 0) {
		snprintf(ret_reason, REASON_BYTES_MAX, "%s: %s", p->argv[0], strerror(errno));
		return -1;
	}
	int rc = spawn_finish(pid, ret_reason);
	*ret_us = now_us() - start;
	return rc;
}

/* Adds the last lines the tool wrote to stderr, so that a failure names its cause. */
void spawn_blame(int err_fd, char *reason)
{
	char tail[300];
	size_t used = strlen(reason);
	off_t end = lseek(err_fd, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(tail) - 1 ? end - (off_t)sizeof(tail) + 1 : 0;
	ssize_t n = pread(err_fd, tail, sizeof(tail) - 1, from);
	for (ssize_t i = 0; i < n; i++)
		if ((unsigned char)tail[i] < ' ')
			tail[i] = ' ';
	if (n > 0)
		snprintf(reason + used, REASON_BYTES_MAX - used, "; stderr: %.*s", (int)n, tail);
	if (ftruncate(err_fd, 0) < 0)
		return;
}

int spawn_read(struct plan *p, int err_fd, char *buf, size_t size, char *ret_reason)
{
	int fds[2];
	pid_t pid = -1;
	size_t used = 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	int rc = spawn_start(p, fds[1], err_fd, &pid);
	int cause = errno;
	close(fds[1]);
	if (rc < 0)
		snprintf(ret_reason, REASON_BYTES_MAX, "%s: %s", p->argv[0], strerror(cause));
	struct pollfd pf = {.fd = fds[0], .events = POLLIN};
	while (rc == 0 && used + 1 < size && poll(&pf, 1, SPAWN_TIMEOUT_MS) == 1) {
		ssize_t n = read(fds[0], buf + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	buf[used] = '\0';
	close(fds[0]);
	return rc < 0 ? -1 : spawn_finish(pid, ret_reason);
}
