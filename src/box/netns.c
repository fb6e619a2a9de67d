/* SPDX-License-Identifier: MIT
 *
 * The network namespace: empty, and by far the dearest one to make (half a millisecond). So a
 * child of init makes it, on another core, while init builds the root; init then moves in. The
 * child shares init's descriptors and says by its exit status which one is the namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/box.h"

enum { FAILED = 128 }; /* plus errno; descriptors are below it */

static int make(void)
{
	if (unshare(CLONE_NEWNET) < 0)
		return FAILED | (errno & 127);
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return FAILED | (errno & 127);
	return fd < FAILED ? fd : FAILED;
}

pid_t netns_begin(void)
{
	/* No stack and no flag beyond fork's, so the order of the arguments does not matter. */
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(make());
	return pid;
}

static int fail(struct err *err, int error)
{
	errno = error;
	err_errno(err, ERR_LAYER, "making the network namespace");
	err_blame(err, "netns");
	why_layer(err, LAYER_NETNS);
	return -1;
}

int netns_join(struct box *b, pid_t pid, struct err *err)
{
	int status = 0;

	if (pid < 0)
		return fail(err, EAGAIN);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(err, errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status) >= FAILED)
		return fail(err, WIFEXITED(status) ? WEXITSTATUS(status) & 127 : EINTR);
	if (setns(WEXITSTATUS(status), CLONE_NEWNET) < 0)
		return fail(err, errno);
	close(WEXITSTATUS(status));
	box_mark(b, LAYER_NETNS);
	return 0;
}
