/* SPDX-License-Identifier: MIT
 *
 * A held connection is on the loopback, where other processes are too: none of them gets one of
 * its ports, however the program or another process shares its own. It completes when it is
 * released.
 */
#include "base/scope.h"
#include "egress_parts.h"
#include "tap.h"

static uint16_t port_of(int fd)
{
	struct sockaddr_in at;
	socklen_t len = sizeof(at);

	return getsockname(fd, (struct sockaddr *)&at, &len) == 0 ? ntohs(at.sin_port) : 0;
}

/* Another process connects to ADDRESS. */
static bool can_take(uint16_t port, uint32_t address)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
}

static void hold(struct parts *p, bool shares)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), own = -1;
	int on = shares;
	struct pollfd there = {.fd = fd, .events = POLLOUT};

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	ok(handshake_hold(p->e, fd, AF_INET, &own) == 0 && own >= 0, "a connection is held%s",
	   shares ? ", of a program that shares its port" : "");
	for (int i = 0; i < 2; i++) {
		uint16_t port = port_of(i ? own : fd);
		ok(port && !can_take(port, INADDR_LOOPBACK) && !can_take(port, INADDR_ANY),
		   "no other process gets %s port", i ? "our" : "the program's");
	}
	ok(poll(&there, 1, 50) == 0, "it is on its way");
	ok(handshake_complete(fd, own) == 0 && poll(&there, 1, 1000) == 1 &&
		   there.revents == POLLOUT,
	   "until it is let");
	char byte = 0;
	ok(send(fd, "x", 1, 0) == 1 && poll(&(struct pollfd){own, POLLIN, 0}, 1, 1000) == 1 &&
		   recv(own, &byte, 1, 0) == 1 && byte == 'x',
	   "to us");
	close(fd);
	close(own);
}

/* The program disconnects its socket and connects it to another host. */
static void supersede(struct parts *p)
{
	struct address silent = {AF_INET, {127, 0, 0, 1}};
	struct sockaddr_in at;
	int server = parts_server(0, &at);

	for (int i = 0; i < 4; i++) { /* whose queue is full: no packet is answered */
		int c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		connect(c, (struct sockaddr *)&at, sizeof(at));
	}
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct attempt *a = attempt_new(p->e, "", &silent, ntohs(at.sin_port));
	connect_host(p->e, 1, fcntl(fd, F_DUPFD_CLOEXEC, 0), a, &silent, "rule");
	ok(p->e->pending && a->live, "a call is on its way");
	shutdown(fd, SHUT_RDWR);
	int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	connect_supersede(p->e, connect_cookie(other));
	ok(p->e->pending && a->live, "another socket's call changes nothing of it");
	connect_supersede(p->e, connect_cookie(fd));
	ok(!p->e->pending && !a->live && a->row.verdict == EGRESS_FAILED,
	   "the next call of its own ends it, as failed");
	close(other);
	close(fd);
	close(server);
}

int main(void)
{
	struct parts p;

	alarm(60);
	parts_open(&p);
	hold(&p, false);
	hold(&p, true);
	supersede(&p);
	int rc = tap_done();
	fflush(stdout);
	_exit(rc);
}
