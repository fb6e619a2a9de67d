/* SPDX-License-Identifier: MIT
 *
 * The network of a box that may connect has a loopback and one socket on it: the resolver's. The program's
 * process makes it while it still has rights over the network namespace, and passes it to cordon-egress.
 * Datagrams of the program reach this socket and no other.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/box.h"
#include "model/egress_message.h"

static int raise_loopback(int fd)
{
	struct ifreq lo = {.ifr_name = "lo"};

	if (ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
		return -1;
	lo.ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &lo);
}

int resolver_socket_open(struct box *b, struct err *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(EGRESS_RESOLVER_PORT)};

	if (!(b->spec->flags & SPEC_NET))
		return 0;
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	inet_pton(AF_INET, EGRESS_RESOLVER, &at.sin_addr);
	if (fd < 0 || raise_loopback(fd) < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return diagnose_failed(err, LAYER_NETNS, "making the resolver's socket");
	b->resolver = scope_take_fd(&fd);
	return 0;
}
