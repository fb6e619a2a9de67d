/* SPDX-License-Identifier: MIT
 *
 * The program's socket, connected to one of ours on the loopback, and not before we say so: what it
 * gets depends on a host that is not there yet, and a program that does not wait must see meanwhile what
 * it would see of that host. So the program's connection is really on its way, until we let it arrive or
 * refuse it:
 *
 *     hold    ours calls the program's, and does not hear that nobody listens there. The program's calls
 *             ours: that hears the SYN and answers, which the program's does not hear.
 *     let     ours forgets, and calls again: two that call each other are connected (RFC 9293, 3.5).
 *     refuse  ours breaks off: a reset that has the right number, since it has heard the SYN.
 *
 * Who hears what is a matter of base/inert.h. Nobody else can get in between: both ports are taken, and
 * were never bound by a socket that shares its port (older kernels would then give it to anybody).
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/inert.h"
#include "base/scope.h"
#include "egress/egress.h"

enum { TRIES = 16, HOPS = 64 };

static const struct address loopback4 = {AF_INET, {127, 0, 0, 1}};
static const struct address loopback6 = {AF_INET6, {[15] = 1}};

static int family_of(int fd)
{
	int family = AF_INET;
	socklen_t len = sizeof(family);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	return family;
}

static int address_of(int fd, struct address *ret, uint16_t *ret_port)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return errno;
	return address_parse(&at, len, ret, ret_port) && *ret_port ? 0 : EADDRNOTAVAIL;
}

static bool is_any(const struct address *a)
{
	static const uint8_t none[sizeof(a->bytes)];

	return memcmp(a->bytes, none, sizeof(none)) == 0;
}

/* A port for the program's socket; no address, which it would keep for another host. */
static int name(int fd, int family, struct address *ret, uint16_t *ret_port)
{
	struct sockaddr_storage any = {.ss_family = (sa_family_t)family};
	socklen_t len =
		family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	int off = 0;

	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &off, sizeof(off));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &off, sizeof(off)); /* or it would be shared */
	if (bind(fd, (struct sockaddr *)&any, len) < 0 && errno != EINVAL) /* it has one */
		return errno;
	return address_of(fd, ret, ret_port);
}

/* A free port at AT, or 0. */
static uint16_t find_port(const struct address *at, int family)
{
	struct sockaddr_storage sa;
	socklen_t len = address_sockaddr(at, 0, family, &sa);
	AUTO_CLOSE int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct address there;
	uint16_t port = 0;

	if (fd < 0 || len == 0 || bind(fd, (struct sockaddr *)&sa, len) < 0 ||
	    address_of(fd, &there, &port) != 0)
		return 0;
	return port;
}

/* A socket at AT with a port that it keeps when it breaks off: only one that was asked for by its
 * number is kept. Somebody may take it first: then another. */
static int open_at(const struct address *at, int family)
{
	AUTO_CLOSE int own = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int hops = HOPS;

	if (own < 0)
		return -1;
	/* What it says must not be heard by one that is inert, whatever the host's usual number is. */
	setsockopt(own, IPPROTO_IP, IP_TTL, &hops, sizeof(hops));
	if (family == AF_INET6)
		setsockopt(own, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops));
	for (int tries = 0; tries < TRIES; tries++) {
		struct sockaddr_storage sa;
		uint16_t port = find_port(at, family);
		socklen_t len = port ? address_sockaddr(at, port, family, &sa) : 0;
		if (len == 0)
			return -1;
		if (bind(own, (struct sockaddr *)&sa, len) == 0)
			return scope_take_fd(&own);
		if (errno != EADDRINUSE)
			return -1;
	}
	return -1;
}

/* As the program's socket would go to its host: some can do one of both alone. Not every machine has
 * IPv6 here. */
static int open_own(int family, int host, struct address *ret)
{
	int own = -1;

	*ret = loopback6;
	if (host == AF_INET6)
		own = open_at(ret, family);
	if (own >= 0)
		return own;
	*ret = loopback4;
	return open_at(ret, family);
}

static int call(int own, const struct address *to, uint16_t port, int family)
{
	struct sockaddr_storage at;
	socklen_t len = address_sockaddr(to, port, family, &at);

	if (len && connect(own, (struct sockaddr *)&at, len) < 0 && errno != EINPROGRESS)
		return errno;
	return len ? 0 : EAFNOSUPPORT;
}

static void on_called(struct egress *e, void *ctx, int error)
{
	(void)e;
	*(int *)ctx = error == EINPROGRESS ? 0 : error;
}

/* The program's own call, which must not wait, whatever the program's others do. */
static int call_own(struct egress *e, int fd, const struct address *to, uint16_t port)
{
	int flags = fcntl(fd, F_GETFL), error = 0;

	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	call_connect(e, fd, to, port, on_called, &error);
	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags);
	return error;
}

int near_hold(struct egress *e, int fd, int host, int *ret_own)
{
	int family = family_of(fd);
	struct address from, to, own_at;
	uint16_t port = 0, own_port = 0;
	int error = name(fd, family, &from, &port);

	if (error)
		return error;
	AUTO_CLOSE int own = open_own(family, host, &to);
	if (own < 0 || address_of(own, &own_at, &own_port) != 0)
		return EADDRNOTAVAIL;
	inert_set(fd, true);
	inert_set(own, true);
	error = call(own, is_any(&from) ? &to : &from, port, family);
	inert_set(own, false);
	if (!error)
		error = call_own(e, fd, &to, own_port);
	if (!error)
		*ret_own = scope_take_fd(&own);
	return error;
}

static void forget(int own)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};

	(void)!connect(own, &none, sizeof(none));
}

int near_let(int fd, int own)
{
	struct address from;
	uint16_t port = 0;
	int error = address_of(fd, &from, &port);

	if (error)
		return error;
	forget(own);
	inert_set(fd, false);
	return call(own, &from, port, family_of(fd));
}

void near_refuse(int fd, int own)
{
	inert_set(fd, false);
	forget(own);
}
