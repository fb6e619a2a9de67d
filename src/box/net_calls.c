/* SPDX-License-Identifier: MIT
 *
 * See net_calls.h. The supervisor itself uses only the numeric arguments of a call. Workers, which may block,
 * read the program's memory and fetch and close its sockets (box/worker.h).
 */
#include "box/net_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/packet_drop.h"
#include "base/scope.h"
#include "box/caller.h"
#include "box/sys.h"
#include "box/watch.h"
#include "box/worker.h"
#include "model/egress_message.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static bool answer(int listener, const struct seccomp_notif *req, int error, unsigned flags)
{
	struct seccomp_notif_resp resp = {.id = req->id, .error = -error, .flags = flags};

	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	return true;
}

static bool is_inet(const struct seccomp_data *d, int type, int only)
{
	int family = (int)d->args[0], protocol = (int)d->args[2];

	return (family == AF_INET || family == AF_INET6) && ((int)d->args[1] & 0xf) == type &&
	       (protocol == 0 || protocol == only);
}

/* True: the caller's network namespace has MAX sockets, including those that no process holds, or they cannot
 * be counted. */
static bool is_full(const struct seccomp_notif *req, uint64_t max)
{
	char file[64];
	uint64_t used;

	snprintf(file, sizeof(file), "/proc/%d/net/sockstat", (int)req->pid);
	return watch_count_sockets(file, &used) < 0 || used >= max;
}

/* UDP sockets are in the box's own network namespace, where they reach only the resolver. A v1
 * cgroup does not count their queues, and all queues of the host share one maximum. So a box
 * gets few UDP sockets, with the host's default queue (no SO_RCVBUF). In the profile dev TCP sockets are
 * there too, until they are connected to a host. Local sockets count too, because the kernel has one counter
 * for all. The call has no pointer arguments, so it cannot change after the check and may continue. */
static bool make_in_box(int listener, const struct seccomp_notif *req, uint64_t max)
{
	if (is_full(req, max))
		return answer(listener, req, ENOBUFS, 0);
	return answer(listener, req, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

bool net_call_socket(const struct box *b, int listener, const struct seccomp_notif *req)
{
	const struct seccomp_data *d = &req->data;
	int type = (int)d->args[1];

	if (type & ~(0xf | SOCK_CLOEXEC | SOCK_NONBLOCK))
		return false;
	if (is_inet(d, SOCK_DGRAM, IPPROTO_UDP))
		return make_in_box(listener, req, CORDON_SOCKETS_MAX);
	if (!is_inet(d, SOCK_STREAM, IPPROTO_TCP))
		return false;
	if (box_is_dev(b))
		return make_in_box(listener, req, CORDON_LOOPBACK_MAX);
	AUTO_CLOSE int fd = socket((int)d->args[0], type | SOCK_CLOEXEC, IPPROTO_TCP);
	if (fd < 0 || packet_drop_set(fd, box_asks(b)) < 0)
		return answer(listener, req, errno, 0);
	struct seccomp_notif_addfd add = {.id = req->id,
					  .flags = SECCOMP_ADDFD_FLAG_SEND,
					  .srcfd = (uint32_t)fd,
					  .newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0};
	/* Fails if the program has reached its limit of open files. */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 && errno != ENOENT)
		return answer(listener, req, errno, 0);
	return true;
}

/* A copy of the descriptor that the call names. The number may soon mean another file; the copy does not. */
static int fetch(int listener, const struct seccomp_notif *req)
{
	AUTO_CLOSE int process = caller_pidfd((pid_t)req->pid);
	AUTO_CLOSE int copy =
		process < 0 ? -1
			    : (int)syscall(SYS_pidfd_getfd, process, (int)req->data.args[0], 0);

	if (copy >= 0 && !caller_waits(listener, req)) {
		errno = ESRCH;
		return -1;
	}
	return scope_take_fd(&copy);
}

static int option(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) < 0 ? -1 : value;
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0 ? 0 : cookie;
}

