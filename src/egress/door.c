/* SPDX-License-Identifier: MIT
 *
 * A door to ourselves, for sockets of the program that end here and not at a host: they are not of
 * the box's network, so they come in over this host's loopback. Others could knock there too: only
 * the port that was just connected from is let in.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/inert.h"
#include "base/scope.h"
#include "egress/egress.h"

struct expected {
	uint16_t port;
	door_fn *take;
	void *ctx;
	struct expected *next;
};

static const struct address loopback = {AF_INET, {127, 0, 0, 1}};

static void on_knock(struct egress *e, struct watch *w, uint32_t events)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	AUTO_CLOSE int fd =
		accept4(w->fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct address a;
	uint16_t port = 0;

	(void)events;
	if (fd < 0 || !address_parse(&from, len, &a, &port))
		return;
	for (struct expected **p = &e->expected; *p; p = &(*p)->next) {
		struct expected *found = *p;
		if (found->port != port)
			continue;
		*p = found->next;
		found->take(e, scope_take_fd(&fd), found->ctx);
		free(found);
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
	e->door = (struct watch){fd, on_knock};
	if (loop_add(e, &e->door, EPOLLIN, &err) < 0) {
		e->door.fd = -1;
		return -1;
	}
	fd = -1;
	return 0;
}

/* On the loopback a connection is there at once, or not at all. */
static int connect_now(struct egress *e, int fd, uint16_t *ret_port)
{
	struct sockaddr_storage to;
	int family = AF_INET, flags = fcntl(fd, F_GETFL), result;
	socklen_t len = sizeof(family);
	struct address a;

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	len = address_sockaddr(&loopback, e->door_port, family, &to);
	inert_set(fd, false);
	result = connect(fd, (struct sockaddr *)&to, len) < 0 ? errno : 0;
	if (result && !(result == EINPROGRESS && flags & O_NONBLOCK))
		return result;
	len = sizeof(to);
	if (getsockname(fd, (struct sockaddr *)&to, &len) < 0 ||
	    !address_parse(&to, len, &a, ret_port))
		return EIO;
	return result;
}

int door_connect(struct egress *e, int fd, door_fn *take, void *ctx)
{
	struct expected *x = calloc(1, sizeof(*x));

	if (!x || open_door(e) < 0) {
		free(x);
		return ENETUNREACH;
	}
	int error = connect_now(e, fd, &x->port);
	if (error && error != EINPROGRESS) {
		free(x);
		return error;
	}
	x->take = take;
	x->ctx = ctx;
	x->next = e->expected;
	e->expected = x;
	return error;
}

void door_forget(struct egress *e, const void *ctx)
{
	for (struct expected **p = &e->expected; *p;) {
		struct expected *x = *p;
		if (x->ctx != ctx) {
			p = &x->next;
			continue;
		}
		*p = x->next;
		free(x);
	}
}
