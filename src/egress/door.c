/* SPDX-License-Identifier: MIT
 *
 * A door to ourselves, for sockets of the program that end here and not at a host: they are not of
 * the box's network, so they come in over this host's loopback. Others could knock there too: only
 * who comes from an address and port that one of them has is let in.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/inert.h"
#include "base/scope.h"
#include "egress/egress.h"

/* Who was sent here, and as what it comes. */
struct expected {
	struct address from;
	uint16_t port;
	int fd;	  /* the program's, while the call is made */
	int came; /* its other end, meanwhile */
	call_fn *done;
	door_fn *take;
	void *ctx;
	struct expected *next;
};

static const struct address loopback = {AF_INET, {127, 0, 0, 1}};

static void forget(struct egress *e, struct expected *x)
{
	for (struct expected **p = &e->expected; *p; p = &(*p)->next)
		if (*p == x) {
			*p = x->next;
			break;
		}
	e->waiting--;
	free(x);
}

/* Both ends are here. */
static void let_in(struct egress *e, struct expected *x, int fd)
{
	door_fn *take = x->take;
	void *ctx = x->ctx;

	forget(e, x);
	take(e, fd, ctx);
}

static void on_knock(struct egress *e, struct watch *w, uint32_t events)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	AUTO_CLOSE int fd =
		accept4(w->fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct address a;
	uint16_t port = 0;

	(void)events;
	if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
		loop_remove(e, w); /* or we would be told of it without end */
		e->door_shut = true;
		clock_need(e);
	}
	if (fd < 0 || !address_parse(&from, len, &a, &port))
		return;
	for (struct expected *x = e->expected; x; x = x->next) {
		if (x->port != port || !address_is_same(&x->from, &a) || x->came >= 0)
			continue;
		if (x->fd >= 0)
			x->came = scope_take_fd(&fd);
		else
			let_in(e, x, scope_take_fd(&fd));
		return;
	}
}

static int open_door(struct egress *e)
{
	struct sockaddr_storage at;
	socklen_t len = address_sockaddr(&loopback, 0, AF_INET, &at);
	struct address a;
	struct err err;

	if (e->door.fd >= 0)
		return 0;
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, SOMAXCONN) < 0)
		return -1;
	len = sizeof(at);
	if (getsockname(fd, (struct sockaddr *)&at, &len) < 0 ||
	    !address_parse(&at, len, &a, &e->door_port))
		return -1;
	e->door = (struct watch){scope_take_fd(&fd), on_knock};
	if (loop_add(e, &e->door, EPOLLIN, &err) < 0) {
		scope_close(&e->door.fd);
		return -1;
	}
	return 0;
}

static void on_called(struct egress *e, void *ctx, int error)
{
	struct expected *x = ctx;
	AUTO_CLOSE int came = scope_take_fd(&x->came);
	call_fn *done = x->done;
	void *whose = x->ctx;
	bool good = error == 0 || error == EINPROGRESS;

	scope_close(&x->fd); /* before the program may close its own */
	if (!good)
		forget(e, x);
	done(e, whose, error);
	if (good && came >= 0)
		let_in(e, x, scope_take_fd(&came));
}

/* Gives the socket its own address before it is connected, so that it is known when it knocks. */
static int name(struct expected *x)
{
	struct sockaddr_storage own;
	int family = AF_INET, off = 0;
	socklen_t len = sizeof(family);
	static const uint8_t none[sizeof(x->from.bytes)] = {0};

	getsockopt(x->fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	setsockopt(x->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &off, sizeof(off));
	len = address_sockaddr(&loopback, 0, family, &own);
	if (bind(x->fd, (struct sockaddr *)&own, len) < 0 && errno != EINVAL) /* it has one */
		return errno;
	len = sizeof(own);
	if (getsockname(x->fd, (struct sockaddr *)&own, &len) < 0 ||
	    !address_parse(&own, len, &x->from, &x->port) || x->port == 0)
		return EADDRNOTAVAIL;
	if (memcmp(x->from.bytes, none, sizeof(none)) == 0)
		x->from = loopback;
	return 0;
}

void door_connect(struct egress *e, int fd, call_fn *done, door_fn *take, void *ctx)
{
	struct expected *x = loop_alloc(e, sizeof(*x));

	*x = (struct expected){.fd = fd, .came = -1, .done = done, .take = take, .ctx = ctx};
	x->next = e->expected;
	e->expected = x;
	e->waiting++;
	int error = open_door(e) < 0 ? ENETUNREACH : name(x);
	if (error) {
		on_called(e, x, error);
		return;
	}
	inert_set(fd, false);
	call_connect(e, fd, &loopback, e->door_port, on_called, x);
}

void door_look(struct egress *e)
{
	struct err err;

	if (e->door_shut && loop_add(e, &e->door, EPOLLIN, &err) == 0)
		e->door_shut = false;
}
