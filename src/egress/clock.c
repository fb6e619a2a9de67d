/* SPDX-License-Identifier: MIT
 *
 * The clock: looks at what the kernel tells nobody about. It stands while there is nothing.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "egress/egress.h"

/* The more connections there are, the longer a look at all of them takes. */
enum { TICK_US = 5000, TICK_EACH_US = 50 };

static void set(struct egress *e, long us)
{
	struct itimerspec t = {
		.it_value = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}};

	timerfd_settime(e->clock.fd, 0, &t, NULL);
	e->ticks = us > 0;
}

void clock_need(struct egress *e)
{
	if (!e->ticks)
		set(e, TICK_US);
}

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
	control_flush(e);
	door_look(e);
	connect_look(e);
	relay_look(e);
	counter_look_lost(e);
	if (has_limits(e))
		counter_look(e);
	if (e->lost_ns || e->door_shut || e->pending || e->relays || (e->livec && has_limits(e)))
		set(e, TICK_US + TICK_EACH_US * (long)e->livec);
}

int clock_open(struct egress *e, struct err *err)
{
	e->clock = (struct watch){timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
				  on_tick};
	if (e->clock.fd < 0)
		return err_errno(err, ERR_SYSTEM, "making a timer");
	return loop_add(e, &e->clock, EPOLLIN, err);
}
