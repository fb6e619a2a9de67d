/* SPDX-License-Identifier: MIT
 *
 * Reads /proc into rows and keeps, or kills, those that descend from one process. In a box with its own
 * /proc that is everybody; without namespaces it is the part of the host that is ours.
 */
#include "box/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { STOP_ROUNDS = 64 };

/* "Key:   123 kB" in a status-like text. */
static uint64_t field(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* utime, stime, cutime, cstime are fields 14-17; the name before them may hold anything. */
static void parse_cpu(const char *text, struct tree_row *row)
{
	const char *at = strrchr(text, ')');
	unsigned long u, s, cu, cs, tick = (unsigned long)sysconf(_SC_CLK_TCK);

	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
			  &u, &s, &cu, &cs) != 4)
		return;
	row->own_ms = (u + s) * 1000 / tick;
	row->reaped_ms = (cu + cs) * 1000 / tick;
}

static bool read_row(int proc, const char *pid, struct tree_row *row)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "%.20s/status", pid);
	if (io_read_text(proc, path, text, sizeof(text)) < 0)
		return false;
	*row = (struct tree_row){
		.pid = atoi(pid),
		.parent = (pid_t)field(text, "\nPPid:"),
		.threads = field(text, "\nThreads:"),
		.memory = (field(text, "\nRssAnon:") + field(text, "\nRssShmem:")) * 1024};
	return true;
}

static void read_more(int proc, struct tree_row *row, bool exact)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "%d/smaps_rollup", row->pid);
	if (exact && io_read_text(proc, path, text, sizeof(text)) == 0)
		row->memory = (field(text, "\nPss_Anon:") + field(text, "\nPss_Shmem:")) * 1024;
	snprintf(path, sizeof(path), "%d/stat", row->pid);
	if (io_read_text(proc, path, text, sizeof(text)) == 0)
		parse_cpu(text, row);
}

static int by_pid(const void *a, const void *b)
{
	const struct tree_row *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
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

/* Children may be listed before their parents: again until nothing is added. */
static size_t keep_ours(struct tree_row *rows, size_t count, pid_t root)
{
	size_t kept = 0;

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

struct tree_row *tree_read(pid_t root, bool exact, size_t *ret_count)
{
	AUTO_CLOSEDIR DIR *d = opendir("/proc");
	struct tree_row *rows = NULL;
	size_t count = 0, size = 0;

	for (struct dirent *e = d ? readdir(d) : NULL; e && count < TREE_MAX; e = readdir(d)) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (count == size) {
			size = size ? size * 2 : 64;
			struct tree_row *grown = realloc(rows, size * sizeof(*rows));
			if (!grown)
				break;
			rows = grown;
		}
		count += read_row(dirfd(d), e->d_name, &rows[count]);
	}
	count = keep_ours(rows, count, root);
	for (size_t i = 0; d && rows && i < count; i++)
		read_more(dirfd(d), &rows[i], exact);
	*ret_count = count;
	return rows;
}

static size_t signal_all(pid_t root, int sig)
{
	size_t count;
	AUTO_FREE struct tree_row *rows = tree_read(root, false, &count);

	for (size_t i = 0; i < count; i++)
		kill(rows[i].pid, sig);
	return count;
}

/* Stopping first: a tree that is killed leaf by leaf can outgrow us, a stopped one cannot. */
void tree_kill(pid_t root)
{
	size_t before = 0;

	for (int i = 0; i < STOP_ROUNDS; i++) {
		size_t now = signal_all(root, SIGSTOP);
		if (now == before)
			break;
		before = now;
	}
	signal_all(root, SIGKILL);
}

/* Everybody is killed before anybody is waited for, and all who are dead are reaped at once: a tree
 * of thousands must not be read again for each of them. */
void tree_bury(pid_t root, pid_t main, int *ret_status)
{
	int status;

	for (;;) {
		tree_kill(root);
		pid_t pid = waitpid(-1, &status, 0);
		while (pid > 0) {
			if (pid == main && ret_status)
				*ret_status = status;
			pid = waitpid(-1, &status, WNOHANG);
		}
		if (pid < 0 && errno == ECHILD)
			return;
	}
}

uint64_t tree_count_user(uid_t uid)
{
	AUTO_CLOSEDIR DIR *d = opendir("/proc");
	char path[64], text[4096];
	uint64_t count = 0;

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		snprintf(path, sizeof(path), "%.20s/status", e->d_name);
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    io_read_text(dirfd(d), path, text, sizeof(text)) < 0)
			continue;
		if (field(text, "\nUid:") == uid)
			count += field(text, "\nThreads:");
	}
	return count;
}
