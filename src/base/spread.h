/* SPDX-License-Identifier: MIT
 *
 * Two who work at the same time belong on two cores.
 */
#ifndef CORDON_BASE_SPREAD_H
#define CORDON_BASE_SPREAD_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* Moves CHILD, which has just been started, off the core that the caller is on. */
void spread(pid_t child);

/* Whoever is woken usually goes on at once, and who was on that core waits. If the caller YIELDS, it waits
 * (SCHED_BATCH), and so do those whom it starts then. */
void spread_yield(bool yields);

/* Keeps the caller on its core while it waits: whoever wakes it would otherwise take it to its own. */
struct spread_core {
	cpu_set_t before;
	bool held;
};
void spread_stay(struct spread_core *ret);
void spread_done(const struct spread_core *core);

#endif
