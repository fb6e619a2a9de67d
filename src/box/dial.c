/* SPDX-License-Identifier: MIT
 *
 * See dial.h. Every call here ends in at most one system call of our own on a descriptor that we
 * have fetched from the program, and none of them may wait: the supervisor keeps the clock.
 */
#include "box/dial.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/inert.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/local.h"
#include "box/reach.h"
#include "box/sys.h"
#include "model/egress.h"

struct call {
	const struct box *box;
	struct local *local;
	int listener;
	const struct seccomp_notif *req;
};

static enum dial answer(const struct call *c, int error)
{
	struct seccomp_notif_resp resp = {.id = c->req->id, .error = -error};

	ioctl(c->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	return DIAL_ANSWERED;
}

static enum dial answer_errno(const struct call *c, int result)
{
	return answer(c, result < 0 ? errno : 0);
}

static bool is_tcp(const struct seccomp_data *d)
{
	int family = (int)d->args[0], protocol = (int)d->args[2];

	return (family == AF_INET || family == AF_INET6) &&
	       ((int)d->args[1] & 0xf) == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP);
}

static enum dial on_socket(const struct call *c)
{
	const struct seccomp_data *d = &c->req->data;
	int type = (int)d->args[1];

	if (!is_tcp(d) || type & ~(0xf | SOCK_CLOEXEC | SOCK_NONBLOCK))
		return DIAL_REFUSED;
	AUTO_CLOSE int fd = socket((int)d->args[0], type | SOCK_CLOEXEC, IPPROTO_TCP);
	if (fd < 0 || inert_set(fd, box_asks(c->box)) < 0)
		return answer(c, errno);
	struct seccomp_notif_addfd add = {.id = c->req->id,
					  .flags = SECCOMP_ADDFD_FLAG_SEND,
					  .srcfd = (uint32_t)fd,
					  .newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0};
	/* Its own limit of descriptors counts. */
	if (ioctl(c->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0 && errno != ENOENT)
		return answer(c, errno);
	return DIAL_ANSWERED;
}

/* The program's descriptor number FD: the thing itself, whatever the number means a moment later. */
static int fetch(const struct call *c, int fd)
{
	AUTO_CLOSE int process = reach_process((pid_t)c->req->pid);
	AUTO_CLOSE int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);

	if (copy >= 0 && !reach_is_valid(c->listener, c->req)) {
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

/* Once: what is changed afterwards is not looked at. */
static int copy_address(const struct call *c, struct egress_dial *ret)
{
	uint64_t len = c->req->data.args[2];
	struct iovec to = {ret->address, sizeof(ret->address)};
	struct iovec from = {(void *)(uintptr_t)c->req->data.args[1], (size_t)(uint32_t)len};

	if ((int32_t)len < (int32_t)sizeof(sa_family_t) || (uint32_t)len > sizeof(ret->address)) {
		errno = EINVAL;
		return -1;
	}
	to.iov_len = from.iov_len;
	ssize_t n = process_vm_readv((pid_t)c->req->pid, &to, 1, &from, 1, 0);
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

/* The box's own loopback, which nobody else is on. */
static bool is_own(const struct egress_dial *d)
{
	struct sockaddr_in in;

	if (family_of(d) == AF_UNSPEC)
		return true;
	if (family_of(d) != AF_INET || d->address_len < sizeof(in))
		return false;
	memcpy(&in, d->address, sizeof(in));
	return ntohl(in.sin_addr.s_addr) >> 24 == 127;
}

static enum dial connect_here(const struct call *c, int fd, const struct egress_dial *d)
{
	struct sockaddr_storage to = {0};

	memcpy(&to, d->address, d->address_len);
	return answer_errno(c, connect(fd, (struct sockaddr *)&to, d->address_len));
}

static enum dial connect_local(const struct call *c, int fd, const struct egress_dial *d)
{
	int error = local_start(c->local, c->listener, c->req, fd, d->address, d->address_len);

	return error ? answer(c, error) : DIAL_ASKED;
}

static enum dial on_connect(const struct call *c)
{
	struct egress_dial d = {.kind = EGRESS_DIAL, .id = c->req->id};

	if (copy_address(c, &d) < 0)
		return answer(c, errno);
	AUTO_CLOSE int fd = fetch(c, (int)c->req->data.args[0]);
	if (fd < 0)
		return answer(c, errno);
	int domain = option(fd, SO_DOMAIN);
	d.type = option(fd, SO_TYPE);
	if (domain == AF_UNIX && c->box->spec->flags & SPEC_NEAR)
		return DIAL_REFUSED;
	if (domain == AF_UNIX)
		return connect_local(c, fd, &d);
	if (domain != AF_INET && domain != AF_INET6)
		return answer(c, domain < 0 ? ENOTSOCK : EAFNOSUPPORT);
	if (!box_asks(c->box) || (d.type == SOCK_DGRAM && is_own(&d)))
		return connect_here(c, fd, &d);
	if (io_send(EGRESS_FD, &d, sizeof(d), fd) < 0)
		return answer(c, errno == EAGAIN ? EAGAIN : ENETUNREACH);
	return DIAL_ASKED;
}

/* Among themselves they may; nobody outside is listened to. */
static enum dial on_listen(const struct call *c)
{
	AUTO_CLOSE int fd = fetch(c, (int)c->req->data.args[0]);

	if (fd < 0)
		return answer(c, errno);
	if (option(fd, SO_DOMAIN) != AF_UNIX)
		return DIAL_REFUSED;
	return answer_errno(c, listen(fd, (int)c->req->data.args[1]));
}

static const struct {
	long nr;
	enum dial (*make)(const struct call *c);
} calls[] = {{SYS_socket, on_socket}, {SYS_connect, on_connect}, {SYS_listen, on_listen}};

enum dial dial_call(const struct box *b, struct local *local, int listener,
		    const struct seccomp_notif *req)
{
	struct call c = {b, local, listener, req};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nr == req->data.nr)
			return calls[i].make(&c);
	return DIAL_REFUSED;
}

int dial_hear(int listener, enum limit_id *ret_limit, bool *ret_ended)
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
