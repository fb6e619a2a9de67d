/* SPDX-License-Identifier: MIT
 *
 * The limits that a cgroup enforces: for each its controller, and the files of both versions. A limit that
 * needs a controller is a row here.
 */
#include <errno.h>
#include <stdio.h>

#include "base/io.h"
#include "box/cgroup_backend.h"

enum { US_OF_PERCENT = 1000 }; /* of a period of 100 ms */

/* memsw exists only with swap accounting. Without it the limit is on what is in memory, so nothing
 * of the box may be swapped out. */
static int memory_v1(int dir, uint64_t value, struct err *err)
{
	if (cgroup_write_u64(dir, "memory.limit_in_bytes", value, err) < 0)
		return -1;
	if (cgroup_write_u64(dir, "memory.memsw.limit_in_bytes", value, err) == 0)
		return 0;
	return errno == ENOENT ? cgroup_write_u64(dir, "memory.swappiness", 0, err) : -1;
}

static int memory_v2(int dir, uint64_t value, struct err *err)
{
	if (cgroup_write_u64(dir, "memory.max", value, err) < 0)
		return -1;
	/* Absent without swap. */
	if (io_write_text(dir, "memory.swap.max", "0") < 0 && errno != ENOENT)
		return err_errno(err, ERR_LAYER, "forbidding swap");
	return 0;
}

static int pids_v1(int dir, uint64_t value, struct err *err)
{
	return cgroup_write_u64(dir, "pids.max", value, err);
}

static int pids_v2(int dir, uint64_t value, struct err *err)
{
	return cgroup_write_u64(dir, "pids.max", value + CGROUP_INIT_TASKS, err);
}

static int cpu_v1(int dir, uint64_t value, struct err *err)
{
	return cgroup_write_u64(dir, "cpu.cfs_quota_us", value * US_OF_PERCENT, err);
}

static int cpu_v2(int dir, uint64_t value, struct err *err)
{
	char text[48];

	snprintf(text, sizeof(text), "%llu 100000", (unsigned long long)value * US_OF_PERCENT);
	return io_write_text(dir, "cpu.max", text) < 0
		       ? err_errno(err, ERR_LAYER, "writing cpu.max")
		       : 0;
}

/* The supervisor compares CPU time with its limit; v2 counts it without a controller. */
const struct cgroup_limit cgroup_limits[] = {{LIMIT_MEMORY, "memory", true, {memory_v1, memory_v2}},
					     {LIMIT_PIDS, "pids", true, {pids_v1, pids_v2}},
					     {LIMIT_CPU, "cpu", false, {cpu_v1, cpu_v2}},
					     {LIMIT_CPU_TIME, "cpuacct", false, {NULL, NULL}},
					     {0}};
