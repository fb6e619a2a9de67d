/* SPDX-License-Identifier: MIT
 *
 * The client library of PostgreSQL cannot be linked into a static program sensibly, so it lives in
 * a program of its own. That one ends when its socket does; what it had not committed is undone by
 * the server. Nothing secret is in its arguments or its environment.
 */
#include "store/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/self.h"

#define PROGRAM "cordon-postgres"
enum { END_MS = 500 };

static int spawn(const char *path, int sock, pid_t *ret)
{
	static char name[] = PROGRAM;
	char *const argv[] = {name, NULL}, *const env[] = {NULL};
	posix_spawn_file_actions_t actions;

	if (posix_spawn_file_actions_init(&actions) != 0) {
		errno = ENOMEM;
		return -1;
	}
	int r = posix_spawn_file_actions_adddup2(&actions, sock, STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
						     0);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
						     0);
	if (r == 0)
		r = posix_spawn(ret, path, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	errno = r;
	return r == 0 ? 0 : -1;
}

int helper_start(struct helper *h, struct err *err)
{
	char path[PATH_MAX];
	int pair[2];

	*h = (struct helper){.sock = -1};
	if (self_find(PROGRAM, path, err) < 0) {
		err_cure(err, "build it (it needs libpq-dev) and install it with cordon");
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	AUTO_CLOSE int ours = pair[0], theirs = pair[1];
	if (spawn(path, theirs, &h->pid) < 0)
		return err_errno(err, ERR_SYSTEM, "starting %s", path);
	h->sock = scope_take_fd(&ours);
	return 0;
}

/* It ends by itself when its socket does; one that hangs in the network is not waited for. */
void helper_end(struct helper *h)
{
	scope_close(&h->sock);
	if (h->pid <= 0)
		return;
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	if (pidfd < 0 || poll(&p, 1, END_MS) != 1)
		kill(h->pid, SIGKILL);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	h->pid = 0;
}
