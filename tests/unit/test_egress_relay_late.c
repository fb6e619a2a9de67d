/* SPDX-License-Identifier: MIT
 *
 * Slow hosts and a slow program: a host that connects and sends nothing times out, TLS data that
 * cannot be sent yet is sent later, and the loop does not spin on a closed side while the other
 * one does not read.
 */
#include <linux/sockios.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>

#include "base/io.h"
#include "egress_parts.h"
#include "tap.h"

enum { CHUNK = 16384, QUIET_MS = 200 };

static uint64_t later_ns;
static int contexts, fill;

uint64_t __real_io_now_ns(void);
uint64_t __wrap_io_now_ns(void);
SSL_CTX *__real_SSL_CTX_new(const SSL_METHOD *method);
SSL_CTX *__wrap_SSL_CTX_new(const SSL_METHOD *method);
int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);

uint64_t __wrap_io_now_ns(void)
{
	return __real_io_now_ns() + later_ns;
}

SSL_CTX *__wrap_SSL_CTX_new(const SSL_METHOD *method)
{
	contexts++;
	return __real_SSL_CTX_new(method);
}

/* A connection that is there, and has no room any more when TLS begins. */
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	char junk[CHUNK] = {0};

	while (fill && level == SOL_SOCKET && name == SO_ERROR &&
	       send(fd, junk, sizeof(junk), MSG_DONTWAIT) > 0)
		fill++;
	return __real_getsockopt(fd, level, name, value, len);
}

static const struct egress_secret secret = {.kind = EGRESS_SECRET,
					    .port = 443,
					    .host = "web.test",
					    .header = "Authorization",
					    .placeholder = "word",
					    .value = "s3cret",
					    .policy = {"", "/"},
					    .usec = 1,
					    .use = {{"", "/"}}};

static struct attempt *begin(struct parts *p, uint64_t id, const struct sockaddr_in *at, int fd,
			     const struct egress_secret *s)
{
	struct address to = parts_loopback();
	struct attempt *a = attempt_new(p->e, "web.test", &to, ntohs(at->sin_port));

	relay_host(p->e, id, fd, a, &to, "rule", s);
	return a;
}

static int program(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Turns as long as something happens; false: the whole time, and more often than the clock ticks. */
static bool is_quiet(struct parts *p)
{
	uint64_t until = io_now_ns() + QUIET_MS * 1000000ULL;
	int turns = 0;

	while (io_now_ns() < until && parts_turn(p, 20))
		turns++;
	return turns < 2 * QUIET_MS / 5;
}

static int after_a_minute(struct parts *p, uint64_t id)
{
	bool early = parts_until(p, id, 20) >= 0;

	later_ns += (EGRESS_CONNECT_MS + 1000) * 1000000ULL;
	return early ? -2 : parts_until(p, id, 3000);
}

/* The host takes the connection and says nothing. */
static void mute(struct parts *p)
{
	struct sockaddr_in at;
	int server = parts_server(8, &at);
	struct attempt *a = begin(p, 1, &at, program(), &secret);

	ok(after_a_minute(p, 1) == ETIMEDOUT && !a->live && a->row.verdict == EGRESS_FAILED,
	   "a host that says nothing is given up");
	ok(strstr(a->row.rule, "prove") != NULL, "and why is told: %s", a->row.rule);
	begin(p, 2, &at, program(), &secret);
	is_quiet(p);
	ok(contexts == 1, "certificates are read once, not for each of them: %d", contexts);
	after_a_minute(p, 2);
	close(server);
}

/* A server whose queue is full: no packet is answered. The queue is full once the first of these
 * is connected. */
static void unreachable(struct parts *p)
{
	struct sockaddr_in at;
	int server = parts_server(0, &at), waiting[4];

	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		(void)!connect(waiting[i], (struct sockaddr *)&at, sizeof(at));
	}
	poll(&(struct pollfd){.fd = waiting[0], .events = POLLOUT}, 1, 10000);
	struct attempt *a = begin(p, 3, &at, program(), NULL);
	ok(after_a_minute(p, 3) == ETIMEDOUT && !a->live && a->row.verdict == EGRESS_FAILED,
	   "so is one that does not answer");
	close(server);
}

/* Of DATA, whether there is a handshake of TLS behind the zeros. */
static bool has_hello(const uint8_t *data, ssize_t len)
{
	for (ssize_t i = 0; i < len; i++)
		if (data[i])
			return data[i] == 0x16;
	return false;
}

static void no_room(struct parts *p)
{
	struct sockaddr_in at;
	int server = parts_server(8, &at);
	uint8_t data[CHUNK];
	bool hello = false;

	fill = 1;
	begin(p, 4, &at, program(), &secret);
	int host = accept4(server, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fill == 1 && parts_turn(p, 1000)) /* the clock may be first */
		;
	ok(fill > 1 && is_quiet(p), "TLS waits for room, and nothing spins: %d", fill);
	fill = 0;
	for (int i = 0; i < 2000 && !hello; i++) {
		ssize_t n = recv(host, data, sizeof(data), 0);
		hello = n > 0 && has_hello(data, n);
		parts_turn(p, 1);
	}
	ok(hello, "and goes on when there is some");
	after_a_minute(p, 4);
	close(host);
	close(server);
}

/* Sends until the program's side, which does not read, and what is between them are full. */
static size_t send_full(struct parts *p, int host, const struct attempt *a)
{
	static const char data[CHUNK];
	size_t sent = 0;
	uint64_t moved = 0;

	for (int same = 0, left = 1; same < 8 || left;) {
		ssize_t n = same < 8 ? send(host, data, sizeof(data), MSG_DONTWAIT) : 0;
		sent += n > 0 ? (size_t)n : 0;
		for (int i = 0; i < 20 && parts_turn(p, 2); i++)
			;
		same = a->row.bytes_in == moved ? same + 1 : 0;
		moved = a->row.bytes_in;
		ioctl(host, SIOCOUTQ, &left);
		if (same > 100)
			break;
	}
	return sent;
}

static size_t read_all(struct parts *p, int fd)
{
	char data[CHUNK];
	size_t got = 0;

	for (int i = 0; i < 100000; i++) {
		ssize_t n = recv(fd, data, sizeof(data), MSG_DONTWAIT);
		if (n == 0)
			return got;
		got += n > 0 ? (size_t)n : 0;
		if (n < 0)
			parts_turn(p, 1);
	}
	return got;
}

/* Both have said all, and the program has not read it. */
static void unread(struct parts *p)
{
	struct sockaddr_in at;
	int server = parts_server(8, &at), fd = program(), size = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	struct attempt *a = begin(p, 5, &at, dup(fd), NULL);
	ok(parts_until(p, 5, 3000) == 0, "a program that does not read");
	int host = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	shutdown(fd, SHUT_WR);
	size_t sent = send_full(p, host, a);
	close(host);
	ok(is_quiet(p) && a->live, "nothing spins while it does not");
	size_t got = read_all(p, fd);
	ok(got == sent && !a->live, "and then it gets all: %zu of %zu", got, sent);
	close(fd);
	close(server);
}

int main(void)
{
	struct parts p;

	alarm(120);
	parts_open(&p);
	mute(&p);
	unreachable(&p);
	no_room(&p);
	unread(&p);
	int rc = tap_done();
	fflush(stdout);
	_exit(rc); /* a thread may still wait */
}
