/* SPDX-License-Identifier: MIT
 *
 * A program that takes O_NONBLOCK off its socket just before it is connected, to a host that does not
 * answer: the loop does not wait long for that call, and it ends when
 * the program wants.
 */
#include <netinet/tcp.h>
#include <sys/time.h>

#include "base/io.h"
#include "egress_parts.h"
#include "tap.h"

enum { OWN_MS = 700, SOON_MS = 400, MANY = 64 };

int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);

/* The program's other thread. */
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return __real_connect(fd, to, len);
}

/* A server whose queue is full: no packet is answered. */
static int silent_server(struct sockaddr_in *ret)
{
	int fd = parts_server(0, ret);

	for (int i = 0; i < 4; i++) {
		int c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		__real_connect(c, (struct sockaddr *)ret, sizeof(*ret));
	}
	return fd;
}

static uint64_t now_ms(void)
{
	return io_now_ns() / 1000000;
}

static struct attempt *begin(struct parts *p, uint64_t id, const struct sockaddr_in *at, int own_ms)
{
	struct timeval t = {.tv_usec = own_ms * 1000};
	struct address to = parts_loopback();
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct attempt *a = attempt_new(p->e, "", &to, ntohs(at->sin_port));

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
	connect_host(p->e, id, fd, a, &to, "rule");
	return a;
}

/* Which of COUNT calls from 1 on are answered, and how, within MS. */
static int answered(struct parts *p, int *error, int count, uint64_t ms)
{
	uint64_t until = now_ms() + ms;
	struct egress_answer a;
	int n = 0;

	for (int i = 0; i < count; i++)
		error[i] = -1;
	while (n < count && now_ms() < until) {
		parts_turn(p, 10);
		while (recv(p->box, &a, sizeof(a), MSG_DONTWAIT) == sizeof(a))
			if (a.id <= (uint64_t)count)
				error[a.id - 1] = a.error, n++;
	}
	return n;
}

static void one_waits(struct parts *p, const struct sockaddr_in *silent,
		      const struct sockaddr_in *good)
{
	int error[2];
	uint64_t began = now_ms();

	begin(p, 1, silent, OWN_MS);
	ok(now_ms() - began < SOON_MS, "the loop does not wait for a call that blocks");
	begin(p, 2, good, 0);
	answered(p, error, 2, SOON_MS);
	ok(error[0] == -1 && error[1] == 0, "another is made meanwhile: %d %d", error[0], error[1]);
	answered(p, error, 1, 3 * OWN_MS);
	ok(error[0] == EINPROGRESS, "and the first ends when the program wants: %d", error[0]);
}

static void many_wait(struct parts *p, const struct sockaddr_in *silent,
		      const struct sockaddr_in *good)
{
	int error[MANY + 1];

	for (uint64_t i = 1; i <= MANY; i++)
		begin(p, i, silent, OWN_MS);
	begin(p, MANY + 1, good, 0);
	ok(answered(p, error, MANY + 1, 4 * OWN_MS) == MANY + 1 && error[MANY] == 0 &&
		   error[0] == EINPROGRESS,
	   "one behind many of them, and they themselves, are answered");
}

static void run_ends(struct parts *p, const struct sockaddr_in *silent)
{
	struct attempt *a = begin(p, 9, silent, 0);

	parts_turn(p, 50);
	ok(a->row.verdict == EGRESS_FAILED && p->e->pending && p->e->rows[p->e->rowc - 1] == a,
	   "one that still waits when the run ends is told as one that failed");
}

int main(void)
{
	struct parts p;
	struct sockaddr_in silent, good;

	alarm(60);
	parts_open(&p);
	silent_server(&silent);
	parts_server(128, &good);
	one_waits(&p, &silent, &good);
	many_wait(&p, &silent, &good);
	run_ends(&p, &silent);
	return tap_done();
}
