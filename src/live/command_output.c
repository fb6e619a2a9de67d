/* SPDX-License-Identifier: MIT
 *
 * See command_output.h. The policy is the user's own, so a shell runs the command. The shell keeps
 * the user's terminal, where the command may ask for a passphrase, and so it stays in our process
 * group. On timeout only the shell is killed; its children may keep the pipe open, and are not
 * waited for.
 */
#include "live/command_output.h"

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

static int ms_until(uint64_t end_ns)
{
	uint64_t now = io_now_ns();

	return now < end_ns ? (int)((end_ns - now) / 1000000U) + 1 : 0;
}

/* The number of bytes until the end of file; -1: too many, or too late. */
static ssize_t read_until(int fd, uint64_t end_ns, char *ret, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;

	while (len < size) {
		int n = poll(&p, 1, ms_until(end_ns));
		if (n < 0 && errno == EINTR)
			continue;
		ssize_t more = n > 0 ? read(fd, ret + len, size - len) : -1;
		if (more <= 0)
			return more < 0 ? -1 : (ssize_t)len;
		len += (size_t)more;
	}
	return -1;
}

/* The exit status. Kills a process that has not ended at END_NS. */
static int finish(pid_t pid, uint64_t end_ns)
{
	AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int status = -1;

	if (fd < 0 || poll(&p, 1, ms_until(end_ns)) <= 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int command_output_read(const char *command, int wait_ms, char *ret, size_t size)
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
	ssize_t len = read_until(in, end_ns, ret, size);
	scope_close(&in);
	if (finish(pid, len < 0 ? 0 : end_ns) != 0 || len < 0) {
		explicit_bzero(ret, size);
		return -1;
	}
	ret[len] = '\0';
	return 0;
}
