/* SPDX-License-Identifier: MIT
 *
 * What became of a connection is what the kernel says, whatever the program does to its socket
 * between the call and our look at it.
 */
#include <linux/net_tstamp.h>

#include "egress_parts.h"
#include "tap.h"

static int program(int flags)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}

/* The call has been made, and the clock has not checked it yet. */
static struct attempt *call(struct parts *p, uint64_t id, int fd, const struct sockaddr_in *at)
{
	struct address to = parts_loopback();
	struct attempt *a = attempt_new(p->e, "", &to, ntohs(at->sin_port));

	connect_host(p->e, id, dup(fd), a, &to, "rule");
	return a;
}

static void turn(struct parts *p)
{
	while (p->e->pending)
		if (!parts_turn(p, 1000))
			return;
}

static void error_taken(struct parts *p, const struct sockaddr_in *closed)
{
	int fd = program(0), error = 0;
	socklen_t len = sizeof(error);
	struct attempt *a = call(p, 1, fd, closed);

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	ok(error == ECONNREFUSED, "the program takes the error");
	ok(parts_until(p, 1, 3000) == ECONNABORTED && a->row.verdict == EGRESS_FAILED,
	   "which makes no connection of it, and the call gets what the kernel says then");
	close(fd);
}

static void reset(struct parts *p, int server, const struct sockaddr_in *at)
{
	struct linger now = {1, 0};
	int fd = program(SOCK_NONBLOCK);
	struct attempt *a = call(p, 2, fd, at);
	int other = accept4(server, NULL, NULL, SOCK_CLOEXEC);

	setsockopt(other, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(other);
	turn(p);
	ok(a->row.verdict == EGRESS_CONNECTED, "one that was there and was reset was there");
	close(fd);
}

/* Something in the queue of errors is no end of a connection, and it is counted on. */
static void error_made(struct parts *p, int server, const struct sockaddr_in *at)
{
	int fd = program(SOCK_NONBLOCK);
	int stamps = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
		     SOF_TIMESTAMPING_TX_SCHED;
	struct attempt *a = call(p, 3, fd, at);
	int other = accept4(server, NULL, NULL, SOCK_CLOEXEC);

	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof(stamps));
	send(fd, "hello", 5, 0);
	struct pollfd error = {.fd = fd};
	ok(poll(&error, 1, 1000) == 1 && error.revents & POLLERR, "the program makes an error");
	turn(p);
	ok(a->live && a->row.verdict == EGRESS_CONNECTED, "which ends no connection");
	counter_look(p->e);
	ok(a->row.bytes_out == 5, "and what it sends counts");
	close(other);
	close(fd);
}

/* The send buffer that a connection has with this limit. */
static int buffer(struct parts *p, int server, const struct sockaddr_in *at, uint64_t limit)
{
	int fd = program(SOCK_NONBLOCK), size = 0;
	socklen_t len = sizeof(size);

	p->e->limit[LIMIT_NET_OUT] = limit;
	call(p, 4, fd, at);
	int other = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	turn(p);
	getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &len);
	p->e->limit[LIMIT_NET_OUT] = 0;
	close(other);
	close(fd);
	return size;
}

static void buffers(struct parts *p, int server, const struct sockaddr_in *at)
{
	uint64_t much = (uint64_t)EGRESS_QUEUE_SHARE * EGRESS_QUEUE_MAX;
	int usual = buffer(p, server, at, 0);

	ok(buffer(p, server, at, 1) == EGRESS_QUEUE_MIN, "the least");
	ok(buffer(p, server, at, 100ULL << 20) == 400 << 10, "a share of --net-out");
	ok(buffer(p, server, at, much) == usual, "the host's own");
	ok(buffer(p, server, at, much - 1) != usual, "and a byte less: not the host's");
}

int main(void)
{
	struct parts p;
	struct sockaddr_in at, closed;

	alarm(60);
	parts_open(&p);
	close(parts_server(1, &closed));
	int server = parts_server(8, &at);
	error_taken(&p, &closed);
	reset(&p, server, &at);
	error_made(&p, server, &at);
	buffers(&p, server, &at);
	int rc = tap_done();
	fflush(stdout);
	_exit(rc);
}
