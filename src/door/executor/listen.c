/* SPDX-License-Identifier: MIT
 *
 * cordon executor --listen: a process and a conversation for each client, so that none disturbs another.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/peer.h"
#include "base/scope.h"
#include "door/executor/executor.h"

static int open_listener(const char *path, struct err *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(at.sun_path))
		return err_set(err, ERR_INPUT, "--listen: the path is longer than %zu bytes",
			       sizeof(at.sun_path) - 1);
	memcpy(at.sun_path, path, strlen(path) + 1);
	mode_t old = umask(0177);
	int bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&at, sizeof(at));
	umask(old);
	if (bound < 0 || listen(fd, SOMAXCONN) < 0)
		return err_errno(err, ERR_INPUT, "--listen unix:%.100s", path);
	return scope_take_fd(&fd);
}

static void __attribute__((noreturn))
serve(const struct executor_options *o, int client, int listener, pid_t above)
{
	struct executor_options own = *o;
	struct err err;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	close(listener);
	own.in = own.out = client;
	_exit(getppid() == above && executor_serve(&own, &err) == 0 ? 0 : 125);
}

static void end(int sig)
{
	(void)sig;
}

int executor_listen(const struct executor_options *o, const char *path, struct err *err)
{
	const struct sigaction on_end = {.sa_handler =
						 end}; /* without SA_RESTART: accept returns */
	AUTO_CLOSE int listener = open_listener(path, err);
	pid_t here = getpid();

	if (listener < 0)
		return -1;
	sigaction(SIGTERM, &on_end, NULL);
	sigaction(SIGINT, &on_end, NULL);
	signal(SIGCHLD, SIG_IGN); /* the kernel reaps */
	for (;;) {
		AUTO_CLOSE int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (client < 0 && errno != ECONNABORTED)
			break;
		if (client >= 0 && peer_is_friend(client) && fork() == 0)
			serve(o, client, listener, here);
	}
	int why = errno;
	unlink(path);
	errno = why;
	return why == EINTR ? 0 : err_errno(err, ERR_SYSTEM, "waiting for clients");
}
