/* SPDX-License-Identifier: MIT
 *
 * See local.h. A process that connects has the listener and the program's socket and nothing else, and
 * dies with us. One whose caller is gone (killed, or interrupted and asking again) is killed when the
 * next one starts. Nothing here waits for what the program could delay.
 */
#include "box/local.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/reach.h"
#include "box/sys.h"

enum { END_MS = 1000 }; /* for all that were killed */

/* glibc looks for this one before every name. */
#define NSCD "/var/run/nscd/socket"

static bool is_nscd(const uint8_t *address, size_t len)
{
	size_t head = sizeof(sa_family_t);

	return len >= head + sizeof(NSCD) && memcmp(address + head, NSCD, sizeof(NSCD)) == 0;
}

static void keep_two(unsigned a, unsigned b)
{
	unsigned low = a < b ? a : b, high = a < b ? b : a;

	if (low > 0)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

static void child(pid_t parent, int listener, const struct seccomp_notif *req, int fd,
		  const uint8_t *address, size_t len)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(ECONNABORTED);
	keep_two((unsigned)listener, (unsigned)fd);
	_exit(reach_unix(listener, req, fd, address, len));
}

/* Nobody waits for these any more. Their places become free when they have ended. */
static void kill_unwanted(const struct local *l, int listener)
{
	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (l[i].pid && !reach_is_valid(listener, &l[i].req))
			sys_pidfd_send_signal(l[i].pidfd, SIGKILL);
}

static struct local *find_free(struct local *l)
{
	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (!l[i].pid)
			return &l[i];
	return NULL;
}

int local_start(struct local *l, int listener, const struct seccomp_notif *req, int fd,
		const uint8_t *address, size_t len)
{
	pid_t self = getpid();

	kill_unwanted(l, listener);
	struct local *one = find_free(l);
	if (!one)
		return EAGAIN;
	pid_t pid = fork();
	if (pid == 0)
		child(self, listener, req, fd, address, len);
	if (pid < 0)
		return EAGAIN;
	int pidfd = sys_pidfd_open(pid);
	if (pidfd < 0) {
		kill(pid, SIGKILL); /* not waited for yet, so still its number */
		waitpid(pid, NULL, 0);
		return EAGAIN;
	}
	*one = (struct local){pid, pidfd, is_nscd(address, len), *req};
	return 0;
}

void local_wait(const struct local *l, struct pollfd *fds)
{
	for (size_t i = 0; i < LOCAL_MAX; i++)
		fds[i] = (struct pollfd){.fd = l[i].pid ? l[i].pidfd : -1, .events = POLLIN};
}

bool local_take(struct local *l, struct local *ret, int *ret_error)
{
	int status = 0;

	if (!l->pid || waitpid(l->pid, &status, WNOHANG) == 0)
		return false;
	scope_close(&l->pidfd);
	*ret_error = WIFEXITED(status) ? WEXITSTATUS(status) : ECONNABORTED;
	*ret = *l;
	l->pid = 0;
	return true;
}

void local_end(struct local *l)
{
	uint64_t end = io_now_ns() + END_MS * 1000000ULL;

	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (l[i].pid)
			sys_pidfd_send_signal(l[i].pidfd, SIGKILL);
	for (size_t i = 0; i < LOCAL_MAX; i++) {
		struct pollfd ended = {.fd = l[i].pidfd, .events = POLLIN};
		struct local one;
		int error;
		uint64_t now = io_now_ns();
		if (l[i].pid && now < end)
			poll(&ended, 1, (int)((end - now) / 1000000U));
		local_take(&l[i], &one, &error);
	}
}
