/* SPDX-License-Identifier: MIT
 *
 * Adds up what the box's processes use. The plain sum counts shared pages once per process; only
 * if it exceeds the limit is the exact (proportional) one read. Memory that the kernel uses for
 * a process and does not show counts at its maximum. The program must not be able to trigger,
 * delay or predict a measurement, or it would use resources only in between.
 */
#include "box/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/disk.h"
#include "box/tree.h"

/* Without a /proc of its own the watcher reads the host's, which takes longer. */
enum { OWN_MIN_MS = 2, OWN_MAX_MS = 50, HOST_MIN_MS = 20, HOST_MAX_MS = 100, CPU_MAX_MS = 20 };
/* The disk is measured ten times a second, and for at most a tenth of the time. */
enum { DISK_MS = 100, DISK_SHARE = 10 };

#define SOCKETS_FILE "/proc/self/net/sockstat"

struct sum {
	uint64_t memory, pids, disk;
	uint64_t cpu_us, estimate_us;
	bool has_new;
};

/* The queue of a socket may exceed its size by half. */
static uint64_t socket_cost(void)
{
	int size = 212992;
	socklen_t len = sizeof(size);
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &len);
	return (uint64_t)size + (uint64_t)size / 2;
}

void watch_init(struct watch *w, const struct spec *spec)
{
	bool own = spec->tier == TIER_NO_CGROUP;

	memset(w, 0, sizeof(*w));
	w->spec = spec;
	w->active = spec->tier != TIER_FULL;
	w->min_ms = w->interval_ms = own ? OWN_MIN_MS : HOST_MIN_MS;
	w->max_ms = own ? OWN_MAX_MS : HOST_MAX_MS;
	if (!w->active)
		return;
	w->own_net = own && access(SOCKETS_FILE, R_OK) == 0;
	w->socket_bytes = socket_cost();
	w->last_ns = w->next_ns = io_now_ns();
}

int watch_interval(const struct watch *w)
{
	uint64_t now = io_now_ns();

	if (!w->active)
		return -1;
	return w->next_ns > now ? (int)((w->next_ns - now + 999999U) / 1000000U) : 0;
}

/* The likely age of a process. For one that never slept it is exact. Others are older than the CPU time that
 * they have used, and younger than the last measurement; the start time has the precision of ticks. */
