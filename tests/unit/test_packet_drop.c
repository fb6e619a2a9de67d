/* SPDX-License-Identifier: MIT
 *
 * A socket that drops packets neither connects nor is connected to, until it drops no more.
 */
#include "base/packet_drop.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "tap.h"

enum { WAIT_MS = 300 };

static int server(int family, bool drops, struct sockaddr_in6 *ret)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	const void *at = family == AF_INET ? (void *)&in : (void *)&in6;
	socklen_t len = family == AF_INET ? sizeof(in) : sizeof(in6), room = sizeof(*ret);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (drops)
		packet_drop_set(fd, true);
	if (bind(fd, at, len) < 0 || listen(fd, 5) < 0 || getsockname(fd, (void *)ret, &room) < 0)
		scope_close(&fd);
	return fd;
}

/* Is it there within the time? */
static bool connects(int fd, const struct sockaddr_in6 *to)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int error = 0;
	socklen_t len = sizeof(error);

	fcntl(fd, F_SETFL, O_NONBLOCK);
	connect(fd, (const void *)to, sizeof(*to));
	return poll(&p, 1, WAIT_MS) == 1 &&
	       getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0 &&
	       !(p.revents & (POLLERR | POLLHUP));
}

static void test_family(int family, const char *name)
{
	struct sockaddr_in6 at = {0};
	AUTO_CLOSE int open = server(family, false, &at);
	AUTO_CLOSE int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (open < 0) {
		tap_skip(name, "no such loopback here");
		return;
	}
	ok(packet_drop_set(fd, true) == 0 && !connects(fd, &at),
	   "%s: a socket that drops packets does not get there", name);
	scope_close(&fd);
	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok(packet_drop_set(fd, true) == 0 && packet_drop_set(fd, false) == 0 && connects(fd, &at),
	   "%s: one that was made alive does", name);
	AUTO_CLOSE int shut = server(family, true, &at);
	AUTO_CLOSE int other = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok(shut >= 0 && !connects(other, &at), "%s: nor is it connected to", name);
}

int main(void)
{
	test_family(AF_INET, "IPv4");
	test_family(AF_INET6, "IPv6");
	ok(packet_drop_set(STDIN_FILENO, true) < 0, "what is no socket is an error");
	return tap_done();
}
