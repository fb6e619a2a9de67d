/* SPDX-License-Identifier: MIT
 *
 * See said.h. The policy is the user's own, and a command line is for a shell. It keeps the user's
 * terminal, where it may ask for a passphrase; so it is no group of its own, and what is killed when it
 * takes too long is the shell. Whoever else holds the pipe's end then is not waited for.
 */
#include "flow/said.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

static pid_t start(const char *command, int out)
{
	char *argv[] = {"sh", "-c", (char *)command, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	if (posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) ||
	    posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static int left_until(uint64_t end_ns)
{
	uint64_t now = io_now_ns();

	return now < end_ns ? (int)((end_ns - now) / 1000000U) + 1 : 0;
}

/* How much there was until the end; -1: too much, or too late. */
static ssize_t listen_to(int fd, uint64_t end_ns, char *ret, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;

	while (len < size) {
		int n = poll(&p, 1, left_until(end_ns));
		if (n < 0 && errno == EINTR)
			continue;
		ssize_t got = n > 0 ? read(fd, ret + len, size - len) : -1;
		if (got <= 0)
			return got < 0 ? -1 : (ssize_t)len;
		len += (size_t)got;
	}
	return -1;
}

/* Its status; who is still there at the end is killed. */
static int finish(pid_t pid, uint64_t end_ns)
{
	AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int status = -1;

	if (fd < 0 || poll(&p, 1, left_until(end_ns)) <= 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int said_by(const char *command, int wait_ms, char *ret, size_t size)
{
	uint64_t end_ns = io_now_ns() + (uint64_t)wait_ms * 1000000U;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	AUTO_CLOSE int in = ends[0];
	AUTO_CLOSE int out = ends[1];
	pid_t pid = start(command, out);
	scope_close(&out);
	if (pid < 0)
		return -1;
	ssize_t len = listen_to(in, end_ns, ret, size);
	scope_close(&in);
	if (finish(pid, len < 0 ? 0 : end_ns) != 0 || len < 0) {
		explicit_bzero(ret, size);
		return -1;
	}
	ret[len] = '\0';
	return 0;
}
