/* SPDX-License-Identifier: MIT
 *
 * Connects the program's socket (P) to a socket of cordon-egress (E) on the loopback, and holds the TCP
 * handshake until the host is connected or has refused. Meanwhile a program that does not wait sees a
 * connection in progress, as it would with the host itself.
 *
 *     hold      E drops packets and connects to P, so it ignores the reset. P connects to E: E receives
 *               the SYN and answers; P drops packets, and so the answer.
 *     complete  E disconnects and connects again: two sockets that connect to each other are connected
 *               (RFC 9293, 3.5).
 *     refuse    E disconnects and sends a reset with the right number, because it has received the SYN.
 *
 * base/packet_drop.h makes a socket drop packets. No other process can take part: both ports are bound, and
 * never by a socket that shares its port (older kernels would then give the port to other sockets).
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/packet_drop.h"
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

/* Binds the program's socket to a port, but to no address, because it would keep that for another host. */
static int name(int fd, int family, struct address *ret, uint16_t *ret_port)
{
	struct sockaddr_storage any = {.ss_family = (sa_family_t)family};
	socklen_t len =
		family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	int off = 0;

	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &off, sizeof(off));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &off,
		   sizeof(off)); /* the port must not be shared */
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

/* A socket at AT with a port that it keeps when it disconnects: the kernel keeps only a port
 * that was bound by number. Another process may take it first: then try another. */
static int open_at(const struct address *at, int family)
{
	AUTO_CLOSE int own = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int hops = HOPS;

	if (own < 0)
		return -1;
	/* A socket that drops packets must do so, whatever the host's default TTL is. */
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

/* With the address family of the host, because some sockets can use only one. Not every machine has IPv6 on
 * the loopback. */
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

/* Connects the program's socket without blocking, even if the socket blocks. */
static int call_own(struct egress *e, int fd, const struct address *to, uint16_t port)
{
	int flags = fcntl(fd, F_GETFL), error = 0;

	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	connect_call(e, fd, to, port, on_called, &error);
	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags);
	return error;
}

int handshake_hold(struct egress *e, int fd, int host, int *ret_own)
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
	packet_drop_set(fd, true);
	packet_drop_set(own, true);
	error = call(own, is_any(&from) ? &to : &from, port, family);
	packet_drop_set(own, false);
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

int handshake_complete(int fd, int own)
{
	struct address from;
	uint16_t port = 0;
	int error = address_of(fd, &from, &port);

	if (error)
		return error;
	forget(own);
	packet_drop_set(fd, false);
	return call(own, &from, port, family_of(fd));
}

void handshake_refuse(int fd, int own)
{
	packet_drop_set(fd, false);
	forget(own);
}
