/* SPDX-License-Identifier: MIT
 *
 * See job_worker.h. A worker must not outlive the door, nor hold a descriptor of another job: the input of a
 * program would never end.
 */
#include "door/executor/job_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "door/executor/job.h"

enum { READ_SIZE = 256 << 10, SOCKET = 3, SIGNALS, FREE };

static void take_place(int from, int to)
{
	if (from == to)
		fcntl(to, F_SETFD, FD_CLOEXEC);
	else
		dup3(from, to, O_CLOEXEC);
}

/* Only the two descriptors stay. The client's streams are the door's. */
static void keep_only(int socket, int signals)
{
	int high_socket = fcntl(socket, F_DUPFD_CLOEXEC, FREE),
	    high_signals = fcntl(signals, F_DUPFD_CLOEXEC, FREE);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	take_place(high_socket, SOCKET);
	take_place(high_signals, SIGNALS);
	close_range(FREE, ~0U, 0);
}

/* A signal to the client's process group is for the door to act on, which ends its workers. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
}

static void __attribute__((noreturn))
work(int socket, int signals, pid_t door, const struct executor_options *o)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != door)
		_exit(125);
	ignore_signals();
	keep_only(socket, signals);
	jobs_do(o, SOCKET, SIGNALS);
	_exit(0);
}

int job_worker_begin(struct job_worker *w, const struct executor_options *o, struct err *err)
{
	int pair[2], signals[2];
	pid_t door = getpid();

	*w = (struct job_worker){.socket = -1, .signals = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	AUTO_CLOSE int ours = pair[0], theirs = pair[1];
	if (pipe2(signals, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_errno(err, ERR_SYSTEM, "making a pipe");
	AUTO_CLOSE int from = signals[0], to = signals[1];
	w->pid = fork();
	if (w->pid == 0)
		work(theirs, from, door, o);
	if (w->pid < 0) {
		w->pid = 0;
		return err_errno(err, ERR_SYSTEM, "starting a worker");
	}
	w->socket = scope_take_fd(&ours);
	w->signals = scope_take_fd(&to);
	return 0;
}

int job_worker_give(struct job_worker *w, const json_t *job, int input, struct err *err)
{
	AUTO_FREE char *text = json_dumps(job, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return err_memory(err);
	w->is_busy = true;
	if (io_send_fds(w->socket, &len, sizeof(len), &input, input >= 0) < 0 ||
	    io_write_all(w->socket, text, len) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to a worker");
	return 0;
}

static int make_room(struct job_worker *w)
{
	size_t size = w->len + READ_SIZE;

	if (size <= w->size)
		return 0;
	char *data = realloc(w->data, size * 2);
	if (!data)
		return -1;
	w->data = data;
	w->size = size * 2;
	return 0;
}

int job_worker_read(struct job_worker *w)
{
	if (make_room(w) < 0)
		return -1;
	ssize_t n = recv(w->socket, w->data + w->len, READ_SIZE, MSG_DONTWAIT);
	if (n > 0)
		w->len += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)) ? 0 : -1;
}

/* The frame that was returned last is dropped by the next call. */
bool job_worker_next(struct job_worker *w, struct frame *ret, const char **ret_data)
{
	if (w->taken) {
		memmove(w->data, w->data + w->taken, w->len - w->taken);
		w->len -= w->taken;
		w->taken = 0;
	}
	if (w->len < sizeof(*ret))
		return false;
	memcpy(ret, w->data, sizeof(*ret));
	if (ret->len > WORKER_FRAME_MAX || w->len < sizeof(*ret) + ret->len)
		return false;
	*ret_data = w->data + sizeof(*ret);
	w->taken = sizeof(*ret) + ret->len;
	return true;
}

void job_worker_signal(struct job_worker *w, int sig)
{
	unsigned char number = (unsigned char)sig;

	(void)!write(w->signals, &number, 1);
}

void job_worker_end(struct job_worker *w)
{
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	scope_close(&w->socket);
	scope_close(&w->signals);
	free(w->data);
	*w = (struct job_worker){.socket = -1, .signals = -1};
}
