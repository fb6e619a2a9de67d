/* SPDX-License-Identifier: MIT
 *
 * Is an address one of this host's own? It asks the kernel for the route each time, because a
 * list of addresses would be incomplete or out of date. If there is no answer, the address
 * counts as the host's own.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egress/egress.h"

enum { ANSWER_MAX = 4096 };

struct question {
	struct nlmsghdr h;
	struct rtmsg m;
	struct rtattr a;
	uint8_t to[16];
};

static size_t put_question(struct question *q, const struct address *a, uint32_t number)
{
	size_t len = a->family == AF_INET ? 4 : 16;

	*q = (struct question){
		.h = {.nlmsg_type = RTM_GETROUTE,
		      .nlmsg_flags = NLM_F_REQUEST,
		      .nlmsg_seq = number},
		.m = {.rtm_family = (uint8_t)a->family, .rtm_dst_len = (uint8_t)(len * 8)},
		.a = {.rta_type = RTA_DST, .rta_len = (uint16_t)RTA_LENGTH(len)}};
	memcpy(q->to, a->bytes, len);
	q->h.nlmsg_len = (uint32_t)(offsetof(struct question, to) + len);
	return q->h.nlmsg_len;
}

/* No route leads to the address: connecting to it fails. */
static bool is_nowhere(int error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES || error == EINVAL;
}

static bool is_local(struct egress *e, const struct address *a)
{
	struct question q;
	uint8_t data[ANSWER_MAX] __attribute__((aligned(8)));
	const struct nlmsghdr *h = (const void *)data;
	size_t len = put_question(&q, a, ++e->route_number);

	if (send(e->route, &q, len, 0) < 0)
		return true;
	ssize_t n = recv(e->route, data, sizeof(data), 0);
	if (n < (ssize_t)sizeof(*h) || h->nlmsg_seq != e->route_number)
		return true;
	if (h->nlmsg_type == NLMSG_ERROR && n >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)))
		return !is_nowhere(-((const struct nlmsgerr *)NLMSG_DATA(h))->error);
	if (h->nlmsg_type != RTM_NEWROUTE || n < (ssize_t)NLMSG_LENGTH(sizeof(struct rtmsg)))
		return true;
	return ((const struct rtmsg *)NLMSG_DATA(h))->rtm_type != RTN_UNICAST;
}

/* The IPv4 address that a translator would make of it counts too. */
bool routes_is_local(struct egress *e, const struct address *a)
{
	struct address inner;

	return is_local(e, a) || (address_inner(a, &inner) && is_local(e, &inner));
}

int routes_open(struct egress *e, struct err *err)
{
	e->route = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (e->route < 0)
		return err_errno(err, ERR_SYSTEM, "asking the kernel for routes");
	return 0;
}
