/* SPDX-License-Identifier: MIT
 *
 * The network of a box that has internet sockets is a loopback, with no route to anywhere. The
 * program's process makes it while it still has rights over the network namespace. In a box that
 * may connect, one socket on it is the resolver's, which is passed to cordon-egress: datagrams of
 * the program reach this socket and no other.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "model/egress_message.h"

/* A v1 cgroup does not count the buffers of TCP, so they are small: at most 128 KB for each socket, of which
 * there are CORDON_LOOPBACK_MAX. Where /proc/sys is read-only (in a container) the host's limits hold. */
#define TCP_BUFFERS "4096 65536 65536"

static int raise_loopback(int fd)
{
	struct ifreq lo = {.ifr_name = "lo"};

	if (ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
		return -1;
	lo.ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &lo);
}

static void limit_buffers(void)
{
	(void)!io_write_text(AT_FDCWD, "/proc/sys/net/ipv4/tcp_rmem", TCP_BUFFERS);
	(void)!io_write_text(AT_FDCWD, "/proc/sys/net/ipv4/tcp_wmem", TCP_BUFFERS);
}

int own_network_open(struct box *b, struct err *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(EGRESS_RESOLVER_PORT)};

	if (!box_has_inet(b))
		return 0;
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || raise_loopback(fd) < 0)
		return diagnose_failed(err, LAYER_NETNS, "raising the loopback");
	if (b->spec->flags & SPEC_DEV)
		limit_buffers();
	if (!(b->spec->flags & SPEC_NET))
		return 0;
	inet_pton(AF_INET, EGRESS_RESOLVER, &at.sin_addr);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return diagnose_failed(err, LAYER_NETNS, "making the resolver's socket");
	b->resolver = scope_take_fd(&fd);
	return 0;
}
