/* SPDX-License-Identifier: MIT
 *
 * What a run keeps on the host's disk: every file once whatever its names, those that are deleted
 * and still open, a tree as deep as is allowed with few descriptors, and nothing that a link leads
 * to. What cannot be looked at is an error.
 */
#include "box/disk.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "model/limit.h"
#include "scratch.h"
#include "tap.h"

#define MIB (1U << 20)
#define PLENTY (1ULL << 40)

static void big_file(const char *path)
{
	static char zeros[MIB];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	scratch_must(fd >= 0 && write(fd, zeros, MIB) == MIB && fsync(fd) == 0 && close(fd) == 0,
		     path);
}

/* 0 when it could not be measured: with one entry there is always more. */
static uint64_t measure_with(const struct tree_row *rows, size_t count, uint64_t max)
{
	uint64_t bytes = 0;

	return disk_measure("d", rows, count, max, &bytes) == 0 ? bytes : 0;
}

static uint64_t measure(void)
{
	return measure_with(NULL, 0, PLENTY);
}

static void fresh(void)
{
	scratch_must(system("rm -rf d") == 0, "clearing");
	scratch_dir("d");
}

static void test_sum(void)
{
	fresh();
	big_file("d/one");
	uint64_t one = measure();
	ok(one >= MIB + DISK_ENTRY_BYTES && one < 2 * MIB, "one file");
	scratch_file("d/empty", "", 0644);
	ok(measure() == one + DISK_ENTRY_BYTES, "an empty one is not free");
	scratch_dir("d/sub");
	big_file("d/sub/two");
	ok(measure() >= 2 * one + 2 * DISK_ENTRY_BYTES, "one in a directory");
	ok(measure_with(NULL, 0, MIB) > MIB, "more than allowed is more than allowed");
}

static void test_links(void)
{
	fresh();
	big_file("outside");
	big_file("d/one");
	uint64_t one = measure();
	scratch_must(link("d/one", "d/again") == 0 && link("d/one", "d/third") == 0, "links");
	uint64_t three = measure();
	ok(three >= one + DISK_ENTRY_BYTES && three < one + MIB / 2,
	   "a file of three names is one");
	scratch_must(symlink("../outside", "d/away") == 0 && symlink("..", "d/up") == 0,
		     "symlinks");
	ok(measure() < three + MIB / 2, "links are not followed");
}

static void test_deleted(void)
{
	struct tree_row rows[2] = {{.pid = getpid(), .shown = getpid()}};

	fresh();
	big_file("d/one");
	scratch_file("d/small", "", 0644);
	int fd = open("d/one", O_RDONLY | O_CLOEXEC), same = dup(fd);
	uint64_t named = measure_with(rows, 1, PLENTY);
	ok(named < 2 * MIB, "an open file that has a name counts once");
	scratch_must(fd >= 0 && same >= 0 && unlink("d/one") == 0, "deleting");
	rows[1] = rows[0];
	uint64_t open_twice = measure_with(rows, 2, PLENTY);
	ok(open_twice >= MIB && open_twice < 2 * MIB, "one that is deleted and open counts once");
	close(fd);
	close(same);
	ok(measure_with(rows, 1, PLENTY) == DISK_ENTRY_BYTES, "and not when it is closed");
}

static void nest(int depth)
{
	int at = open("d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < depth; i++) {
		scratch_must(mkdirat(at, "n", 0755) == 0 && mkdirat(at, "side", 0755) == 0, "nest");
		int next = openat(at, "n", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = next;
	}
	close(at);
}

static void test_depth(void)
{
	struct rlimit old, few;

	fresh();
	nest(CORDON_DISK_DEPTH_MAX);
	uint64_t all = measure();
	ok(all >= 2ULL * CORDON_DISK_DEPTH_MAX * DISK_ENTRY_BYTES && all < PLENTY,
	   "as deep as is allowed, and all of it is seen");
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){32, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	ok(measure() == all, "with few descriptors as well");
	few.rlim_cur = 8;
	setrlimit(RLIMIT_NOFILE, &few);
	uint64_t none = measure();
	int error = errno;
	setrlimit(RLIMIT_NOFILE, &old);
	ok(none == 0 && error == EMFILE, "too few of them are an error");
	fresh();
	nest(CORDON_DISK_DEPTH_MAX + 1);
	ok(measure() > PLENTY, "one level more is too much");
}

/* A process moves directories, below those that stay open. What is measured is never less than
 * the files that are always there; that it could not be measured may be said. */
static void test_moving(void)
{
	char here[256] = "d", there[300], away[300];

	fresh();
	for (int i = 0; i < 30; i++) {
		strcat(here, "/n");
		scratch_dir(here);
	}
	snprintf(there, sizeof(there), "%s/x", here);
	snprintf(away, sizeof(away), "d/n/x");
	scratch_dir(there);
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			if (rename(there, away) < 0 || rename(away, there) < 0)
				_exit(1);
	int wrong = 0;
	for (int i = 0; i < 500; i++) {
		uint64_t bytes = 0;
		int r = disk_measure("d", NULL, 0, PLENTY, &bytes);
		wrong += r == 0 ? bytes < 30 * DISK_ENTRY_BYTES || bytes > 80 * DISK_ENTRY_BYTES
				: errno != ESTALE;
	}
	ok(wrong == 0, "directories that are moved meanwhile: %d wrong", wrong);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_absent(void)
{
	uint64_t bytes = 7;

	ok(disk_measure("nowhere", NULL, 0, PLENTY, &bytes) == -1 && errno == ENOENT && bytes == 7,
	   "a directory that is not there is an error");
}

int main(void)
{
	const char *dir = scratch_enter();

	test_sum();
	test_links();
	test_deleted();
	test_depth();
	test_moving();
	test_absent();
	scratch_leave(dir);
	return tap_done();
}
