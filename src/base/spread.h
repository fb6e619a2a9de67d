/* SPDX-License-Identifier: MIT
 *
 * Puts processes that work at the same time on different cores.
 */
#ifndef CORDON_BASE_SPREAD_H
#define CORDON_BASE_SPREAD_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* Moves CHILD, which was just started, off the caller's core. */
void spread(pid_t child);

/* A process that wakes up usually preempts the one on its core. If the caller YIELDS, it does not
 * (SCHED_BATCH), and neither do the processes that it starts then. */
void spread_yield(bool yields);

/* Keeps the caller on its core while it waits: the scheduler would otherwise move it to the core of
 * the process that wakes it. */
struct spread_core {
	cpu_set_t before;
	bool held;
};
void spread_stay(struct spread_core *ret);
void spread_done(const struct spread_core *core);

#endif
