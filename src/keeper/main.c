/* SPDX-License-Identifier: MIT
 *
 * cordon-keeper: see boxes.h. cordon starts it with the state directory on descriptor 3. It writes
 * struct err to its standard output when it is ready or has failed, and ends when it has had neither a
 * box nor a client for a while. A lock makes it the only one of its state directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "keeper/boxes.h"

enum { LOCK_WAIT_MS = 200 };

/* False: another keeper has it. The lock ends with this process. */
static bool take_lock(void)
{
	int fd = openat(KEEP_STATE_FD, KEEP_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	for (int i = 0; fd >= 0 && i < LOCK_WAIT_MS; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

static int open_listener(struct err *err)
{
	static const struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = KEEP_SOCKET};
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || fchdir(KEEP_STATE_FD) < 0 ||
	    (unlinkat(KEEP_STATE_FD, KEEP_SOCKET, 0) < 0 && errno != ENOENT))
		return err_errno(err, ERR_SYSTEM, "opening the keeper's socket");
	mode_t old = umask(0177);
	int bound = bind(fd, (const struct sockaddr *)&at, sizeof(at));
	umask(old);
	if (bound < 0 || listen(fd, SOMAXCONN) < 0 || chdir("/") < 0)
		return err_errno(err, ERR_SYSTEM, "opening the keeper's socket");
	return scope_take_fd(&fd);
}

static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

/* Orphans of a box without namespaces; kept.c waits for each cordon-box itself. */
static void reap(const struct boxes *k)
{
	siginfo_t who;

	for (;;) {
		who.si_pid = 0;
		if (waitid(P_ALL, 0, &who, WEXITED | WNOHANG | WNOWAIT) < 0 || !who.si_pid)
			return;
		for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
			if (k->box[i].state && k->box[i].pid == who.si_pid)
				return;
		waitpid(who.si_pid, NULL, 0);
	}
}

static bool is_idle(struct boxes *k)
{
	for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
		if (k->box[i].state && k->box[i].state != KEPT_DEAD)
			return false;
	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++)
		if (k->client[i].socket >= 0)
			return false;
	return true;
}

/* False: it is time to end. */
static bool wait_and_handle(struct boxes *k, struct pollfd *fds)
{
	struct client *clients[KEEP_CLIENTS_MAX];
	struct kept *boxes[KEEP_BOXES_MAX];
	size_t clientc = 0, boxc = 0, n = 0;
	int wait_ms = kept_deadline(k);
	struct stat state;

	if (fstat(KEEP_STATE_FD, &state) < 0 || state.st_nlink == 0) /* it was removed */
		return false;
	fds[n++] = (struct pollfd){.fd = k->listener, .events = POLLIN};
	for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
		if (k->box[i].state && k->box[i].socket >= 0) {
			boxes[boxc++] = &k->box[i];
			fds[n++] = (struct pollfd){.fd = k->box[i].socket, .events = POLLIN};
		}
	for (size_t i = 0; i < boxc; i++)
		fds[n++] = (struct pollfd){.fd = boxes[i]->egress, .events = POLLIN};
	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++)
		if (k->client[i].socket >= 0) {
			clients[clientc++] = &k->client[i];
			fds[n++] = (struct pollfd){.fd = k->client[i].socket, .events = POLLIN};
		}
	bool idle = is_idle(k);
	if (idle && (wait_ms < 0 || wait_ms > KEEPER_IDLE_MS))
		wait_ms = KEEPER_IDLE_MS;
	int ready = poll(fds, n, wait_ms);
	if (ready <= 0)
		return ready < 0 || !idle;
	for (size_t i = 0; i < boxc; i++)
		if (fds[1 + boxc + i].revents && boxes[i]->egress == fds[1 + boxc + i].fd)
			kept_egress(k, boxes[i]);
	for (size_t i = 0; i < boxc; i++)
		if (fds[1 + i].revents && boxes[i]->socket == fds[1 + i].fd)
			kept_receive(k, boxes[i]);
	for (size_t i = 0; i < clientc; i++)
		if (fds[1 + 2 * boxc + i].revents && !clients[i]->is_gone)
			client_receive(k, clients[i]);
	if (fds[0].revents)
		client_accept(k);
	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++)
		if (k->client[i].socket >= 0 && k->client[i].is_gone)
			client_close(k, &k->client[i]);
	reap(k);
	return true;
}

static void serve(struct boxes *k)
{
	static struct pollfd fds[1 + 2 * KEEP_BOXES_MAX + KEEP_CLIENTS_MAX];

	while (wait_and_handle(k, fds))
		;
	unlinkat(KEEP_STATE_FD, KEEP_SOCKET, 0);
}

static int tell_ready(const struct err *err)
{
	return io_write_all(STDOUT_FILENO, err, sizeof(*err));
}

/* The caller waits for this process; its child is the keeper. */
static void leave_caller(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	setsid();
}

int main(void)
{
	struct boxes *k = pages_new(sizeof(*k));
	struct err err = {0};
	struct stat st;

	if (!k || fstat(KEEP_STATE_FD, &st) < 0 || !S_ISDIR(st.st_mode)) {
		fputs("cordon-keeper is started by cordon; see cordon(1)\n", stderr);
		return 125;
	}
	signal(SIGPIPE, SIG_IGN);
	if (fcntl(KEEP_STATE_FD, F_SETFD, FD_CLOEXEC) < 0 ||
	    close_range(KEEP_STATE_FD + 1, ~0U, 0) < 0)
		return 125;
	pid_t child = fork();
	if (child != 0)
		return child < 0 ? 125 : 0;
	if (!take_lock())
		return tell_ready(&err) < 0; /* the caller tries that one */
	/* A program of a box must not read its memory. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++)
		k->client[i].socket = -1;
	raise_files();
	k->listener = open_listener(&err);
	int told = tell_ready(&err);
	if (k->listener < 0 || told < 0)
		return 125;
	leave_caller();
	serve(k);
	return 0;
}
