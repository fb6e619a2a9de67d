/* SPDX-License-Identifier: MIT
 *
 * A directory or a list that stops answering in the middle is not at its end. readdir and fopen
 * are this program's own here and fail when told: every reader must say that it did not see all,
 * whichever of its reads it was.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/scope.h"
#include "box/disk.h"
#include "box/tree.h"
#include "live/workspace.h"
#include "overlay_case.h"
#include "tap.h"

static int calls, bad_call; /* of readdir; 0: none fails */
static bool bad_list;

struct dirent *readdir(DIR *d)
{
	if (++calls == bad_call) {
		errno = EIO;
		return NULL;
	}
	return (struct dirent *)readdir64(d);
}

static ssize_t read_badly(void *times, char *buf, size_t size)
{
	static const char line[] = "1 1 0:1 / /none rw - tmpfs none rw\n";

	if (++*(int *)times > 1 || size < sizeof(line)) {
		errno = EIO;
		return -1;
	}
	memcpy(buf, line, sizeof(line) - 1);
	return sizeof(line) - 1;
}

FILE *fopen(const char *path, const char *mode)
{
	static int times;

	if (!bad_list || strcmp(path, "/proc/self/mountinfo") != 0)
		return fopen64(path, mode);
	times = 0;
	return fopencookie(&times, "r", (cookie_io_functions_t){.read = read_badly});
}

static int read_tree(void)
{
	AUTO_FREE struct tree_row *rows = NULL;
	size_t count;

	return tree_read(getpid(), TREE_SOCKETS, &rows, &count);
}

static int count_user(void)
{
	uint64_t count;

	return tree_count_user(getuid(), &count);
}

static int measure_disk(void)
{
	struct tree_row self = {.pid = getpid(), .shown = getpid()};
	uint64_t bytes;

	return disk_measure(".", &self, 1, UINT64_MAX, &bytes);
}

/* A run has deleted a directory: all that was in it is told. */
static int diff_overlay(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_CLOSE int dir = open_dir("ws");
	AUTO_DIFF struct overlay_diff d = {0};
	struct err err = {0};
	int opened = open_overlay(&o, &err);

	calls = 0;
	return opened < 0 ? -1 : overlay_diff(&o, dir, &d, &err);
}

static int save_overlay(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	struct err err = {0};
	int opened = open_overlay(&o, &err);

	calls = 0;
	return opened < 0 ? -1 : save_in(&o, &err);
}

static const struct {
	const char *what;
	int (*read)(void);
} readers[] = {
	{"the processes", read_tree},
	{"a user's processes", count_user},
	{"the disk", measure_disk},
	{"what a run has left", save_overlay},
	{"what is below a deleted directory", diff_overlay},
};

static void test_directories(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		bad_call = calls = 0;
		ok(readers[i].read() == 0 && calls > 2, "%s: all is read", readers[i].what);
		int all = calls, missed = 0;
		for (int n = 1; n <= all; n++) {
			/* The first and the last are enough where the host has many processes. */
			if (n > 32 && n <= all - 32)
				continue;
			calls = 0;
			bad_call = n;
			if (readers[i].read() == 0 && calls >= n)
				missed++;
		}
		ok(missed == 0, "%s: %d of %d reads that failed went unnoticed", readers[i].what,
		   missed, all);
		bad_call = 0;
	}
}

static void test_mounts(const char *dir)
{
	static struct spec spec;
	struct arena arena = {0};
	struct own_paths own = {.arena = &arena};
	struct err err = {0};
	const struct request req = {.workspace_mode = WORKSPACE_OVERLAY};
	int fd = workspace_open(dir, &req, &own, &spec, &err);

	ok(fd >= 0, "the mounts are read");
	scope_close(&fd);
	bad_list = true;
	own = (struct own_paths){.arena = &arena};
	fd = workspace_open(dir, &req, &own, &spec, &err);
	ok(fd < 0 && err.code == ERR_SYSTEM && err.sys_errno == EIO,
	   "a list of mounts that was not read to its end is an error");
	scope_close(&fd);
	bad_list = false;
	arena_done(&arena);
}

int main(void)
{
	const char *dir = scratch_enter();
	pid_t pid = fork();

	if (pid == 0) {
		sleep(60);
		_exit(0);
	}
	prepare();
	whiteout("upper/dir");
	test_directories();
	test_mounts(dir);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	scratch_leave(dir);
	return tap_done();
}
