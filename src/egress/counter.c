/* SPDX-License-Identifier: MIT
 *
 * Counts bytes, from the kernel. cordon-egress keeps no descriptor of the program's sockets. But the kernel
 * reports, for each TCP socket that ends, how much it has transferred (sock_diag, as in `ss -E`), and answers
 * questions about live ones. Without these messages no limit could be kept, so cordon-egress does not start.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

enum {
	MESSAGE_MAX = 16384,
	QUEUE = 8 << 20, /* bytes: the kernel reports each socket of the host that ends */
	FINISH_MS = 200, /* for the last messages */
};

struct bytes {
	uint64_t out, in;
};

static void put(const struct sockaddr_storage *from, __be16 *ret_port, __be32 ret[4])
{
	const struct sockaddr_in *in = (const void *)from;
	const struct sockaddr_in6 *in6 = (const void *)from;

	if (from->ss_family == AF_INET) {
		*ret_port = in->sin_port;
		memcpy(ret, &in->sin_addr, sizeof(in->sin_addr));
	} else {
		*ret_port = in6->sin6_port;
		memcpy(ret, &in6->sin6_addr, sizeof(in6->sin6_addr));
	}
}

int counter_name(struct attempt *a, int fd, const struct address *to)
{
	struct sockaddr_storage own, peer;
	socklen_t len = sizeof(a->family), own_len = sizeof(own);
	uint64_t cookie = 0;
	socklen_t cookie_len = sizeof(cookie);

	memset(&own, 0, sizeof(own));
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &a->family, &len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &cookie_len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&own, &own_len) < 0 ||
	    address_sockaddr(to, (uint16_t)a->row.port, a->family, &peer) == 0)
		return -1;
	a->id.idiag_cookie[0] = (uint32_t)cookie;
	a->id.idiag_cookie[1] = (uint32_t)(cookie >> 32);
	put(&own, &a->id.idiag_sport, a->id.idiag_src);
	put(&peer, &a->id.idiag_dport, a->id.idiag_dst);
	return 0;
}

static bool is_same(const struct attempt *a, const struct inet_diag_msg *m)
{
	return a->id.idiag_cookie[0] == m->id.idiag_cookie[0] &&
	       a->id.idiag_cookie[1] == m->id.idiag_cookie[1];
}

/* Unsent data of a live socket counts as sent, because it is sent even after the end of the program. Kernels
 * before 4.19 do not count sent bytes; Cordon needs a later one anyway. */
static bool read_bytes(const struct inet_diag_msg *m, size_t len, bool live, struct bytes *ret)
{
	const struct rtattr *a = (const struct rtattr *)(m + 1);
	struct tcp_info info;

	memset(&info, 0, sizeof(info));
	for (len -= sizeof(*m); RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type != INET_DIAG_INFO)
			continue;
		size_t have = RTA_PAYLOAD(a);
		memcpy(&info, RTA_DATA(a), have < sizeof(info) ? have : sizeof(info));
		ret->out = info.tcpi_bytes_sent - info.tcpi_bytes_retrans +
			   (live ? info.tcpi_notsent_bytes : 0);
		ret->in = info.tcpi_bytes_received;
		return true;
	}
	return false;
}

static void on_message(struct egress *e, const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	struct bytes b = {0, 0};

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)) || h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return;
	for (struct attempt *a = e->live; a; a = a->next)
		if (is_same(a, m)) {
			if (read_bytes(m, NLMSG_PAYLOAD(h, 0), false, &b))
				attempt_die(e, a, b.out, b.in);
			return;
		}
}

static bool receive(struct egress *e)
{
	char data[MESSAGE_MAX];
	ssize_t n = recv(e->counter.fd, data, sizeof(data), MSG_DONTWAIT);
	size_t left = n > 0 ? (size_t)n : 0;

	for (const struct nlmsghdr *h = (const void *)data; NLMSG_OK(h, left);
	     h = NLMSG_NEXT(h, left))
		on_message(e, h);
	if (n < 0 &&
	    errno == ENOBUFS) { /* messages were lost; the others get some time to arrive */
		e->lost_ns = io_now_ns() + FINISH_MS * 1000000ULL;
		loop_need_clock(e);
		return true;
	}
	return n > 0;
}

static void check_limits(struct egress *e, uint64_t out, uint64_t in)
{
	enum limit_id over = e->limit[LIMIT_NET_OUT] && out > e->limit[LIMIT_NET_OUT]
				     ? LIMIT_NET_OUT
			     : e->limit[LIMIT_NET_IN] && in > e->limit[LIMIT_NET_IN] ? LIMIT_NET_IN
										     : LIMIT_NONE;

	if (over == LIMIT_NONE || e->over_sent)
		return;
	e->over_sent = true;
	answers_over(e, over, true);
}

