/* SPDX-License-Identifier: MIT
 *
 * The event loop: waits for a descriptor and calls its handler, until cordon reports the end of
 * the run.
 *
 * A call on the program's socket may block on the lock of the socket, which a thread of the
 * program can hold while it reads a page from a slow disk, or gets no CPU. Meanwhile no bytes
 * are counted. So a second thread watches the loop: if it sleeps in the same event for too long,
 * the run ends as if it had exceeded --net-out. A loop that waits for a CPU on a busy machine
 * does not count as sleeping.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "egress/egress.h"

enum { TURN_LOOKS = 6, LOOK_MS = 50 };

int loop_add(struct egress *e, struct watch *w, uint32_t events, struct err *err)
{
	struct epoll_event ev = {.events = events, .data.ptr = w};

	if (epoll_ctl(e->epoll, EPOLL_CTL_ADD, w->fd, &ev) < 0)
		return err_errno(err, ERR_SYSTEM, "waiting for a descriptor");
	return 0;
}

void loop_change(struct egress *e, struct watch *w, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = w};

	epoll_ctl(e->epoll, EPOLL_CTL_MOD, w->fd, &ev);
}

void loop_remove(struct egress *e, struct watch *w)
{
	epoll_ctl(e->epoll, EPOLL_CTL_DEL, w->fd, NULL);
}

void *loop_alloc(struct egress *e, size_t size)
{
	void *new = calloc(1, size);

	if (new)
		return new;
	fputs("cordon-egress: out of memory\n", stderr);
	e->cut = true;
	e->finish(e);
	_exit(125);
}

void loop_set_clock(struct egress *e, long us)
{
	struct itimerspec t = {
		.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}};

	timerfd_settime(e->clock.fd, 0, &t, NULL);
	e->ticks = true;
}

void loop_need_clock(struct egress *e)
{
	if (!e->ticks)
		loop_set_clock(e, EGRESS_TICK_US);
}

int loop_open(struct egress *e, struct err *err)
{
	e->loop_stat = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	return e->loop_stat < 0 ? err_errno(err, ERR_SYSTEM, "opening /proc/thread-self/stat") : 0;
}

/* The state of the thread comes after its name, which may contain any characters. */
static bool is_runnable(const struct egress *e)
{
	char stat[256];
	ssize_t n = pread(e->loop_stat, stat, sizeof(stat) - 1, 0);

	stat[n < 0 ? 0 : n] = '\0';
	const char *name_end = strrchr(stat, ')');
	return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

static void *watch_turns(void *ctx)
{
	const struct egress *e = ctx;
	struct egress_over over = {EGRESS_OVER, LIMIT_NET_OUT, true, 0};
	uint64_t turn = 0;

	for (int looks = 0; looks < TURN_LOOKS; usleep(LOOK_MS * 1000)) {
		uint64_t now = e->turn;
		looks = now && now == turn && !is_runnable(e) ? looks + 1 : 0;
		turn = now;
	}
	if (send(EGRESS_BOX_FD, &over, sizeof(over), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(over))
		_exit(125); /* cordon-box ends a run without cordon-egress */
	return NULL;
}

/* One event at a time, because a handler may remove other descriptors. */
int loop_run(struct egress *e, struct err *err)
{
	struct epoll_event ev;
	pthread_t watcher;
	uint64_t turns = 0;

	errno = pthread_create(&watcher, NULL, watch_turns, e);
	if (errno)
		return err_errno(err, ERR_SYSTEM, "starting a thread");
	while (!e->over) {
		int n = epoll_wait(e->epoll, &ev, 1, -1);
		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_SYSTEM, "waiting");
		if (n <= 0)
			continue;
		struct watch *w = ev.data.ptr;
		e->turn = ++turns;
		w->ready(e, w, ev.events);
		e->turn = 0;
	}
	return 0;
}
