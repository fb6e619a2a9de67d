/* SPDX-License-Identifier: MIT
 *
 * Wrappers that handle partial reads and writes and EINTR. They leave errno for the caller.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#define IO_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int io_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t io_read_full(int fd, void *data, size_t len)
{
	char *p = data;
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, p + got, len - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int io_take_text(int fd, char *buf, size_t size)
{
	ssize_t n = fd < 0 ? -1 : io_read_full(fd, buf, size);

	if (n == (ssize_t)size) {
		errno = EOVERFLOW;
		n = -1;
	}
	if (n < 0) {
		buf[0] = '\0';
		return -1;
	}
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return 0;
}

int io_read_text(int dirfd, const char *path, char *buf, size_t size)
{
	AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	return io_take_text(fd, buf, size);
}

/* One write: cgroup and proc files need the whole value in one call. */
int io_write_text(int dirfd, const char *path, const char *text)
{
	AUTO_CLOSE int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (n >= 0 && (size_t)n < strlen(text)) {
		errno = EIO;
		n = -1;
	}
	return n < 0 ? -1 : 0;
}

struct dirent *io_readdir(DIR *d)
{
	errno = 0;
	return readdir(d);
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(IO_FDS_MAX * sizeof(int))];
};

int io_box_pipe(int ret[2])
{
	return pipe2(ret, O_CLOEXEC) < 0 || fchmod(ret[0], 0666) < 0 ? -1 : 0;
}

int io_send_fds(int sock, const void *data, size_t len, const int *fds, size_t count)
{
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;

	if (count > 0) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, count * sizeof(int));
	}
	ssize_t n;
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

ssize_t io_recv_fds(int sock, void *data, size_t size, int *fds, size_t *count)
{
	struct iovec iov = {.iov_base = data, .iov_len = size};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.bytes,
			     .msg_controllen = sizeof(control.bytes)};
	size_t room = *count, came = 0;
	int all[IO_FDS_MAX];
	ssize_t n;

	/* A peer that closes with unread messages causes ECONNRESET once; its own messages can
	 * still be received. */
	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0)
		return -1;
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		came = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(all, CMSG_DATA(c), came * sizeof(int));
	}
	if (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || came > room) {
		close_all(all, came);
		errno = EMSGSIZE;
		return -1;
	}
	memcpy(fds, all, came * sizeof(int));
	*count = came;
	return n;
}

int io_send(int sock, const void *data, size_t len, int fd)
{
	return io_send_fds(sock, data, len, &fd, fd >= 0);
}

ssize_t io_recv(int sock, void *data, size_t size, int *ret_fd)
{
	size_t count = 1;
	int fd = -1;
	ssize_t n = io_recv_fds(sock, data, size, &fd, &count);

	if (n >= 0)
		*ret_fd = count ? fd : -1;
	return n;
}

uint64_t io_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

bool io_is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & IO_SEALS) == IO_SEALS;
}

/* Kernels before 6.3 refuse MFD_NOEXEC_SEAL with EINVAL. */
static int new_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

int io_sealed_memfd(const char *name, const void *data, size_t len)
{
	AUTO_CLOSE int fd = new_memfd(name);
	if (fd < 0 || io_write_all(fd, data, len) < 0 || fcntl(fd, F_ADD_SEALS, IO_SEALS) < 0)
		return -1;
	return scope_take_fd(&fd);
}
