/* SPDX-License-Identifier: MIT
 *
 * Looks at the host as an administrator would: /proc, the mount table, the cgroup trees, /tmp.
 * What was there before the first run does not count, and other people's runs are told apart by
 * the path of their programs. It must never take part: no lock, no signal while it looks.
 */
#include "traces.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIST_MAX = 1 << 20, HEX_NAME = 7 + 32 };

/* What a run without namespaces makes in /tmp. */
static const char private_prefix[] = ".cordon-private-";

/* nftw has no argument to pass: one list at a time. */
static struct {
	char *text;
	size_t len;
	const char *cgroup;
} list;

static void add(const char *kind, const char *what)
{
	int n = snprintf(list.text + list.len, LIST_MAX - list.len, "%s %s\n", kind, what);

	if (n > 0 && list.len + (size_t)n < LIST_MAX)
		list.len += (size_t)n;
}

static ssize_t read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

static pid_t parent_of(const char *pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return -1;
	const char *at = strrchr(text, ')');
	int parent = -1;
	if (!at || sscanf(at + 1, " %*c %d", &parent) != 1)
		return -1;
	return parent;
}

pid_t traces_child(pid_t parent)
{
	DIR *d = opendir("/proc");
	pid_t found = 0;

	for (struct dirent *e = d ? readdir(d) : NULL; e && !found; e = readdir(d))
		if (isdigit((unsigned char)e->d_name[0]) && parent_of(e->d_name) == parent)
			found = atoi(e->d_name);
	if (d)
		closedir(d);
	return found;
}

/* Orphans of this test become its children, so a process below pid 1 and not below this one
 * belongs to another run. A process that ends meanwhile counts as this test's; the next check
 * corrects that. */
static bool is_of_others(const char *pid)
{
	char at[24];
	pid_t parent = parent_of(pid);

	while (parent > 1 && parent != getpid()) {
		snprintf(at, sizeof(at), "%d", parent);
		parent = parent_of(at);
	}
	return parent != getpid() && (parent == 0 || parent == 1);
}

/* By the file it runs, or by its arguments. An ordinary user cannot read the first of a process
 * that hides itself: there its name and whose child it is must do. */
static bool is_ours(const struct traces *t, const char *pid)
{
	char path[64], text[8192];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	if (n > 0 && strncmp(text, t->stage, strlen(t->stage)) == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	n = read_file(path, text, sizeof(text));
	if (n > 0 && memmem(text, (size_t)n, t->marker, strlen(t->marker)))
		return true;
	if (geteuid() == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	read_file(path, text, sizeof(text));
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	return strncmp(text, "cordon", 6) == 0 && stat(path, &st) == 0 && access(path, R_OK) < 0 &&
	       !is_of_others(pid);
}

static void list_processes(const struct traces *t)
{
	DIR *d = opendir("/proc");
	char what[512], path[64], comm[64];

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (!isdigit((unsigned char)e->d_name[0]) || atoi(e->d_name) == getpid() ||
		    !is_ours(t, e->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/comm", e->d_name);
		read_file(path, comm, sizeof(comm));
		snprintf(what, sizeof(what), "%s %.*s", e->d_name, (int)strcspn(comm, "\n"), comm);
		add("process", what);
	}
	if (d)
		closedir(d);
}

static void list_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		add("mount", line);
	}
	free(line);
	if (f)
		fclose(f);
}

static int see_cgroup(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	if (type == FTW_D && strncmp(path + at->base, "cordon-", 7) == 0 &&
	    strlen(path + at->base) == HEX_NAME && strstr(path, list.cgroup))
		add("cgroup", path);
	return 0;
}

static void list_directories(void)
{
	DIR *d = opendir("/tmp");
	char path[300];

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
		if (strncmp(e->d_name, private_prefix, sizeof(private_prefix) - 1) == 0) {
			snprintf(path, sizeof(path), "/tmp/%s", e->d_name);
			add("directory", path);
		}
	if (d)
		closedir(d);
}

static void look(const struct traces *t, unsigned kinds)
{
	list.len = 0;
	list.text[0] = '\0';
	list.cgroup = t->cgroup;
	if (kinds & TRACE_PROCESS)
		list_processes(t);
	if (kinds & TRACE_MOUNT)
		list_mounts();
	if (kinds & TRACE_CGROUP)
		nftw("/sys/fs/cgroup", see_cgroup, 16, FTW_PHYS);
	if (kinds & TRACE_DIRECTORY)
		list_directories();
}

static bool was_there(const struct traces *t, const char *line, size_t len)
{
	for (const char *at = t->before; *at; at = strchr(at, '\n') + 1)
		if (strncmp(at, line, len + 1) == 0)
			return true;
	return false;
}

/* Leaves in the list only what is new; how many lines. */
static int keep_new(const struct traces *t)
{
	size_t kept = 0;
	int count = 0;

	for (char *at = list.text, *next; *at; at = next) {
		next = strchr(at, '\n') + 1;
		size_t len = (size_t)(next - at);
		if (was_there(t, at, len - 1))
			continue;
		memmove(list.text + kept, at, len);
		kept += len;
		count++;
	}
	list.text[kept] = '\0';
	list.len = kept;
	return count;
}

int traces_init(struct traces *t)
{
	list.text = malloc(LIST_MAX);
	if (!list.text)
		return -1;
	look(t, TRACE_ALL);
	t->before = strdup(list.text);
	return t->before ? 0 : -1;
}

void traces_done(struct traces *t)
{
	free(t->before);
	free(list.text);
}

/* Orphans come to us: what only waits to be reaped is gone. */
static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

bool traces_gone(const struct traces *t, unsigned kinds, int ms, char *ret_text)
{
	static const struct timespec pause = {.tv_nsec = 2000000};
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		reap();
		look(t, kinds);
		if (keep_new(t) == 0)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 >
		    ms)
			break;
		nanosleep(&pause, NULL);
	}
	snprintf(ret_text, TRACE_TEXT_MAX, "%s", list.text);
	return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void traces_remove(const struct traces *t)
{
	look(t, TRACE_ALL);
	keep_new(t);
	for (char *save = NULL, *line = strtok_r(list.text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *what = strchr(line, ' ');
		if (strncmp(line, "process ", 8) == 0)
			kill(atoi(what + 1), SIGKILL);
		else if (strncmp(line, "cgroup ", 7) == 0)
			rmdir(what + 1);
		else if (strncmp(line, "directory ", 10) == 0)
			nftw(what + 1, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
}
