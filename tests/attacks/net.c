/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the network: the host's loopback services, its sockets by name and by path, a route
 * to outside, and the families that no network namespace confines (AF_VSOCK talks to the
 * hypervisor). The runner listens; it must hear nothing. "Outside" is a UDP connect() to a
 * documentation address: a route lookup, no packet.
 */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HELLO "hello from inside"

static struct sockaddr_in loopback(long port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return to;
}

static int tcp_connect(const struct args *args)
{
	struct sockaddr_in to = loopback(arg_number(args, "tcp", 9));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return held("socket: %s", strerrorname_np(errno));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return held("connect: %s", strerrorname_np(errno));
	if (write(fd, HELLO, sizeof(HELLO)) < 0)
		return escaped("connected");
	return escaped("connected and wrote");
}

/* Landlock's TCP rule looks at connect(); MSG_FASTOPEN connects in sendto() (seen on 6.18). */
static int tcp_fastopen(const struct args *args)
{
	struct sockaddr_in to = loopback(arg_number(args, "tcp", 9));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct iovec vec = {HELLO, sizeof(HELLO)};
	struct msghdr message = {
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &vec, .msg_iovlen = 1};
	int on = 1;

	if (fd < 0)
		return held("socket: %s", strerrorname_np(errno));
	if (sendto(fd, HELLO, sizeof(HELLO), MSG_FASTOPEN, (struct sockaddr *)&to, sizeof(to)) > 0)
		return escaped("sendto with MSG_FASTOPEN");
	if (sendmsg(fd, &message, MSG_FASTOPEN) > 0)
		return escaped("sendmsg with MSG_FASTOPEN");
	setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
	    write(fd, HELLO, sizeof(HELLO)) > 0)
		return escaped("connect with TCP_FASTOPEN_CONNECT");
	return held("%s", strerrorname_np(errno));
}

static int udp_send(const struct args *args)
{
	struct sockaddr_in to = loopback(arg_number(args, "udp", 9));
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return held("socket: %s", strerrorname_np(errno));
	if (sendto(fd, HELLO, sizeof(HELLO), 0, (struct sockaddr *)&to, sizeof(to)) > 0)
		return escaped("a datagram was sent");
	return held("sendto: %s", strerrorname_np(errno));
}

static int udp_route(const struct args *args)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)args;
	inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
	if (fd < 0)
		return held("socket: %s", strerrorname_np(errno));
	return must_fail("route", connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

/* The same loopback under its other names: IPv6, and IPv4 within IPv6. */
static int tcp_six(const struct args *args)
{
	static const char *const names[] = {"::1", "::ffff:127.0.0.1", "::"};
	struct sockaddr_in6 to = {.sin6_family = AF_INET6};

	to.sin6_port = htons((uint16_t)arg_number(args, "tcp", 9));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return held("socket: %s", strerrorname_np(errno));
		inet_pton(AF_INET6, names[i], &to.sin6_addr);
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
			return escaped("connected to %s", names[i]);
		close(fd);
	}
	return held("connect: %s", strerrorname_np(errno));
}

static int unix_to(const struct sockaddr_un *to, socklen_t length)
{
	int stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (stream < 0)
		return held("socket: %s", strerrorname_np(errno));
	if (connect(stream, (const struct sockaddr *)to, length) < 0)
		return held("connect: %s", strerrorname_np(errno));
	if (write(stream, HELLO, sizeof(HELLO)) < 0)
		return escaped("connected");
	return escaped("connected and wrote");
}

/* An abstract name belongs to the network namespace; nothing on disk guards it. */
static int unix_abstract(const struct args *args)
{
	const char *name = arg_text(args, "abstract", "none");
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, "%s", name);
	return unix_to(&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)));
}

/* docker.sock on a read-only bind is still docker.sock: connect() is not a write (VAREK A6). */
static int unix_path(const struct args *args)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", arg_text(args, "unix", "/run/none"));
	return unix_to(&to, sizeof(to));
}

/* The same socket where the person left one in the directory he lent us. */
static int unix_near(const struct args *args)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "host.sock"};

	(void)args;
	return unix_to(&to, sizeof(to));
}

/* Every family but AF_UNIX. NETLINK, PACKET, ALG and VSOCK each have their own list of CVEs. */
static int families(const struct args *args)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
	long only = arg_number(args, "family", 0);

	for (int family = 2; family < 64; family++)
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			if (only && family != only)
				continue;
			if (socket(family, types[i] | SOCK_CLOEXEC, 0) >= 0)
				return escaped("family %d type %d", family, types[i]);
			if (!errno_is_shut(errno))
				return escaped("family %d reached: %s", family,
					       strerrorname_np(errno));
		}
	return held("%s", strerrorname_np(errno));
}

static int pair_families(const struct args *args)
{
	int pair[2];

	(void)args;
	for (int family = 2; family < 64; family++)
		if (socketpair(family, SOCK_STREAM, 0, pair) == 0)
			return escaped("a pair of family %d", family);
	return held("%s", strerrorname_np(errno));
}

/* Bind a port that others on the host could connect to. */
static int tcp_listen(const struct args *args)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)args;
	if (fd < 0)
		return held("socket: %s", strerrorname_np(errno));
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0 || listen(fd, 1) < 0)
		return held("bind: %s", strerrorname_np(errno));
	return escaped("listening");
}

/* What ordinary programs need stays: a pair of unix sockets carries a byte. */
static int pair_works(const struct args *args)
{
	int pair[2];
	char byte = 0;

	(void)args;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return escaped("socketpair is broken: %s", strerrorname_np(errno));
	if (write(pair[0], "x", 1) != 1 || read(pair[1], &byte, 1) != 1 || byte != 'x')
		return escaped("socketpair is broken: %s", strerrorname_np(errno));
	return held("a unix pair works, as asked");
}

const struct probe net_probes[] = {
	{"tcp-connect", tcp_connect, "a TCP service on the host's loopback"},
	{"tcp-fastopen", tcp_fastopen, "the same with TCP fast open"},
	{"tcp-six", tcp_six, "the same by its IPv6 names"},
	{"tcp-listen", tcp_listen, "listen on a port"},
	{"udp-send", udp_send, "a datagram to the host's loopback"},
	{"udp-route", udp_route, "find a route to outside"},
	{"unix-abstract", unix_abstract, "an abstract unix socket of the host"},
	{"unix-path", unix_path, "a unix socket on the host's disk"},
	{"unix-near", unix_near, "a unix socket that lies in the workspace"},
	{"families", families, "any socket family but AF_UNIX, or family="},
	{"pair-families", pair_families, "a socket pair of another family"},
	{"pair-works", pair_works, "a unix socket pair, which must work"},
	{NULL, NULL, NULL},
};
