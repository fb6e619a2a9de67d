/* SPDX-License-Identifier: MIT
 *
 * The directory of a fetch: what killed ones left is removed, what is in use is not, and two that
 * begin at once do not take each other's away. Those that are killed are real processes.
 */
#include "cli/fetch_dir.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

enum { PEOPLE = 4, ROUNDS = 200 };

static const char *data;

/* What comes between making a directory and locking it; see tests.mk. */
static struct {
	int left;	   /* how many times */
	const char *swept; /* the command that sweeps, or NULL: it is being swept */
} meanwhile;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	if (meanwhile.left <= 0 || meanwhile.left-- <= 0)
		return __real_flock(fd, operation);
	if (meanwhile.swept) {
		scratch_must(system(meanwhile.swept) == 0, "sweeping");
		return __real_flock(fd, operation);
	}
	errno = EWOULDBLOCK;
	return -1;
}

/* How many names there are in the data directory. */
static size_t count(void)
{
	AUTO_CLOSEDIR DIR *d = opendir(data);
	size_t n = 0;

	scratch_must(d != NULL, data);
	while (readdir(d))
		n++;
	return n - 2;
}

/* A process that makes one and is killed. */
static void leave_one(void)
{
	struct fetch_dir d = {0};
	struct err err;
	pid_t pid = fork();
	char path[FETCH_PATH_MAX + 16];

	if (pid == 0) {
		if (fetch_dir_open(&d, data, &err) == 0) {
			snprintf(path, sizeof(path), "%s/rules", d.path);
			mkdir(path, 0);
		}
		raise(SIGKILL);
	}
	scratch_must(pid > 0 && waitpid(pid, NULL, 0) == pid, "a child");
}

static void test_leftovers(void)
{
	struct fetch_dir one = {0}, two = {0};
	struct err err = {0};

	leave_one();
	ok(count() == 1, "a fetch that is killed leaves its directory");
	scratch_dir("data/.fetch-no");
	scratch_dir("data/.fetch-toolong");
	scratch_file("data/.fetch-AAAAAA", "a file is not ours", 0600);
	scratch_must(symlink("/", "data/.fetch-BBBBBB") == 0, "link");
	ok(fetch_dir_open(&one, data, &err) == 0 && count() == 5, "the next removes that only");
	ok(fetch_dir_open(&two, data, &err) == 0 && scratch_exists(one.path) && count() == 6,
	   "and not one that is in use");
	fetch_dir_close(&one);
	fetch_dir_close(&two);
	ok(count() == 4 && !one.path[0], "each removes its own");
	fetch_dir_close(&one);
	ok(count() == 4, "once");
	scratch_must(system("rm -rf data/.fetch-*") == 0, "data");
}

static void test_bounds(void)
{
	struct fetch_dir d = {0};
	struct err err = {0};
	char name[32], *longest = malloc(FETCH_PATH_MAX + 1);
	size_t fits = FETCH_PATH_MAX - sizeof("/.fetch-XXXXXX");

	for (int i = 0; i < FETCH_LEFTOVERS_MAX + 1; i++) {
		snprintf(name, sizeof(name), "data/.fetch-%06d", i);
		scratch_dir(name);
	}
	ok(fetch_dir_open(&d, data, &err) == 0 && count() == 2, "the most that one fetch removes");
	fetch_dir_close(&d);
	ok(fetch_dir_open(&d, data, &err) == 0 && count() == 1, "the rest is the next one's");
	fetch_dir_close(&d);
	/* A path that fits, made of slashes, is too long for the kernel only with its end. */
	scratch_must(longest != NULL, "memory");
	memset(longest, '/', FETCH_PATH_MAX);
	memcpy(longest, data, strlen(data));
	longest[fits] = '\0';
	ok(fetch_dir_open(&d, longest, &err) == 0, "the longest path: %s", err.message);
	fetch_dir_close(&d);
	longest[fits] = '/';
	longest[fits + 1] = '\0';
	ok(fetch_dir_open(&d, longest, &err) < 0 && err.sys_errno == ENAMETOOLONG && !d.path[0],
	   "one that is longer");
	free(longest);
}

static void test_meanwhile(void)
{
	struct fetch_dir d = {0};
	struct err err = {0};

	meanwhile.left = 7;
	meanwhile.swept = "rmdir data/.fetch-*";
	ok(fetch_dir_open(&d, data, &err) == 0 && scratch_exists(d.path) && count() == 1,
	   "one that was swept before it was locked is made again");
	fetch_dir_close(&d);
	meanwhile.swept = NULL;
	meanwhile.left = 7;
	ok(fetch_dir_open(&d, data, &err) == 0 && count() == 1, "and one that is being swept");
	fetch_dir_close(&d);
	meanwhile.left = 8;
	ok(fetch_dir_open(&d, data, &err) < 0 && !d.path[0] && count() == 0,
	   "eight times, then no more: %s", err.message);
	meanwhile.left = 0;
}

/* 0: its directory was there until it was closed, each time. */
static int come_and_go(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct fetch_dir d = {0};
		struct err err;
		char inside[FETCH_PATH_MAX + 16];

		if (fetch_dir_open(&d, data, &err) < 0)
			return 1;
		snprintf(inside, sizeof(inside), "%s/x", d.path);
		if (mkdir(inside, 0700) < 0 || rmdir(inside) < 0)
			return 2;
		fetch_dir_close(&d);
	}
	return 0;
}

static void test_at_once(void)
{
	int status, failed = 0;

	for (int i = 0; i < PEOPLE; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(come_and_go());
		scratch_must(pid > 0, "fork");
	}
	for (int i = 0; i < PEOPLE; i++)
		failed += wait(&status) < 0 || status != 0;
	ok(failed == 0 && count() == 0, "several at once");
}

int main(void)
{
	const char *dir = scratch_enter();
	char path[64];

	scratch_dir("data");
	snprintf(path, sizeof(path), "%s/data", dir);
	data = path;
	test_leftovers();
	test_bounds();
	test_meanwhile();
	test_at_once();
	scratch_leave(dir);
	return tap_done();
}
