/* SPDX-License-Identifier: MIT
 *
 * See local.h. A helper keeps three descriptors: the listener, its socket to us, and the one to
 * cordon-egress. It dies with us. It stays for the next call, because a fork costs more than the work. One
 * whose caller is gone (killed, or interrupted and asking again) is killed before another one is made.
 */
#include "box/local.h"

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
#include "box/reach.h"
#include "box/sys.h"

enum {
	END_MS = 100
}; /* for all that were killed: one that waits for a disk ends when that answers */

static void child(pid_t parent, local_fn *work, const struct box *b, int listener, int sock,
		  _Atomic bool *asked)
{
	int keep[] = {listener, sock, b->spec->flags & SPEC_NET ? EGRESS_FD : sock}, none = -1;
	struct seccomp_notif req;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(0);
	fds_close_all_but(keep, ARRAY_SIZE(keep));
	while (io_recv(sock, &req, sizeof(req), &none) == sizeof(req)) {
		struct local_answer answer = {.verdict = LOCAL_REFUSE};
		work(b, listener, &req, &answer);
		if (answer.verdict == LOCAL_ASKED)
			*asked = true;
		else if (io_send(sock, &answer, sizeof(answer), -1) < 0)
			break;
	}
	_exit(0);
}

/* Nobody waits for these any more. Their places become free when they have ended. */
static void kill_unwanted(const struct local *l, int listener)
{
	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (l[i].busy && !*l[i].asked && !reach_is_valid(listener, &l[i].req))
			sys_pidfd_send_signal(l[i].pidfd, SIGKILL);
}

/* One that has nothing to do, or a place for a new one; or NULL. */
static struct local *find_idle(struct local *l)
{
	struct local *free = NULL;

	for (size_t i = 0; i < LOCAL_MAX; i++) {
		if (l[i].pid && (!l[i].busy || *l[i].asked))
			return &l[i];
		if (!l[i].pid && !free)
			free = &l[i];
	}
	return free;
}

static void bury(struct local *one)
{
	waitpid(one->pid, NULL, 0);
	scope_close(&one->pidfd);
	scope_close(&one->sock);
	munmap(one->asked, sizeof(*one->asked));
	*one = (struct local){0};
}

static int begin(struct local *ret, local_fn *work, const struct box *b, int listener)
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
	*ret = (struct local){.pid = fork(), .sock = pair[0], .asked = asked};
	if (ret->pid == 0)
		child(self, work, b, listener, pair[1], asked);
	close(pair[1]);
	ret->pidfd = ret->pid < 0 ? -1 : sys_pidfd_open(ret->pid);
	if (ret->pidfd >= 0)
		return 0;
	if (ret->pid > 0) {
		kill(ret->pid, SIGKILL); /* not waited for yet, so still its number */
		waitpid(ret->pid, NULL, 0);
	}
	close(pair[0]);
	munmap(asked, sizeof(*ret->asked));
	*ret = (struct local){0};
	return -1;
}

int local_start(struct local *l, local_fn *work, const struct box *b, int listener,
		const struct seccomp_notif *req)
{
	struct local *one = find_idle(l);

	if (!one || !one->pid)
		kill_unwanted(l, listener);
	if (!one || (!one->pid && begin(one, work, b, listener) < 0))
		return -1;
	one->busy = true; /* whatever comes now, its end included, is the answer */
	*one->asked = false;
	one->req = *req;
	io_send(one->sock, req, sizeof(*req), -1);
	return 0;
}

size_t local_wait(const struct local *l, struct pollfd *fds)
{
	size_t count = 0;

	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (l[i].busy)
			fds[count++] = (struct pollfd){.fd = l[i].sock, .events = POLLIN};
	return count;
}

bool local_take(struct local *l, struct seccomp_notif *ret_req, struct local_answer *ret)
{
	if (!l->busy)
		return false;
	ssize_t n = recv(l->sock, ret, sizeof(*ret), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return false;
	*ret_req = l->req;
	l->busy = false;
	if (n != sizeof(*ret)) { /* it was killed */
		*ret = (struct local_answer){.verdict = LOCAL_ANSWER, .error = ECONNABORTED};
		sys_pidfd_send_signal(l->pidfd, SIGKILL);
		bury(l);
	}
	return true;
}

uint64_t local_cpu_ns(const struct local *l)
{
	uint64_t sum = 0;
	struct timespec t;
	clockid_t clock;

	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (l[i].pid && clock_getcpuclockid(l[i].pid, &clock) == 0 &&
		    clock_gettime(clock, &t) == 0)
			sum += (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
	return sum;
}

void local_kill(struct local *l)
{
	for (size_t i = 0; i < LOCAL_MAX; i++) {
		l[i].busy = false;
		if (l[i].pid)
			sys_pidfd_send_signal(l[i].pidfd, SIGKILL);
	}
}

void local_end(struct local *l)
{
	uint64_t end = io_now_ns() + END_MS * 1000000ULL;

	local_kill(l);
	for (size_t i = 0; i < LOCAL_MAX; i++) {
		struct pollfd ended = {.fd = l[i].pidfd, .events = POLLIN};
		uint64_t now = io_now_ns();
		int left = now < end ? (int)((end - now) / 1000000U) : 0;
		if (l[i].pid && poll(&ended, 1, left) > 0)
			bury(&l[i]);
	}
}
