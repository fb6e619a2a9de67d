/* SPDX-License-Identifier: MIT
 *
 * Adds up what the box's processes use. The cheap sum counts shared pages once per process; only
 * when it passes the limit is the exact (proportional) one read.
 */
#include "box/watch.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/tree.h"

/* Without a /proc of our own a look means reading all of the host's. */
enum { OWN_MIN_MS = 2, OWN_MAX_MS = 50, HOST_MIN_MS = 20, HOST_MAX_MS = 100, CPU_MAX_MS = 20 };

struct sum {
	uint64_t memory, pids, cpu_ms;
};

void watch_init(struct watch *w, const struct spec *spec)
{
	bool own = spec->tier == TIER_NO_CGROUP;

	memset(w, 0, sizeof(*w));
	w->spec = spec;
	w->active = spec->tier != TIER_FULL;
	w->min_ms = w->interval_ms = own ? OWN_MIN_MS : HOST_MIN_MS;
	w->max_ms = own ? OWN_MAX_MS : HOST_MAX_MS;
}

int watch_interval(const struct watch *w)
{
	return w->active ? w->interval_ms : -1;
}

/* CPU time has two incomplete counts. The kernel adds a child's to its parent when it is waited
 * for, and forgets it when the parent ignores SIGCHLD. Our own ledger keeps what a process had
 * used when we last saw it, and misses what came after. Neither counts anything twice, so the
 * larger one is a safe bound. */
static uint64_t cpu_used(struct watch *w, const struct tree_row *rows, size_t count)
{
	struct rusage ru;
	uint64_t alive = 0, kernel = 0;

	for (size_t i = 0; i < count; i++) {
		alive += rows[i].own_ms;
		kernel += rows[i].own_ms + rows[i].reaped_ms;
	}
	for (size_t b = 0; b < w->beforec; b++) {
		size_t i = 0;
		while (i < count && rows[i].pid != w->before[b].pid)
			i++;
		if (i == count)
			w->gone_ms += w->before[b].own_ms;
	}
	if (getrusage(RUSAGE_CHILDREN, &ru) == 0)
		kernel += (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000U +
			  (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000U;
	return kernel > alive + w->gone_ms ? kernel : alive + w->gone_ms;
}

static void add_all(struct watch *w, bool exact, struct sum *sum)
{
	struct statfs fs;
	size_t count;
	struct tree_row *rows = tree_read(getpid(), exact, &count);

	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < count; i++) {
		sum->memory += rows[i].memory;
		sum->pids += rows[i].threads;
	}
	/* The box's /tmp is memory; the host's is not ours to count. */
	if (w->spec->tier != TIER_NO_USERNS && statfs("/tmp", &fs) == 0 && fs.f_type == TMPFS_MAGIC)
		sum->memory += (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
	sum->cpu_ms = cpu_used(w, rows, count);
	free(w->before);
	w->before = rows;
	w->beforec = count;
}

static void pace(struct watch *w, uint64_t memory)
{
	bool grew = memory > w->memory_now + w->memory_now / 64;

	w->interval_ms = grew ? w->min_ms : w->interval_ms * 2;
	if (w->interval_ms > w->max_ms)
		w->interval_ms = w->max_ms;
	if (w->spec->limit[LIMIT_CPU_TIME] && w->interval_ms > CPU_MAX_MS)
		w->interval_ms = CPU_MAX_MS;
	w->memory_now = memory;
}

bool watch_look(struct watch *w, enum limit_id *ret)
{
	const uint64_t *limit = w->spec->limit;
	struct sum sum;

	if (!w->active)
		return false;
	add_all(w, false, &sum);
	if (sum.memory > limit[LIMIT_MEMORY])
		add_all(w, true, &sum);
	pace(w, sum.memory);
	w->memory_peak = sum.memory > w->memory_peak ? sum.memory : w->memory_peak;
	w->pids_peak = sum.pids > w->pids_peak ? sum.pids : w->pids_peak;
	if (sum.pids >= limit[LIMIT_PIDS])
		*ret = LIMIT_PIDS;
	if (sum.memory > limit[LIMIT_MEMORY])
		*ret = LIMIT_MEMORY;
	else if (limit[LIMIT_CPU_TIME] && sum.cpu_ms > limit[LIMIT_CPU_TIME])
		*ret = LIMIT_CPU_TIME;
	else /* without namespaces nothing else counts the processes */
		return w->spec->tier == TIER_NO_USERNS && sum.pids > limit[LIMIT_PIDS];
	return true;
}
