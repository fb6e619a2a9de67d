/* SPDX-License-Identifier: MIT
 *
 * connect() on a socket that the program has too. Whether it waits is a flag of what both share, so
 * whoever clears it can be undone before the call is made. The loop, which looks at the limits, must
 * not wait: an alarm ends the call, which goes on by itself as one that does not wait would.
 */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "egress/egress.h"

enum { ALARM_US = 2000 };

/* The one handler of ours, and it does nothing: a call ends only where a signal is caught. */
static void on_alarm(int sig)
{
	(void)sig;
}

/* Again and again until it is stopped: the first may come before the call is made. */
static void set_alarm(long us)
{
	struct itimerval t = {.it_interval = {.tv_usec = us}, .it_value = {.tv_usec = us}};

	setitimer(ITIMER_REAL, &t, NULL);
}

void call_connect(struct egress *e, int fd, const struct address *to, uint16_t port, call_fn *done,
		  void *ctx)
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

/* Threads that look up names are started later, and get none. */
int call_open(struct egress *e, struct err *err)
{
	struct sigaction act = {.sa_handler = on_alarm}; /* without SA_RESTART: the call ends */

	sigemptyset(&e->alarm);
	sigaddset(&e->alarm, SIGALRM);
	if (pthread_sigmask(SIG_BLOCK, &e->alarm, NULL) != 0 || sigaction(SIGALRM, &act, NULL) < 0)
		return err_errno(err, ERR_SYSTEM, "setting an alarm");
	return 0;
}
