/* SPDX-License-Identifier: MIT
 *
 * See worker.h. A worker keeps three descriptors: the listener, its socket to the supervisor, and the one to
 * cordon-egress. It dies with the supervisor. It stays for the next call, because a fork costs more than the
 * work. If the caller does not wait any more (killed, or interrupted and calling again), its worker is killed
 * before another one is made.
 */
#include "box/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/caller.h"
#include "box/sys.h"

enum { END_MS = 100 }; /* to reap killed workers; one that waits for a disk ends later */

static void child(pid_t parent, worker_fn *work, const struct box *b, int listener, int sock,
		  _Atomic bool *asked)
{
	int keep[] = {listener, sock, b->spec->flags & SPEC_NET ? EGRESS_FD : sock}, none = -1;
	struct seccomp_notif req;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(0);
	fds_close_all_but(keep, ARRAY_SIZE(keep));
	while (io_recv(sock, &req, sizeof(req), &none) == sizeof(req)) {
		struct worker_answer answer = {.verdict = WORKER_REFUSE};
		work(b, listener, &req, &answer);
		if (answer.verdict == WORKER_ASKED)
			*asked = true;
		else if (io_send(sock, &answer, sizeof(answer), -1) < 0)
			break;
	}
	_exit(0);
}

/* Kills workers whose caller does not wait any more. Their slots become free when they have ended. */
static void kill_unwanted(const struct worker *l, int listener)
{
	for (size_t i = 0; i < WORKER_MAX; i++)
		if (l[i].busy && !*l[i].asked && !caller_waits(listener, &l[i].req))
			sys_pidfd_send_signal(l[i].pidfd, SIGKILL);
}

/* An idle worker, or a free slot; or NULL. */
static struct worker *find_idle(struct worker *l)
{
	struct worker *free = NULL;

	for (size_t i = 0; i < WORKER_MAX; i++) {
		if (l[i].pid && (!l[i].busy || *l[i].asked))
			return &l[i];
		if (!l[i].pid && !free)
			free = &l[i];
	}
	return free;
}

static void bury(struct worker *one)
{
	waitpid(one->pid, NULL, 0);
	scope_close(&one->pidfd);
	scope_close(&one->sock);
	munmap(one->asked, sizeof(*one->asked));
	*one = (struct worker){0};
}

static int begin(struct worker *ret, worker_fn *work, const struct box *b, int listener)
{
	pid_t self = getpid();
	int pair[2];

	void *asked = mmap(NULL, sizeof(*ret->asked), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (asked == MAP_FAILED)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		munmap(asked, sizeof(*ret->asked));
		return -1;
	}
	*ret = (struct worker){.pid = fork(), .sock = pair[0], .asked = asked};
	if (ret->pid == 0)
		child(self, work, b, listener, pair[1], asked);
	close(pair[1]);
	ret->pidfd = ret->pid < 0 ? -1 : sys_pidfd_open(ret->pid);
	if (ret->pidfd >= 0)
		return 0;
	if (ret->pid > 0) {
		kill(ret->pid, SIGKILL); /* not reaped yet, so the pid is still its own */
		waitpid(ret->pid, NULL, 0);
	}
	close(pair[0]);
	munmap(asked, sizeof(*ret->asked));
	*ret = (struct worker){0};
	return -1;
}

int worker_start(struct worker *l, worker_fn *work, const struct box *b, int listener,
		 const struct seccomp_notif *req)
{
	struct worker *one = find_idle(l);

	if (!one || !one->pid)
		kill_unwanted(l, listener);
	if (!one || (!one->pid && begin(one, work, b, listener) < 0))
		return -1;
	one->busy = true; /* what the socket brings from now on is the answer, its end included */
	*one->asked = false;
	one->req = *req;
	io_send(one->sock, req, sizeof(*req), -1);
	return 0;
}

size_t worker_wait(const struct worker *l, struct pollfd *fds)
{
	size_t count = 0;

	for (size_t i = 0; i < WORKER_MAX; i++)
		if (l[i].busy)
			fds[count++] = (struct pollfd){.fd = l[i].sock, .events = POLLIN};
	return count;
}

bool worker_take(struct worker *l, struct seccomp_notif *ret_req, struct worker_answer *ret)
{
	if (!l->busy)
		return false;
	ssize_t n = recv(l->sock, ret, sizeof(*ret), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return false;
	*ret_req = l->req;
	l->busy = false;
	if (n != sizeof(*ret)) { /* it was killed */
		*ret = (struct worker_answer){.verdict = WORKER_ANSWER, .error = ECONNABORTED};
		sys_pidfd_send_signal(l->pidfd, SIGKILL);
		bury(l);
	}
	return true;
}

uint64_t worker_cpu_ns(const struct worker *l)
{
	uint64_t sum = 0;
	struct timespec t;
	clockid_t clock;

	for (size_t i = 0; i < WORKER_MAX; i++)
		if (l[i].pid && clock_getcpuclockid(l[i].pid, &clock) == 0 &&
		    clock_gettime(clock, &t) == 0)
			sum += (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
	return sum;
}

void worker_kill(struct worker *l)
{
	for (size_t i = 0; i < WORKER_MAX; i++) {
		l[i].busy = false;
		if (l[i].pid)
			sys_pidfd_send_signal(l[i].pidfd, SIGKILL);
	}
}

void worker_end(struct worker *l)
{
	uint64_t end = io_now_ns() + END_MS * 1000000ULL;

	worker_kill(l);
	for (size_t i = 0; i < WORKER_MAX; i++) {
		struct pollfd ended = {.fd = l[i].pidfd, .events = POLLIN};
		uint64_t now = io_now_ns();
		int left = now < end ? (int)((end - now) / 1000000U) : 0;
		if (l[i].pid && poll(&ended, 1, left) > 0)
			bury(&l[i]);
	}
}
