/* SPDX-License-Identifier: MIT
 *
 * The loop: waits, and calls who is meant. It ends when cordon says that the run is over.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "egress/egress.h"

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

/* One at a time: what is called may remove others. */
int loop_run(struct egress *e, struct err *err)
{
	struct epoll_event ev;

	while (!e->over) {
		int n = epoll_wait(e->epoll, &ev, 1, -1);
		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_SYSTEM, "waiting");
		if (n <= 0)
			continue;
		struct watch *w = ev.data.ptr;
		w->ready(e, w, ev.events);
	}
	return 0;
}
