/* SPDX-License-Identifier: MIT
 *
 * A host that breaks off between its own connection and the program's: nobody touches what is gone
 * (SAN=1 sees that), and the program sees the end.
 */
#include "egress_parts.h"
#include "tap.h"

static void reset(int server)
{
	struct linger now = {1, 0};
	int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
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
	struct attempt *a = attempt_new("web.test", &to, ntohs(at.sin_port));

	relay_host(p.e, 1, dup(program), a, &to, "web.test:443", NULL);
	while (!p.e->expected && parts_turn(&p, 1000))
		;
	ok(p.e->expected && a->live, "the host is there, the program's end is not");
	reset(server);
	ok(parts_until(&p, 1, 100) == 0 && a->row.verdict == EGRESS_CONNECTED,
	   "the program's end comes first");
	for (int i = 0; i < 20 && a->live; i++)
		parts_turn(&p, 100);
	ok(!a->live && !p.e->expected, "then it is over");
	struct pollfd end = {.fd = program, .events = POLLIN};
	ok(poll(&end, 1, 1000) == 1 && recv(program, &byte, 1, 0) <= 0,
	   "and the program sees that");
	parts_close(&p);
	return tap_done();
}