static uint64_t likely_age_us(const struct tree_row *row, uint64_t since_us)
{
	uint64_t tick_us = 1000000U / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t most = since_us, least = row->own_us / (row->threads ? row->threads : 1);
	struct timespec now;

	if (row->never_slept)
		return row->own_us + row->waited_us;
	clock_gettime(CLOCK_BOOTTIME, &now);
	uint64_t up = (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
	uint64_t start = row->start * tick_us;
	if (start < up) { /* otherwise the start time is useless */
		uint64_t ticks = up - start;
		most = ticks < most ? ticks : most;
		least = ticks > tick_us && ticks - tick_us > least ? ticks - tick_us : least;
	}
	return most > least ? (most + least) / 2 : least;
}

/* The CPU time that is likely to be missed if ROW has ended by the next measurement. A process that only one
 * measurement sees stands for all that start and end between two; of the others half an interval is missed on
 * average. */
static uint64_t likely_tail_us(const struct tree_row *row, const struct tree_row *before,
			       uint64_t since_us)
{
	uint64_t used = row->own_us, time = since_us;

	if (before)
		used -= before->own_us < used ? before->own_us : used;
	else
		time = likely_age_us(row, since_us);
	uint64_t whole = time ? used * since_us / time : 0;
	if (before || whole < 2 * used)
		return whole / 2;
	return whole - used;
}

/* There are two incomplete counts of CPU time. The kernel adds that of a child to its parent
 * when it is waited for, and drops it if the parent ignores SIGCHLD. The watcher's own sum keeps
 * what a process had used when it was last measured, and can only estimate the rest, and
 * processes that were never measured. */
static void count_cpu(struct watch *w, struct tree_row *rows, size_t count, uint64_t since_us,
		      struct sum *sum)
{
	struct rusage ru;
	uint64_t alive = 0;

	for (size_t i = 0; i < count; i++) {
		const struct tree_row *old = tree_find(w->before, w->beforec, &rows[i]);
		rows[i].tail_us = likely_tail_us(&rows[i], old, since_us);
		sum->has_new |= !old;
		alive += rows[i].own_us;
		sum->cpu_us += rows[i].own_us + rows[i].reaped_us;
	}
	for (size_t i = 0; i < w->beforec; i++)
		if (!tree_find(rows, count, &w->before[i]))
			w->gone_us += w->before[i].own_us + w->before[i].tail_us;
	if (getrusage(RUSAGE_CHILDREN, &ru) == 0)
		sum->cpu_us += (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000U +
			       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
	sum->estimate_us = alive + w->gone_us;
}

int watch_count_sockets(const char *file, uint64_t *ret)
{
	static const char key[] = "sockets: used ";
	char text[1024];

	if (io_read_text(AT_FDCWD, file, text, sizeof(text)) < 0)
		return -1;
	const char *at = strstr(text, key);
	if (!at) {
		errno = EBADMSG;
		return -1;
	}
	*ret = strtoull(at + sizeof(key) - 1, NULL, 10);
	return 0;
}

/* A socket that is in transit in another socket belongs to no process, but to the network namespace. */
static int count_sockets(const struct watch *w, const struct tree_row *rows, size_t count,
			 uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < count; i++)
		*ret += rows[i].sockets;
	return w->own_net ? watch_count_sockets(SOCKETS_FILE, ret) : 0;
}

static int add_memory(const struct watch *w, const struct tree_row *rows, size_t count,
		      struct sum *sum)
{
	struct statfs fs;
	uint64_t sockets;

	for (size_t i = 0; i < count; i++) {
		sum->memory += rows[i].memory;
		sum->pids += rows[i].threads;
	}
	if (count_sockets(w, rows, count, &sockets) < 0)
		return -1;
	sum->memory += sockets * w->socket_bytes;
	/* The box's own /tmp is memory; the host's does not count. */
	if (w->spec->tier == TIER_NO_USERNS)
		return 0;
	if (statfs("/tmp", &fs) < 0)
		return -1;
	if (fs.f_type == TMPFS_MAGIC)
		sum->memory += (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
	return 0;
}

/* For a box without a file system of its own. */
static int add_disk(struct watch *w, struct sum *sum)
{
	const char *dir = w->spec->private_dir;
	uint64_t begin = io_now_ns(), pause_ns = DISK_MS * 1000000ULL;

	if (w->spec->tier != TIER_NO_USERNS || !dir || begin < w->disk_next_ns)
		return 0;
	if (disk_measure(dir, w->before, w->beforec, w->spec->limit[LIMIT_DISK], &sum->disk) < 0)
		return -1;
	uint64_t end = io_now_ns(), rest = (end - begin) * DISK_SHARE;
	w->disk_next_ns = end + (rest > pause_ns ? rest : pause_ns);
	return 0;
}

static int add_all(struct watch *w, struct sum *sum)
{
	unsigned how = w->own_net ? TREE_PLAIN : TREE_SOCKETS;
	uint64_t now = io_now_ns(), limit = w->spec->limit[LIMIT_MEMORY];
	AUTO_FREE struct tree_row *rows = NULL;
	size_t count;

	memset(sum, 0, sizeof(*sum));
	if (tree_read(getpid(), how, &rows, &count) < 0 || add_memory(w, rows, count, sum) < 0)
		return -1;
	if (sum->memory > limit) {
		free(rows);
		rows = NULL;
		memset(sum, 0, sizeof(*sum));
		if (tree_read(getpid(), how | TREE_EXACT, &rows, &count) < 0 ||
		    add_memory(w, rows, count, sum) < 0)
			return -1;
	}
	count_cpu(w, rows, count, (now - w->last_ns) / 1000U, sum);
	w->last_ns = now;
	free(w->before);
	w->before = rows;
	w->beforec = count;
	rows = NULL;
	return add_disk(w, sum);
}

/* Between 0.5 and 1.5 intervals, so that the program cannot predict it. */
static void pace(struct watch *w, const struct sum *sum)
{
	bool grew = sum->memory > w->memory_now + w->memory_now / 64;
	bool counts_cpu = w->spec->limit[LIMIT_CPU_TIME];
	uint32_t chance = 0;

	w->interval_ms = grew ? w->min_ms : w->interval_ms * 2;
	if (w->interval_ms > w->max_ms)
		w->interval_ms = w->max_ms;
	if (counts_cpu && sum->has_new)
		w->interval_ms = 2 * w->min_ms;
	if (counts_cpu && w->interval_ms > CPU_MAX_MS)
		w->interval_ms = CPU_MAX_MS;
	w->memory_now = sum->memory;
	(void)!getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	uint64_t ns = (uint64_t)w->interval_ms * 1000000U;
	w->next_ns = io_now_ns() + ns / 2 + (ns * (chance >> 12) >> 20);
}

/* The estimate counts only if it exceeds the limit by a quarter: it is some percent too high or too low, and
 * the kernel's count is exact for programs that wait for their children. */
static bool cpu_is_over(const struct sum *sum, uint64_t limit_ms)
{
	uint64_t limit_us = limit_ms * 1000U;

	return limit_ms && (sum->cpu_us > limit_us || sum->estimate_us > limit_us / 4 * 5);
}

int watch_look(struct watch *w, enum limit_id *ret_limit, bool *ret_end, struct err *err)
{
	const uint64_t *limit = w->spec->limit;
	struct sum sum;

	*ret_end = false;
	if (!w->active || io_now_ns() < w->next_ns)
		return 0;
	if (add_all(w, &sum) < 0) {
		err_errno(err, ERR_SYSTEM, "the watcher could not measure the box");
		err_cause(err, "without a cgroup, a run that cannot be measured has no limits");
		return -1;
	}
	pace(w, &sum);
	w->memory_peak = sum.memory > w->memory_peak ? sum.memory : w->memory_peak;
	w->pids_peak = sum.pids > w->pids_peak ? sum.pids : w->pids_peak;
	*ret_end = true;
	if (sum.pids >= limit[LIMIT_PIDS])
		*ret_limit = LIMIT_PIDS;
	if (sum.memory > limit[LIMIT_MEMORY])
		*ret_limit = LIMIT_MEMORY;
	else if (cpu_is_over(&sum, limit[LIMIT_CPU_TIME]))
		*ret_limit = LIMIT_CPU_TIME;
	else if (sum.disk > limit[LIMIT_DISK])
		*ret_limit = LIMIT_DISK;
	else /* without namespaces only the watcher counts processes */
		*ret_end = w->spec->tier == TIER_NO_USERNS && sum.pids > limit[LIMIT_PIDS];
	return 0;
}
