/* SPDX-License-Identifier: MIT
 *
 * Puts processes that work at the same time on different cores.
 */
#ifndef CORDON_BASE_CPU_H
#define CORDON_BASE_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

/* Moves CHILD, which was just started, off the caller's core. */
void cpu_spread(pid_t child);

/* A process that wakes up usually preempts the one on its core. If the caller YIELDS, it does not
 * (SCHED_BATCH), and neither do the processes that it starts then. */
void cpu_yield(bool yields);

/* Keeps the caller on its core while it waits: the scheduler would otherwise move it to the core of
 * the process that wakes it. */
struct cpu_pin {
	cpu_set_t before;
	bool held;
};
void cpu_pin(struct cpu_pin *ret);
void cpu_unpin(const struct cpu_pin *core);

#endif
