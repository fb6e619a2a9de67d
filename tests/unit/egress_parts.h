/* SPDX-License-Identifier: MIT
 *
 * The real parts of cordon-egress without its process: a state with a loop, its two sockets, whose
 * other ends the test holds, and one turn of the loop at a time.
 */
#ifndef CORDON_TEST_EGRESS_PARTS_H
#define CORDON_TEST_EGRESS_PARTS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "egress/egress.h"

struct parts {
	struct egress *e;
	int control, box; /* what cordon and cordon-box hold */
};

static inline int parts_pair(int place)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	int own = fcntl(pair[0], F_DUPFD_CLOEXEC, 64), other = fcntl(pair[1], F_DUPFD_CLOEXEC, 64);
	close(pair[0]);
	close(pair[1]);
	if (own < 0 || other < 0 || dup2(other, place) < 0)
		abort();
	close(other);
	return own;
}

static inline void parts_open(struct parts *p)
{
	struct err err;

	p->control = parts_pair(EGRESS_CONTROL_FD);
	p->box = parts_pair(EGRESS_BOX_FD);
	p->e = calloc(1, sizeof(*p->e));
	if (!p->e)
		abort();
	p->e->epoll = epoll_create1(EPOLL_CLOEXEC);
	p->e->resolver.fd = p->e->loopback.fd = -1;
	p->e->limit[LIMIT_CONNECTIONS] = 100;
	p->e->started = true;
	if (counter_listen(p->e, &err) < 0 || routes_open(p->e, &err) < 0 ||
	    control_open(p->e, &err) < 0 || answers_open(p->e, &err) < 0 ||
	    dial_open(p->e, &err) < 0 || lookup_open(p->e, &err) < 0 ||
	    connect_call_open(p->e, &err) < 0 || clock_open(p->e, &err) < 0 ||
	    counter_open(p->e, &err) < 0)
		abort();
}

static inline void parts_close(struct parts *p)
{
	for (size_t i = 0; i < p->e->rowc; i++)
		free(p->e->rows[i]);
	free(p->e->answers);
	free(p->e->lookups);
	free(p->e);
}

/* One turn. False: nothing happened for WAIT_MS. */
static inline bool parts_turn(struct parts *p, int wait_ms)
{
	struct epoll_event ev;

	if (epoll_wait(p->e->epoll, &ev, 1, wait_ms) <= 0)
		return false;
	struct watch *w = ev.data.ptr;
	w->ready(p->e, w, ev.events);
	attempts_flush(p->e);
	return true;
}

/* The answer to a call, or -1: there is none yet. */
static inline int parts_answer(const struct parts *p, uint64_t id)
{
	struct egress_answer a;

	ssize_t n = recv(p->box, &a, sizeof(a), MSG_DONTWAIT);
	return n == sizeof(a) && a.kind == EGRESS_ANSWER && a.id == id ? a.error : -1;
}

/* Turns until the call is answered. */
static inline int parts_until(struct parts *p, uint64_t id, int turns)
{
	for (int i = 0; i < turns; i++) {
		int error = parts_answer(p, id);
		if (error >= 0)
			return error;
		parts_turn(p, 10);
	}
	return parts_answer(p, id);
}

/* A server on the loopback. */
static inline int parts_server(int backlog, struct sockaddr_in *ret)
{
	socklen_t len = sizeof(*ret);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	if (fd < 0 || bind(fd, (struct sockaddr *)ret, len) < 0 || listen(fd, backlog) < 0 ||
	    getsockname(fd, (struct sockaddr *)ret, &len) < 0)
		abort();
	return fd;
}

static inline struct address parts_loopback(void)
{
	return (struct address){AF_INET, {127, 0, 0, 1}};
}

#endif
