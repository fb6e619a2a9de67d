/* SPDX-License-Identifier: MIT
 *
 * Adds up what the box's processes use. The cheap sum counts shared pages once per process; only
 * when it passes the limit is the exact (proportional) one read. What the kernel keeps for a
 * process and shows nowhere is counted as if it were all used: better too much than too little.
 * The times of looks are ours alone: nothing the program does may bring one about or put it off,
 * or it would work only in between.
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

/* Without a /proc of our own a look means reading all of the host's. */
enum { OWN_MIN_MS = 2, OWN_MAX_MS = 50, HOST_MIN_MS = 20, HOST_MAX_MS = 100, CPU_MAX_MS = 20 };
/* The disk is looked at ten times a second, and for a tenth of the time at most. */
enum { DISK_MS = 100, DISK_SHARE = 10 };

#define SOCKETS_FILE "/proc/self/net/sockstat"

struct sum {
	uint64_t memory, pids, disk;
	uint64_t cpu_us, estimate_us;
	bool has_new;
};

/* A socket's queue may be half as long again as the size it is given. */
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

/* For how long has it been there? We know it of those who never slept. Others: longer than they
 * have been working, shorter than since the last look, and the start is told in ticks. */
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
	if (start < up) { /* otherwise it says nothing */
		uint64_t ticks = up - start;
		most = ticks < most ? ticks : most;
		least = ticks > tick_us && ticks - tick_us > least ? ticks - tick_us : least;
	}
	return most > least ? (most + least) / 2 : least;
}

/* CPU time that is likely to be missed if ROW is not there any more at the next look. One seen at
 * a single look stands for all those that came and went between two; of others half an interval
 * is missed on average. */
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

/* CPU time has two incomplete counts. The kernel adds a child's to its parent when it is waited
 * for, and forgets it when the parent ignores SIGCHLD. Our own ledger keeps what a process had
 * used when we last saw it, and can only estimate what came after, or what nobody saw. */
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

/* A socket that is being passed in another one is in no process, but it is in our network. */
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
	/* The box's /tmp is memory; the host's is not ours to count. */
	if (w->spec->tier == TIER_NO_USERNS)
		return 0;
	if (statfs("/tmp", &fs) < 0)
		return -1;
	if (fs.f_type == TMPFS_MAGIC)
		sum->memory += (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
	return 0;
}

/* Where the box has no file system of its own. */
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

/* Between half and one and a half of the interval, so that nobody knows when we look. */
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

/* The estimate must be a quarter above before it counts: it is off by some percent either way, and
 * those who wait for their children shall not suffer for it. */
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
		err_errno(err, ERR_SYSTEM, "the watcher could not look at the box");
		err_cause(err,
			  "where no cgroup counts, a run that cannot be watched has no limits");
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
	else /* without namespaces nothing else counts the processes */
		*ret_end = w->spec->tier == TIER_NO_USERNS && sum.pids > limit[LIMIT_PIDS];
	return 0;
}
