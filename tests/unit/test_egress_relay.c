/* SPDX-License-Identifier: MIT
 *
 * A host disconnects between its own connection and the program's: no freed memory is used
 * (SAN=1 detects that), and the program sees the end.
 */
#include "egress/relay.h"
#include "egress_parts.h"
#include "tap.h"

static void reset(int server)
{
	struct linger now = {1, 0};
	int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

static void taken(struct egress *e, int fd, void *ctx)
{
	(void)e;
	*(int *)ctx = fd;
}

static void called(struct egress *e, void *ctx, int error)
{
	(void)e, (void)ctx, (void)error;
}

/* A socket at HOST:PORT, which is set if it is 0. */
static int bound(uint32_t host, struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	at->sin_family = AF_INET;
	at->sin_addr.s_addr = htonl(host);
	if (bind(fd, (struct sockaddr *)at, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)at, &len) < 0)
		abort();
	return fd;
}

/* From the port of one that is expected, but from another address, and earlier. */
static void test_stranger(void)
{
	struct parts p;
	struct sockaddr_in at = {0}, first_at = {0}, door = {.sin_family = AF_INET}, peer = {0};
	socklen_t len = sizeof(peer);
	int first = -1, came = -1;
	char byte;

	parts_open(&p);
	int one = bound(INADDR_LOOPBACK, &first_at), program = bound(INADDR_LOOPBACK, &at);
	int stranger = bound(INADDR_LOOPBACK + 1, &at);
	loopback_connect(p.e, one, called, taken, &first); /* opens it */
	while (first < 0 && parts_turn(&p, 1000))
		;
	door.sin_port = htons(p.e->loopback_port);
	door.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	connect(stranger, (struct sockaddr *)&door, sizeof(door));
	loopback_connect(p.e, dup(program), called, taken, &came);
	while (parts_turn(&p, 100))
		;
	getpeername(came, (struct sockaddr *)&peer, &len);
	ok(came >= 0 && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK),
	   "the expected socket is accepted");
	struct pollfd end = {.fd = stranger, .events = POLLIN};
	ok(poll(&end, 1, 1000) == 1 && recv(stranger, &byte, 1, 0) <= 0, "a stranger does not");
	close(came);
	close(first);
	parts_close(&p);
}

int main(void)
{
	struct parts p;
	struct sockaddr_in at;
	struct address to = parts_loopback();
	char byte;

	parts_open(&p);
	int server = parts_server(8, &at);
	int program = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct attempt *a = attempt_new(p.e, "web.test", &to, ntohs(at.sin_port));

	relay_host(p.e, 1, dup(program), a, &to, "web.test:443", NULL);
	while (!p.e->relays->let && parts_turn(&p, 1000))
		;
	ok(a->live && a->row.verdict == EGRESS_FAILED,
	   "the host is there, the program's end is not");
	reset(server);
	ok(parts_until(&p, 1, 3000) == 0 && a->row.verdict == EGRESS_CONNECTED,
	   "the program's end comes first");
	for (int i = 0; i < 20 && a->live; i++)
		parts_turn(&p, 100);
	ok(!a->live && !p.e->relays, "then it is over");
	struct pollfd end = {.fd = program, .events = POLLIN};
	ok(poll(&end, 1, 1000) == 1 && recv(program, &byte, 1, 0) < 0 && errno == ECONNRESET,
	   "and the program sees that");
	parts_close(&p);
	test_stranger();
	return tap_done();
}