/* True: the socket is in the box's network namespace, and not one that was made here for a host. If the
 * kernel cannot tell (before 5.14), it counts as the latter. */
static bool is_in_box(int fd)
{
	AUTO_CLOSE int ours = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t theirs = cookie_of(fd), here = ours < 0 ? 0 : cookie_of(ours);

	return theirs && here && theirs != here;
}

/* Reads the address once: later changes have no effect. */
static int copy_address(const struct seccomp_notif *req, struct egress_dial *ret)
{
	uint64_t len = req->data.args[2];
	struct iovec to = {ret->address, sizeof(ret->address)};
	struct iovec from = {(void *)(uintptr_t)req->data.args[1], (size_t)(uint32_t)len};

	if ((int32_t)len < (int32_t)sizeof(sa_family_t) || (uint32_t)len > sizeof(ret->address)) {
		errno = EINVAL;
		return -1;
	}
	to.iov_len = from.iov_len;
	ssize_t n = process_vm_readv((pid_t)req->pid, &to, 1, &from, 1, 0);
	if (n != (ssize_t)from.iov_len) {
		errno = EFAULT;
		return -1;
	}
	ret->address_len = (uint32_t)n;
	return 0;
}

static int family_of(const struct egress_dial *d)
{
	sa_family_t family;

	memcpy(&family, d->address, sizeof(family));
	return family;
}

static bool is_loopback(const struct in_addr *a)
{
	uint32_t address = ntohl(a->s_addr);

	return address >> 24 == 127 || address == INADDR_ANY;
}

/* An address on the box's own loopback, which only the box uses; the kernel takes 0.0.0.0 and :: for it. */
static bool is_own(const struct egress_dial *d)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (family_of(d) == AF_UNSPEC)
		return true;
	if (family_of(d) == AF_INET && d->address_len >= sizeof(in)) {
		memcpy(&in, d->address, sizeof(in));
		return is_loopback(&in.sin_addr);
	}
	if (family_of(d) != AF_INET6 || d->address_len < sizeof(in6))
		return false;
	memcpy(&in6, d->address, sizeof(in6));
	struct in_addr mapped;
	memcpy(&mapped, in6.sin6_addr.s6_addr + 12, sizeof(mapped));
	return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) && is_loopback(&mapped));
}

/* Puts a new socket of the host's, which only cordon-egress can connect, in the place of the program's. Its
 * number may meanwhile mean another file: then the program loses that one. */
static int replace(const struct box *b, int listener, const struct seccomp_notif *req, int old,
		   int *ret)
{
	static const struct {
		int level, name;
	} kept[] = {{SOL_SOCKET, SO_KEEPALIVE}, {IPPROTO_TCP, TCP_NODELAY}};
	AUTO_CLOSE int fd = socket(option(old, SO_DOMAIN), SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);

	if (fd < 0 || packet_drop_set(fd, box_asks(b)) < 0 ||
	    fcntl(fd, F_SETFL, fcntl(old, F_GETFL) & O_NONBLOCK) < 0)
		return errno;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		int value = 0;
		socklen_t len = sizeof(value);
		if (getsockopt(old, kept[i].level, kept[i].name, &value, &len) == 0 && value)
			setsockopt(fd, kept[i].level, kept[i].name, &value, sizeof(value));
	}
	struct seccomp_notif_addfd add = {.id = req->id,
					  .flags = SECCOMP_ADDFD_FLAG_SETFD,
					  .srcfd = (uint32_t)fd,
					  .newfd = (uint32_t)req->data.args[0],
					  .newfd_flags = O_CLOEXEC};
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0)
		return errno;
	*ret = scope_take_fd(&fd);
	return 0;
}

/* glibc tries this socket before each lookup of a name. */
#define NSCD "/var/run/nscd/socket"

/* This process makes the other end of the connection, outside the box's cgroup: so their number
 * is limited. */
