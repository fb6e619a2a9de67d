/* SPDX-License-Identifier: MIT
 *
 * The scheduler often leaves a new process on its parent's core, where it waits until the parent
 * sleeps (0.5 ms on Linux 6.18, with an idle core). A child that has not run yet is moved to
 * another core once; its affinity is restored at once. A failure costs only time.
 */
#include "base/cpu.h"

#include <sched.h>

void cpu_spread(pid_t child)
{
	cpu_set_t all, others;
	int here = sched_getcpu();

	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	others = all;
	CPU_CLR(here, &others);
	if (CPU_COUNT(&others) > 0 && sched_setaffinity(child, sizeof(others), &others) == 0)
		sched_setaffinity(child, sizeof(all), &all);
}

void cpu_yield(bool yields)
{
	struct sched_param none = {0};

	sched_setscheduler(0, yields ? SCHED_BATCH : SCHED_OTHER, &none);
}

void cpu_pin(struct cpu_pin *ret)
{
	cpu_set_t here;
	int cpu = sched_getcpu();

	CPU_ZERO(&here);
	ret->held = cpu >= 0 && cpu < CPU_SETSIZE &&
		    sched_getaffinity(0, sizeof(ret->before), &ret->before) == 0;
	if (!ret->held)
		return;
	CPU_SET(cpu, &here);
	ret->held = sched_setaffinity(0, sizeof(here), &here) == 0;
}

void cpu_unpin(const struct cpu_pin *core)
{
	if (core->held)
		sched_setaffinity(0, sizeof(core->before), &core->before);
}
