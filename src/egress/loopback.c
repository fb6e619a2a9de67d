/* SPDX-License-Identifier: MIT
 *
 * Accepts sockets of the program that end at cordon-egress and not at a host. They are outside the box's
 * network namespace, so they connect over this host's loopback. Other processes of the host could connect
 * there too, so a connection is accepted only from the address and port of an expected socket.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/packet_drop.h"
#include "base/scope.h"
#include "egress/egress.h"

/* A socket that is expected, and its address. */
struct expected {
	struct address from;
	uint16_t port;
	int fd;	  /* the program's, during the call */
	int came; /* the other end, if it was accepted during the call */
	connect_call_fn *done;
	loopback_fn *take;
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

/* Both ends are known. */
static void deliver(struct egress *e, struct expected *x, int fd)
{
	loopback_fn *take = x->take;
	void *ctx = x->ctx;

	forget(e, x);
	take(e, fd, ctx);
}

static void on_connection(struct egress *e, struct watch *w, uint32_t events)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	AUTO_CLOSE int fd =
		accept4(w->fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct address a;
	uint16_t port = 0;

	(void)events;
	if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
		loop_remove(e, w); /* otherwise epoll would report it without end */
		e->loopback_paused = true;
		loop_need_clock(e);
	}
	if (fd < 0 || !address_parse(&from, len, &a, &port))
		return;
	for (struct expected *x = e->expected; x; x = x->next) {
		if (x->port != port || !address_is_same(&x->from, &a) || x->came >= 0)
			continue;
		if (x->fd >= 0)
			x->came = scope_take_fd(&fd);
		else
			deliver(e, x, scope_take_fd(&fd));
		return;
	}
}

static int open_listener(struct egress *e)
{
	struct sockaddr_storage at;
	socklen_t len = address_sockaddr(&loopback, 0, AF_INET, &at);
	struct address a;
	struct err err;

	if (e->loopback.fd >= 0)
		return 0;
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, SOMAXCONN) < 0)
		return -1;
	len = sizeof(at);
	if (getsockname(fd, (struct sockaddr *)&at, &len) < 0 ||
	    !address_parse(&at, len, &a, &e->loopback_port))
		return -1;
	e->loopback = (struct watch){scope_take_fd(&fd), on_connection};
	if (loop_add(e, &e->loopback, EPOLLIN, &err) < 0) {
		scope_close(&e->loopback.fd);
		return -1;
	}
	return 0;
}

static void on_called(struct egress *e, void *ctx, int error)
{
	struct expected *x = ctx;
	AUTO_CLOSE int came = scope_take_fd(&x->came);
	connect_call_fn *done = x->done;
	void *ctx_of = x->ctx;
	bool good = error == 0 || error == EINPROGRESS;

	scope_close(&x->fd); /* before the program may close its own */
	if (!good)
		forget(e, x);
	done(e, ctx_of, error);
	if (good && came >= 0)
		deliver(e, x, scope_take_fd(&came));
}

/* Binds the socket before it connects, so that its address is known when it is accepted. */
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

void loopback_connect(struct egress *e, int fd, connect_call_fn *done, loopback_fn *take, void *ctx)
{
	struct expected *x = loop_alloc(e, sizeof(*x));

	*x = (struct expected){.fd = fd, .came = -1, .done = done, .take = take, .ctx = ctx};
	x->next = e->expected;
	e->expected = x;
	e->waiting++;
	int error = open_listener(e) < 0 ? ENETUNREACH : name(x);
	if (error) {
		on_called(e, x, error);
		return;
	}
	packet_drop_set(fd, false);
	connect_call(e, fd, &loopback, e->loopback_port, on_called, x);
}

void loopback_retry(struct egress *e)
{
	struct err err;

	if (e->loopback_paused && loop_add(e, &e->loopback, EPOLLIN, &err) == 0)
		e->loopback_paused = false;
}
