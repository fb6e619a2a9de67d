/* SPDX-License-Identifier: MIT
 *
 * The event loop: waits for a descriptor and calls its handler. It ends when cordon says that the run is
 * over.
 *
 * A call on the program's socket waits for the socket's lock. A thread of the program can hold that while
 * it sleeps in a page of a slow disk, or gets no processor. Meanwhile nothing is counted, so a thread of
 * our own looks at the loop: if it sleeps in the same turn again and again, the run ends as if it were over
 * --net-out. On a busy machine the loop may wait for a processor instead: that is no reason to end a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
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
	counter_finish(e);
	control_tell(e);
	_exit(125);
}

int loop_open(struct egress *e, struct err *err)
{
	e->loop_stat = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	return e->loop_stat < 0 ? err_errno(err, ERR_SYSTEM, "opening /proc/thread-self/stat") : 0;
}

/* The state of the loop's thread stands behind its name, which may have any characters. */
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
		_exit(125); /* the box ends a run without us */
	return NULL;
}

/* One at a time: what is called may remove others. */
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
