/* SPDX-License-Identifier: MIT
 *
 * Reads /proc into rows and keeps the descendants of one process. In a box with a /proc of its own these are
 * all processes; without namespaces /proc lists the whole host.
 */
#include "box/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/sys.h"
#include "model/limit.h"

enum { THREAD_ROUNDS = 4 };

/* A pipe keeps two pages once its user has used up the larger ones (fs.pipe-user-pages-soft). Most processes
 * need no more descriptors than the initial table has. */
enum { FDS_FREE = 64, FD_BYTES = 4096 };

/* "Key:   123 kB" in a status-like text. */
static uint64_t field(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* A process may end while it is read; another user's may be hidden (hidepid). */
static bool is_gone(void)
{
	return errno == ENOENT || errno == ESRCH || errno == EACCES || errno == EPERM;
}

static int bad_text(void)
{
	errno = EBADMSG;
	return -1;
}

/* State, parent, 9 others, utime, stime, cutime, cstime, 4 others, start: fields 3 to 22. The
 * name before them may hold anything. */
static int parse_stat(const char *text, struct tree_row *row)
{
	const char *at = strrchr(text, ')');
	unsigned long cu, cs, start, tick = (unsigned long)sysconf(_SC_CLK_TCK);
	int parent;
	char state;

	if (!at || sscanf(at + 1,
			  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d "
			  "%*d %lu",
			  &state, &parent, &cu, &cs, &start) != 5)
		return bad_text();
	row->parent = parent;
	/* The first thread may have ended while others live. */
	row->dead = (state == 'Z' && row->threads <= 1) || state == 'X';
	row->start = start;
	row->reaped_us = (cu + cs) * 1000000 / tick;
	return 0;
}

int tree_read_stat(int proc, struct tree_row *row)
{
	char path[64], text[2048]; /* 52 numbers and a name */

	snprintf(path, sizeof(path), "%d/stat", row->pid);
	return io_read_text(proc, path, text, sizeof(text)) < 0 ? -1 : parse_stat(text, row);
}

/* TEXT has room for CORDON_STATUS_MAX. "Threads" comes after all other fields that are used: without it the
 * text is cut. */
static int read_status(int at, const char *pid, char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%.20s/status", pid);
	if (io_read_text(at, path, text, CORDON_STATUS_MAX) < 0)
		return -1;
	return strstr(text, "\nThreads:") ? 0 : bad_text();
}

/* Swapped memory counts too. */
static uint64_t shown_memory(const char *status)
{
	return (field(status, "\nRssAnon:") + field(status, "\nRssShmem:") +
		field(status, "\nVmSwap:")) *
	       1024;
}

/* If the first thread of a process has ended, /proc/PID shows no memory. Each of its other
 * threads shows all of it. */
static int read_other_thread(int proc, struct tree_row *row, char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/task", row->pid);
	int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return is_gone() ? 0 : -1;
	for (struct dirent *e; (e = io_readdir(d));) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (read_status(dirfd(d), e->d_name, text) < 0 && !is_gone())
			return -1;
		row->shown = atoi(e->d_name);
		if (strstr(text, "\nRssAnon:"))
			return 0;
	}
	return errno && !is_gone() ? -1 : 0;
}

static uint64_t pipe_bytes(const struct tree_row *row)
{
	return row->fds > FDS_FREE ? (row->fds - FDS_FREE) * FD_BYTES : 0;
}

static int read_row(int proc, const char *pid, char *text, struct tree_row *row)
{
	if (read_status(proc, pid, text) < 0)
		return -1;
	*row = (struct tree_row){.pid = atoi(pid),
				 .shown = atoi(pid),
				 .parent = (pid_t)field(text, "\nPPid:"),
				 .threads = field(text, "\nThreads:")};
	/* Threads start and end meanwhile, so one attempt may find none. */
	for (int i = 0; i < THREAD_ROUNDS && row->threads > 1 && !strstr(text, "\nRssAnon:"); i++)
		if (read_other_thread(proc, row, text) < 0)
			return -1;
	row->fds = field(text, "\nFDSize:");
	row->never_slept = row->threads == 1 && field(text, "\nvoluntary_ctxt_switches:") == 0;
	row->tables = field(text, "\nVmPTE:") * 1024 + pipe_bytes(row);
	row->memory = shown_memory(text) + row->tables;
	return 0;
}

/* "RUN-TIME WAIT-TIME SLICES", in nanoseconds. Not all kernels have the file. */
static void read_waited(int proc, struct tree_row *row)
{
	char path[64], text[128];
	unsigned long long waited;

	snprintf(path, sizeof(path), "%d/schedstat", row->pid);
	if (!row->never_slept || io_read_text(proc, path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%*u %llu", &waited) != 1)
		row->never_slept = false;
	else
		row->waited_us = waited / 1000U;
}

/* A process whose descriptors cannot be read counts as if all were sockets. */
static int count_sockets(int proc, struct tree_row *row)
{
	char path[64], name[16];

	snprintf(path, sizeof(path), "%d/fd", row->shown);
	int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d && (errno == EACCES || errno == EPERM))
		row->sockets = row->fds;
	if (!d)
		return is_gone() ? 0 : -1;
	for (struct dirent *e; (e = io_readdir(d));) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, name, sizeof(name));
		row->sockets += n > 8 && memcmp(name, "socket:[", 8) == 0;
	}
	return errno && !is_gone() ? -1 : 0;
}