static void on_counter(struct egress *e, struct watch *w, uint32_t events)
{
	(void)w, (void)events;
	receive(e);
	check_limits(e, e->bytes_out, e->bytes_in);
}

/* The bytes of a live connection. False: it has ended, and its last message is on the way. */
static bool ask(struct egress *e, const struct attempt *a, struct bytes *ret)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} q = {.h = {.nlmsg_len = sizeof(q),
		     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		     .nlmsg_flags = NLM_F_REQUEST},
	       .r = {.sdiag_family = (uint8_t)a->family,
		     .sdiag_protocol = IPPROTO_TCP,
		     .idiag_ext = 1 << (INET_DIAG_INFO - 1),
		     .idiag_states = ~0U,
		     .id = a->id}};
	char data[MESSAGE_MAX];

	if (send(e->diag, &q, sizeof(q), 0) < 0)
		return false;
	ssize_t n = recv(e->diag, data, sizeof(data), 0);
	const struct nlmsghdr *h = (const void *)data;
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) ||
	    h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	return read_bytes(NLMSG_DATA(h), NLMSG_PAYLOAD(h, 0), true, ret);
}

void counter_look(struct egress *e)
{
	struct bytes all = {e->bytes_out, e->bytes_in};

	for (struct attempt *a = e->live; a; a = a->next) {
		struct bytes b = {a->row.bytes_out, a->row.bytes_in};
		if (a->family && ask(e, a, &b)) {
			a->row.bytes_out = b.out;
			a->row.bytes_in = b.in;
		}
		all.out += b.out;
		all.in += b.in;
	}
	check_limits(e, all.out, all.in);
}

/* How much a connection transferred is unknown if its last message was lost. If there is a
 * limit, the run ends; otherwise the counts are marked as incomplete. */
void counter_look_lost(struct egress *e)
{
	if (!e->lost_ns || io_now_ns() < e->lost_ns)
		return;
	e->lost_ns = 0;
	while (receive(e))
		;
	for (struct attempt *a = e->live, *next; a && !e->lost_ns; a = next) {
		struct bytes b;
		next = a->next;
		if (!a->family || ask(e, a, &b))
			continue;
		e->cut = true;
		attempt_die(e, a, a->row.bytes_out, a->row.bytes_in);
		check_limits(e, UINT64_MAX, UINT64_MAX);
	}
}

/* Some connections end after the program, when the host closes them: read their counts now. */
void counter_finish(struct egress *e)
{
	uint64_t until = io_now_ns() + FINISH_MS * 1000000ULL;

	while (receive(e))
		;
	for (struct attempt *a = e->live, *next; a; a = next) {
		struct bytes b = {a->row.bytes_out, a->row.bytes_in};
		next = a->next;
		if (!a->family || ask(e, a, &b)) /* relays have no family */
			attempt_die(e, a, b.out, b.in);
	}
	while (e->live && io_now_ns() < until) {
		struct pollfd socket = {.fd = e->counter.fd, .events = POLLIN};
		if (poll(&socket, 1, 10) > 0)
			receive(e);
	}
	while (e->live)
		attempt_die(e, e->live, e->live->row.bytes_out, e->live->row.bytes_in);
	attempts_tell(e);
}

/* SO_RCVBUFFORCE exceeds the host's maximum, and needs a capability. */
static int set_queue(int fd)
{
	int size = QUEUE;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) == 0)
		return 0;
	return setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int open_netlink(unsigned groups, struct err *err)
{
	struct sockaddr_nl at = {.nl_family = AF_NETLINK, .nl_groups = groups};
	AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd >= 0 && set_queue(fd) == 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		return scope_take_fd(&fd);
	err_errno(err, ERR_SYSTEM, "asking the kernel to count connections");
	err_cause(err, "it does not report sockets (CONFIG_INET_TCP_DIAG)");
	return -1;
}

int counter_listen(struct egress *e, struct err *err)
{
	unsigned groups =
		1U << (SKNLGRP_INET_TCP_DESTROY - 1) | 1U << (SKNLGRP_INET6_TCP_DESTROY - 1);

	e->counter = (struct watch){open_netlink(groups, err), on_counter};
	return e->counter.fd < 0 ? -1 : 0;
}

int counter_open(struct egress *e, struct err *err)
{
	e->finish = counter_finish;
	e->diag = open_netlink(0, err);
	return e->diag < 0 ? -1 : loop_add(e, &e->counter, EPOLLIN, err);
}
