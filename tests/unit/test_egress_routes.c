/* SPDX-License-Identifier: MIT
 *
 * Which addresses are this host's own, in a network of the test's own: also one that it got only now,
 * and however many there are. Without an answer every address is.
 */
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "egress_parts.h"
#include "tap.h"

enum { MANY = 300 };

static struct address address_of(const char *text)
{
	struct address a = {.family = strchr(text, ':') ? AF_INET6 : AF_INET};

	inet_pton(a.family, text, a.bytes);
	return a;
}

static bool is_own(struct egress *e, const char *text)
{
	struct address a = address_of(text);

	return routes_is_local(e, &a);
}

/* As NAME, "lo:1". */
static void add(int fd, const char *name, const char *text)
{
	struct ifreq r = {0};
	struct sockaddr_in in = {.sin_family = AF_INET};

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	inet_pton(AF_INET, text, &in.sin_addr);
	memcpy(&r.ifr_addr, &in, sizeof(in));
	if (ioctl(fd, SIOCSIFADDR, &r) < 0)
		abort();
	in.sin_addr.s_addr = 0xffffffff;
	memcpy(&r.ifr_netmask, &in, sizeof(in));
	ioctl(fd, SIOCSIFNETMASK, &r);
}

int main(void)
{
	static struct egress e;
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	struct err err;
	char name[16], text[24];

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		ok(true, "no network of its own # SKIP unshare");
		return tap_done();
	}
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ioctl(fd, SIOCSIFFLAGS, &lo);
	ok(routes_open(&e, &err) == 0, "the kernel can be asked");
	ok(is_own(&e, "127.0.0.1") && is_own(&e, "127.9.9.9") && is_own(&e, "::1"), "the loopback");
	ok(!is_own(&e, "203.0.113.5") && !is_own(&e, "2001:db8::5"),
	   "others are not, even without a route");
	add(fd, "lo:1", "203.0.113.5");
	ok(is_own(&e, "203.0.113.5") && !is_own(&e, "203.0.113.6"), "one that came later");
	ok(is_own(&e, "64:ff9b::cb00:7105") && !is_own(&e, "64:ff9b::cb00:7106"),
	   "and what a translator would make it");
	for (int i = 2; i < MANY; i++) {
		snprintf(name, sizeof(name), "lo:%d", i);
		snprintf(text, sizeof(text), "198.51.%d.%d", 100 + i / 200, 1 + i % 200);
		add(fd, name, text);
	}
	ok(is_own(&e, text) && is_own(&e, "198.51.100.3"), "all of many");
	close(e.route);
	ok(is_own(&e, "203.0.113.6"), "without an answer it is");
	return tap_done();
}