static int connect_local(int listener, const struct seccomp_notif *req, int fd,
			 const struct egress_dial *d, struct worker_answer *ret)
{
	const char *path = (const char *)d->address + sizeof(sa_family_t);
	int len = (int)(d->address_len - sizeof(sa_family_t));

	snprintf(ret->target, sizeof(ret->target), "%.*s", len, path);
	ret->quiet = strcmp(ret->target, NSCD) == 0;
	if (is_full(req, CORDON_LOCAL_MAX))
		return ENOBUFS;
	return caller_connect_unix(listener, req, fd, d->address, d->address_len);
}

/* The errno for the caller; or -1, and *RET says what to do instead. */
static int connect_fetched(const struct box *b, int listener, const struct seccomp_notif *req,
			   struct worker_answer *ret)
{
	struct egress_dial d = {.kind = EGRESS_DIAL, .id = req->id};

	if (copy_address(req, &d) < 0)
		return errno;
	AUTO_CLOSE int fd = fetch(listener, req);
	if (fd < 0)
		return errno;
	int domain = option(fd, SO_DOMAIN);
	d.type = option(fd, SO_TYPE);
	if (domain == AF_UNIX && b->spec->flags & SPEC_NEAR)
		return -1;
	if (domain == AF_UNIX)
		return connect_local(listener, req, fd, &d, ret);
	if (domain != AF_INET && domain != AF_INET6)
		return domain < 0 ? ENOTSOCK : EAFNOSUPPORT;
	bool in_box = is_in_box(fd), routed = b->spec->flags & SPEC_NET;
	ret->quiet = true; /* a client that waits for its server tries again and again */
	if (!box_asks(b) || (d.type == SOCK_DGRAM && is_own(&d)) ||
	    (in_box && (is_own(&d) || !routed)))
		return connect(fd, (struct sockaddr *)&d.address, d.address_len) < 0 ? errno : 0;
	if (!routed)
		return ENETUNREACH;
	AUTO_CLOSE int host = -1;
	if (in_box && d.type == SOCK_STREAM) {
		int error = replace(b, listener, req, fd, &host);
		if (error)
			return error;
	}
	if (io_send(EGRESS_FD, &d, sizeof(d), host < 0 ? fd : host) < 0)
		return errno == EAGAIN ? EAGAIN : ENETUNREACH;
	ret->verdict = WORKER_ASKED;
	return -1;
}

void net_call_connect(const struct box *b, int listener, const struct seccomp_notif *req,
		      struct worker_answer *ret)
{
	ret->error = connect_fetched(b, listener, req, ret);
	if (ret->error >= 0)
		ret->verdict = WORKER_ANSWER;
}

/* Programs in a box may serve each other over local sockets and the box's loopback, but no host outside. */
void net_call_listen(const struct box *b, int listener, const struct seccomp_notif *req,
		     struct worker_answer *ret)
{
	AUTO_CLOSE int fd = fetch(listener, req);

	if (fd >= 0 && option(fd, SO_DOMAIN) != AF_UNIX && !(box_is_dev(b) && is_in_box(fd)))
		return;
	ret->verdict = WORKER_ANSWER;
	ret->error = fd < 0 || listen(fd, (int)req->data.args[1]) < 0 ? errno : 0;
}

int net_calls_receive(int listener, enum limit_id *ret_limit, bool *ret_ended)
{
	union {
		uint32_t kind;
		struct egress_answer answer;
		struct egress_over over;
	} m;
	int fd = -1;
	ssize_t n = io_recv(EGRESS_FD, &m, sizeof(m), &fd);

	scope_close(&fd);
	if (n == sizeof(m.answer) && m.kind == EGRESS_ANSWER) {
		struct seccomp_notif_resp resp = {.id = m.answer.id, .error = -m.answer.error};
		if (listener >= 0)
			ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
		return 0;
	}
	if (n == sizeof(m.over) && m.kind == EGRESS_OVER && m.over.limit < LIMIT_COUNT) {
		*ret_limit = (enum limit_id)m.over.limit;
		*ret_ended = m.over.ended;
		return 1;
	}
	return -1;
}
