/* SPDX-License-Identifier: MIT
 *
 * The program must not get the caller's own pipe. It could reopen the pipe for writing through
 * /proc/self/fd and inject data for its next reader, such as a shell that reads its script from
 * there. It could also change the flags of the pipe, which all its users share. So cordon copies
 * the bytes.
 */
#include "live/pump.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"

struct pollfd pump_wants(const struct pump *p)
{
	if (p->at < p->len)
		return (struct pollfd){.fd = p->to, .events = POLLOUT};
	return (struct pollfd){.fd = p->to < 0 ? -1 : p->from, .events = POLLIN};
}

/* Without SIGPIPE: the program may close its input, and cordon must not end then. */
static ssize_t write_quietly(int fd, const char *data, size_t len)
{
	static const struct timespec now = {0, 0};
	sigset_t pipe, old;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &old);
	ssize_t n = write(fd, data, len);
	int saved = errno;
	if (n < 0 && saved == EPIPE)
		sigtimedwait(&pipe, NULL, &now);
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return n;
}

void pump_move(struct pump *p)
{
	ssize_t n;

	if (p->at < p->len) {
		n = write_quietly(p->to, p->data + p->at, p->len - p->at);
		if (n > 0)
			p->at += (size_t)n;
	} else {
		n = read(p->from, p->data, sizeof(p->data));
		p->at = 0;
		p->len = n > 0 ? (size_t)n : 0;
	}
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		p->at = p->len = 0;
		scope_close(&p->to); /* end of file for the program */
	}
}
