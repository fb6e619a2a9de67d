/* SPDX-License-Identifier: MIT
 *
 * So many sockets of the host end at once that the kernel's words about them are lost: a connection
 * whose word was among them is not taken for one that moved nothing.
 */
#include "egress_parts.h"
#include "tap.h"

static void noise(const struct sockaddr_in *at, int server)
{
	for (int i = 0; i < 100; i++) {
		struct linger now = {1, 0};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) < 0)
			abort();
		int other = accept4(server, NULL, NULL, SOCK_CLOEXEC);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		close(fd);
		close(other);
	}
}

static void test(uint64_t limit)
{
	struct parts p;
	struct sockaddr_in at;
	struct address to = parts_loopback();
	int small = 1;

	parts_open(&p); /* first: it takes two places */
	int server = parts_server(128, &at), fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	p.e->limit[LIMIT_NET_OUT] = limit;
	setsockopt(p.e->counter.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	struct attempt *a = attempt_new(p.e, "", &to, ntohs(at.sin_port));
	connect_host(p.e, 1, dup(fd), a, &to, "rule");
	ok(parts_until(&p, 1, 3000) == 0 && a->live, "a connection");
	int other = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	noise(&at, server);
	usleep(100000);
	send(fd, "hello", 5, 0);
	struct linger now = {1, 0};
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
	close(other);
	usleep(100000);
	for (int i = 0; i < 500 && (a->live || !p.e->cut); i++)
		parts_turn(&p, 20);
	struct egress_over over = {0};
	bool ended = recv(p.box, &over, sizeof(over), MSG_DONTWAIT) == sizeof(over) &&
		     over.kind == EGRESS_OVER && over.limit == LIMIT_NET_OUT && over.ended;
	ok(!a->live && p.e->cut && ended == (limit > 0),
	   limit ? "with a limit the run ends" : "it is told");
	close(server);
	parts_close(&p);
}

/* The kernel doubles what it is asked for. */
static void test_queue(void)
{
	struct parts p;
	int size = 0, want = 8 << 20;
	socklen_t len = sizeof(size);

	parts_open(&p);
	getsockopt(p.e->counter.fd, SOL_SOCKET, SO_RCVBUF, &size, &len);
	bool may =
		setsockopt(p.e->counter.fd, SOL_SOCKET, SO_RCVBUFFORCE, &want, sizeof(want)) == 0;
	ok(may ? size == 2 * want : size > 0, "as long a queue as it may have: %d", size);
	parts_close(&p);
}

int main(void)
{
	alarm(60);
	test_queue();
	test(1 << 20);
	test(0);
	return tap_done();
}
