/* SPDX-License-Identifier: MIT
 *
 * connect() on a socket that the program has too. They share the O_NONBLOCK flag, so the program can clear it
 * again before the call. The loop, which checks the limits, must not block: an alarm interrupts the call, and
 * the connection is then made in the background, as for a socket that does not block.
 */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "egress/egress.h"

enum { ALARM_US = 2000 };

/* Does nothing: a call is interrupted only by a signal that has a handler. */
static void on_alarm(int sig)
{
	(void)sig;
}

/* Repeats until it is stopped, because the first alarm may come before the call. */
static void set_alarm(long us)
{
	struct itimerval t = {.it_interval = {.tv_usec = us}, .it_value = {.tv_usec = us}};

	setitimer(ITIMER_REAL, &t, NULL);
}

void connect_call(struct egress *e, int fd, const struct address *to, uint16_t port,
		  connect_call_fn *done, void *ctx)
{
	struct sockaddr_storage at;
	int family = AF_INET, error = 0;
	socklen_t len = sizeof(family);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	len = address_sockaddr(to, port, family, &at);
	if (len == 0) {
		done(e, ctx, EAFNOSUPPORT);
		return;
	}
	set_alarm(ALARM_US);
	pthread_sigmask(SIG_UNBLOCK, &e->alarm, NULL);
	if (connect(fd, (struct sockaddr *)&at, len) < 0)
		error = errno == EINTR ? EINPROGRESS : errno;
	pthread_sigmask(SIG_BLOCK, &e->alarm, NULL);
	set_alarm(0);
	done(e, ctx, error);
}

/* The signal is blocked here, and so in the threads that look up names, which start later. */
int connect_call_open(struct egress *e, struct err *err)
{
	struct sigaction act = {.sa_handler =
					on_alarm}; /* without SA_RESTART, so that the call ends */

	sigemptyset(&e->alarm);
	sigaddset(&e->alarm, SIGALRM);
	if (pthread_sigmask(SIG_BLOCK, &e->alarm, NULL) != 0 || sigaction(SIGALRM, &act, NULL) < 0)
		return err_errno(err, ERR_SYSTEM, "setting an alarm");
	return 0;
}
