/* SPDX-License-Identifier: MIT
 *
 * See packet_drop.h. An IPv6 socket gets both options, because it can be connected to an IPv4 host.
 */
#include "base/packet_drop.h"

#include <netinet/in.h>
#include <sys/socket.h>

#ifndef IPV6_MINHOPCOUNT
#define IPV6_MINHOPCOUNT 73
#endif

enum { HOPS_MAX = 255 };

int packet_drop_set(int fd, bool drops)
{
	int hops = drops ? HOPS_MAX : 0, family = 0;
	socklen_t len = sizeof(family);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) < 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_MINTTL, &hops, sizeof(hops)) < 0)
		return -1;
	if (family == AF_INET6)
		return setsockopt(fd, IPPROTO_IPV6, IPV6_MINHOPCOUNT, &hops, sizeof(hops));
	return 0;
}
