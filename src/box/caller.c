/* SPDX-License-Identifier: MIT
 *
 * See caller.h. A path is looked up below the box's root and never leaves it, whatever links it has; the
 * result is a descriptor.
 */
#include "box/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

#define PIDFD_THREAD O_EXCL /* Linux 6.9 */

enum { STATUS_ROOM = 4096 };

bool caller_waits(int listener, const struct seccomp_notif *req)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &req->id) == 0;
}

/* Before Linux 6.9 a thread has no pidfd, only its process has. */
static pid_t leader_of(pid_t tid)
{
	char path[64], status[STATUS_ROOM];
	AUTO_CLOSE int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : io_read_full(fd, status, sizeof(status) - 1);
	status[n > 0 ? n : 0] = '\0';
	const char *line = strstr(status, "\nTgid:\t");
	return line ? (pid_t)strtol(line + 7, NULL, 10) : -1;
}

int caller_pidfd(pid_t tid)
{
	int fd = (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD);

	if (fd >= 0 || errno != EINVAL)
		return fd;
	return (int)syscall(SYS_pidfd_open, leader_of(tid), 0);
}

/* Opens PATH below the box's root; a relative one starts at the caller's directory. Once the caller is
 * dead, its pid may name a process of the host, with the host's root: so the caller is checked last. */
static int find(int listener, const struct seccomp_notif *req, const char *path)
{
	char link[64], whole[PATH_MAX * 2] = "";
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};

	if (path[0] != '/') {
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)req->pid);
		ssize_t n = readlink(link, whole, PATH_MAX - 1);
		if (n < 0)
			return -1;
		whole[n] = '/';
	}
	strncat(whole, path, PATH_MAX - 1);
	snprintf(link, sizeof(link), "/proc/%d/root", (int)req->pid);
	AUTO_CLOSE int root = open(link, O_PATH | O_CLOEXEC | O_DIRECTORY);
	if (root >= 0 && !caller_waits(listener, req)) {
		errno = ESRCH;
		return -1;
	}
	return root < 0 ? -1 : (int)syscall(SYS_openat2, root, whole, &how, sizeof(how));
}

static int connect_to(int fd, const struct sockaddr_un *to, size_t len)
{
	return connect(fd, (const struct sockaddr *)to, (socklen_t)len) < 0 ? errno : 0;
}

int caller_connect_unix(int listener, const struct seccomp_notif *req, int fd,
			const uint8_t *address, size_t len)
{
	struct sockaddr_un un = {0};
	char path[sizeof(un.sun_path) + 1] = "";
	size_t head = offsetof(struct sockaddr_un, sun_path);

	if (len > sizeof(un))
		return EINVAL;
	memcpy(&un, address, len);
	/* An abstract name belongs to the network namespace of the socket, which is the box's. */
	if (un.sun_family != AF_UNIX || len <= head || un.sun_path[0] == '\0')
		return connect_to(fd, &un, len);
	memcpy(path, un.sun_path, len - head);
	AUTO_CLOSE int found = find(listener, req, path);
	if (found < 0)
		return errno;
	int n = snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d", found);
	return connect_to(fd, &un, head + (size_t)n + 1);
}
