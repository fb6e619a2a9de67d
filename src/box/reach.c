/* SPDX-License-Identifier: MIT
 *
 * See reach.h. A path is looked up below the box's own root and never leaves it, whatever links are
 * on the way; what is found is taken by descriptor. Who answers connections too slowly is told to
 * try again: the supervisor must not wait.
 */
#include "box/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

#define PIDFD_THREAD O_EXCL /* Linux 6.9 */

enum { STATUS_ROOM = 4096 };

/* Before 6.9 only a process has a pidfd. */
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

int reach_process(pid_t tid)
{
	int fd = (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD);

	if (fd >= 0 || errno != EINVAL)
		return fd;
	return (int)syscall(SYS_pidfd_open, leader_of(tid), 0);
}

/* In the box's root; relative ones from where the program is. */
static int find(pid_t tid, const char *path)
{
	char link[64], whole[PATH_MAX * 2] = "";
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};

	if (path[0] != '/') {
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)tid);
		ssize_t n = readlink(link, whole, PATH_MAX - 1);
		if (n < 0)
			return -1;
		whole[n] = '/';
	}
	strncat(whole, path, PATH_MAX - 1);
	snprintf(link, sizeof(link), "/proc/%d/root", (int)tid);
	AUTO_CLOSE int root = open(link, O_PATH | O_CLOEXEC | O_DIRECTORY);
	return root < 0 ? -1 : (int)syscall(SYS_openat2, root, whole, &how, sizeof(how));
}

static int connect_quickly(int fd, const struct sockaddr_un *to, socklen_t len)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return errno;
	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	int error = connect(fd, (const struct sockaddr *)to, len) < 0 ? errno : 0;
	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags);
	return error;
}

int reach_unix(pid_t tid, int fd, const uint8_t *address, size_t len)
{
	struct sockaddr_un un = {0};
	char path[sizeof(un.sun_path) + 1] = "";
	size_t head = offsetof(struct sockaddr_un, sun_path);

	if (len > sizeof(un))
		return EINVAL;
	memcpy(&un, address, len);
	/* A name without a path belongs to the socket's own network namespace, which is the box's. */
	if (un.sun_family != AF_UNIX || len <= head || un.sun_path[0] == '\0')
		return connect_quickly(fd, &un, (socklen_t)len);
	memcpy(path, un.sun_path, len - head);
	AUTO_CLOSE int found = find(tid, path);
	if (found < 0)
		return errno;
	int n = snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d", found);
	return connect_quickly(fd, &un, (socklen_t)(head + (size_t)n + 1));
}
