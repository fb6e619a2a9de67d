/* SPDX-License-Identifier: MIT
 *
 * The clock: a tick checks everything for which the kernel sends no event. It stops while there is nothing to
 * check.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "egress/egress.h"

/* Per connection, because checking all of them takes longer the more there are. */
enum { TICK_EACH_US = 50 };

static bool has_limits(const struct egress *e)
{
	return e->limit[LIMIT_NET_OUT] || e->limit[LIMIT_NET_IN];
}

static void on_tick(struct egress *e, struct watch *w, uint32_t events)
{
	uint64_t count;

	(void)events;
	(void)!read(w->fd, &count, sizeof(count));
	e->ticks = false;
	attempts_flush(e);
	loopback_retry(e);
	connect_look(e);
	relay_look(e);
	counter_look_lost(e);
	if (has_limits(e))
		counter_look(e);
	if (e->lost_ns || e->loopback_paused || e->pending || e->relays ||
	    (e->livec && has_limits(e)))
		loop_set_clock(e, EGRESS_TICK_US + TICK_EACH_US * (long)e->livec);
}

int clock_open(struct egress *e, struct err *err)
{
	e->clock = (struct watch){timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
				  on_tick};
	if (e->clock.fd < 0)
		return err_errno(err, ERR_SYSTEM, "making a timer");
	return loop_add(e, &e->clock, EPOLLIN, err);
}