/* A process that cannot be read keeps the plain count; one that has ended has no memory. If only the thread
 * that was read in place of the first one has ended, the count stays too. */
static void read_exact(int proc, struct tree_row *row)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "%d/smaps_rollup", row->shown);
	if (io_read_text(proc, path, text, sizeof(text)) == 0)
		row->memory = (field(text, "\nPss_Anon:") + field(text, "\nPss_Shmem:") +
			       field(text, "\nSwapPss:")) *
				      1024 +
			      row->tables;
	else if (row->shown == row->pid && (errno == ENOENT || errno == ESRCH))
		row->memory = 0;
}

static int read_more(int proc, struct tree_row *row, unsigned how)
{
	struct timespec used = {0};
	clockid_t clock;

	if (tree_read_stat(proc, row) < 0 && !is_gone())
		return -1;
	/* More precise than the ticks in stat. */
	if (clock_getcpuclockid(row->pid, &clock) == 0)
		clock_gettime(clock, &used);
	row->own_us = (uint64_t)used.tv_sec * 1000000U + (uint64_t)used.tv_nsec / 1000U;
	read_waited(proc, row);
	return how & TREE_SOCKETS ? count_sockets(proc, row) : 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct tree_row *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

struct tree_row *tree_find(struct tree_row *rows, size_t count, const struct tree_row *process)
{
	struct tree_row *row = count ? bsearch(process, rows, count, sizeof(*rows), by_pid) : NULL;

	return row && row->start == process->start ? row : NULL;
}

static bool is_below(const struct tree_row *rows, size_t count, pid_t parent, pid_t root)
{
	const struct tree_row key = {.pid = parent};
	const struct tree_row *row;

	if (parent == root)
		return true;
	row = bsearch(&key, rows, count, sizeof(*rows), by_pid);
	return row && row->ours;
}

/* Children may come before their parents in the list: repeat until none is added. The first process of a
 * pid namespace has all others below it, though /proc may hide some that are in between. */
static size_t keep_ours(struct tree_row *rows, size_t count, pid_t root)
{
	size_t kept = 0;

	for (size_t i = 0; i < count && root == 1; i++)
		rows[i].ours = rows[i].pid != root;
	if (count)
		qsort(rows, count, sizeof(*rows), by_pid);
	for (bool added = true; added;) {
		added = false;
		for (size_t i = 0; i < count; i++)
			if (!rows[i].ours && is_below(rows, count, rows[i].parent, root))
				rows[i].ours = added = true;
	}
	for (size_t i = 0; i < count; i++)
		if (rows[i].ours)
			rows[kept++] = rows[i];
	return kept;
}

/* Between vfork and exec a child uses its parent's memory, which must not count twice. Checked before the
 * memory is read, because afterwards the child may have memory of its own. */
static bool is_parents(const struct tree_row *rows, size_t count, const struct tree_row *row)
{
	const struct tree_row key = {.pid = row->parent};
	const struct tree_row *up = bsearch(&key, rows, count, sizeof(*rows), by_pid);

	return up && syscall(SYS_kcmp, up->shown, row->shown, KCMP_VM, 0, 0) == 0;
}

static int make_room(struct tree_row **rows, size_t count, size_t *size)
{
	if (count < *size)
		return 0;
	if (count == CORDON_TREE_MAX) {
		errno = EOVERFLOW;
		return -1;
	}
	*size = *size ? *size * 2 : 64;
	struct tree_row *grown = realloc(*rows, *size * sizeof(**rows));
	if (!grown)
		return -1;
	*rows = grown;
	return 0;
}

static int read_all(DIR *d, struct tree_row **rows, size_t *count)
{
	AUTO_FREE char *text = malloc(CORDON_STATUS_MAX);
	size_t size = 0;

	if (!text)
		return -1;
	for (struct dirent *e; (e = io_readdir(d));) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (make_room(rows, *count, &size) < 0)
			return -1;
		if (read_row(dirfd(d), e->d_name, text, &(*rows)[*count]) == 0)
			++*count;
		else if (!is_gone())
			return -1;
	}
	return errno ? -1 : 0;
}

int tree_read(pid_t root, unsigned how, struct tree_row **ret, size_t *ret_count)
{
	AUTO_CLOSEDIR DIR *d = opendir("/proc");
	AUTO_FREE struct tree_row *rows = NULL;
	size_t count = 0;

	if (!d || read_all(d, &rows, &count) < 0)
		return -1;
	count = keep_ours(rows, count, root);
	for (size_t i = 0; rows && i < count; i++) {
		if (how & TREE_EXACT && is_parents(rows, count, &rows[i]))
			rows[i].memory = pipe_bytes(&rows[i]);
		else if (how & TREE_EXACT)
			read_exact(dirfd(d), &rows[i]);
		if (read_more(dirfd(d), &rows[i], how) < 0)
			return -1;
	}
	*ret = rows;
	*ret_count = count;
	rows = NULL;
	return 0;
}

int tree_count_user(uid_t uid, uint64_t *ret)
{
	AUTO_CLOSEDIR DIR *d = opendir("/proc");
	AUTO_FREE char *text = malloc(CORDON_STATUS_MAX);
	uint64_t count = 0;

	if (!d || !text)
		return -1;
	for (struct dirent *e; (e = io_readdir(d));) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (read_status(dirfd(d), e->d_name, text) < 0 && !is_gone())
			return -1;
		if (field(text, "\nUid:") == uid)
			count += field(text, "\nThreads:");
	}
	if (errno)
		return -1;
	*ret = count;
	return 0;
}
