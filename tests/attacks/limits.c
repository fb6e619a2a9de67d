/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the machine's resources, one limit each. All are bounded by an argument that lies
 * above the limit the runner asked for, so that a box without the limit is seen and the machine
 * survives it. Each says how far it came.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1L << 20)

/* Children that stay: how many at once? */
static int forks(const struct args *args)
{
	static int pids[1024];
	long wanted = arg_number(args, "count", 400), got = 0;
	int error = 0;

	for (; got < wanted && got < 1024; got++) {
		pids[got] = fork();
		if (pids[got] == 0) {
			alarm(20);
			pause();
			_exit(0);
		}
		if (pids[got] < 0) {
			error = errno;
			break;
		}
	}
	for (long i = 0; i < got; i++)
		kill(pids[i], SIGKILL);
	return error ? held("%s after %ld", strerrorname_np(error), got)
		     : escaped("%ld processes", got);
}

static long touch_pages(int flags, long megabytes)
{
	for (long done = 0; done < megabytes; done += 4) {
		char *at =
			mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return done;
		for (long i = 0; i < 4 * MIB; i += 4096)
			at[i] = 1;
	}
	return megabytes;
}

/* Memory that no process shows: written into memory files, or into a shared mapping whose page
 * table entries are dropped again. Counting resident pages does not find either. */
static long hide_pages(int in_files, long megabytes)
{
	static char block[1 << 20];

	memset(block, 'x', sizeof(block));
	for (long done = 0; done < megabytes; done += 16) {
		int fd = in_files ? memfd_create("x", 8 /* MFD_NOEXEC_SEAL */) : -1;
		char *at = in_files ? NULL
				    : mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if ((in_files && fd < 0) || at == MAP_FAILED)
			return done;
		for (int i = 0; i < 16; i++) {
			if (in_files && write(fd, block, sizeof(block)) < 0)
				return done;
			if (at) {
				memcpy(at + i * MIB, block, sizeof(block));
				madvise(at + i * MIB, MIB, MADV_DONTNEED);
			}
		}
	}
	return megabytes;
}

/* RLIMIT_DATA does not see shared anonymous memory: the hole that a second layer must close. */
static int memory(const struct args *args)
{
	long wanted = arg_number(args, "mb", 256), got;
	char how = arg_text(args, "how", "private")[0];

	if (how == 'f' || how == 'h')
		got = hide_pages(how == 'f', wanted);
	else
		got = touch_pages(how == 's' ? MAP_SHARED : MAP_PRIVATE, wanted);
	if (got < wanted)
		return held("%s after %ld MiB", strerrorname_np(errno), got);
	usleep(200000);
	return escaped("%ld MiB are in use", got);
}

/* A limit per process multiplies by the number of processes. */
static int memory_split(const struct args *args)
{
	long wanted = arg_number(args, "mb", 256), part = arg_number(args, "part", 32), ended = 0;

	for (long done = 0; done < wanted; done += part) {
		int pid = fork();

		if (pid < 0)
			return held("fork: %s", strerrorname_np(errno));
		if (pid == 0) {
			long got = touch_pages(MAP_PRIVATE, part);

			alarm(10);
			if (got == part)
				pause();
			_exit(0);
		}
	}
	for (int i = 0; i < 200 && !ended; i++) {
		usleep(50000);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			ended++;
	}
	return ended ? held("%ld of %ld children ended", ended, wanted / part)
		     : escaped("%ld MiB in %ld children", wanted, wanted / part);
}

/* Removes what an attack that got through has made: the machine may be a real one. */
static void tidy(const struct args *args, const char *prefix, long count, long step)
{
	char path[4096];

	for (long i = 0; i < count; i += step) {
		snprintf(path, sizeof(path), "%s/%s%ld", arg_text(args, "where", "."), prefix, i);
		unlink(path);
	}
}

/* Fill a writable place. */
static int fill(const struct args *args)
{
	static char block[1 << 20];
	char path[4096];
	long wanted = arg_number(args, "mb", 64), got = 0;
	long keep = arg_number(args, "delete", 0); /* files without a name, held by descriptor */
	int fd = -1, error = 0;

	memset(block, 'x', sizeof(block));
	if (arg_number(args, "closed", 0)) /* writable, but it cannot be listed */
		mkdir(arg_text(args, "where", "."), 0300);
	for (; got < wanted && !error; got++) {
		if (got % 8 == 0) {
			if (!keep)
				close(fd);
			snprintf(path, sizeof(path), "%s/fill-%ld", arg_text(args, "where", "."),
				 got);
			fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
			if (keep)
				unlink(path);
		}
		if (fd < 0 || write(fd, block, sizeof(block)) != sizeof(block))
			error = errno;
	}
	if (!error) /* so that a look can fall into it */
		usleep((useconds_t)arg_number(args, "stay", 0) * 500000);
	tidy(args, "fill-", got, 8);
	return error ? held("%s after %ld MiB", strerrorname_np(error), got)
		     : escaped("%ld MiB were written", got);
}

static int inodes(const struct args *args)
{
	char path[4096];
	long wanted = arg_number(args, "count", 100000), got = 0;
	int error = 0;

	for (; got < wanted && !error; got++) {
		snprintf(path, sizeof(path), "%s/i%ld", arg_text(args, "where", "."), got);
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		if (fd < 0)
			error = errno;
		else
			close(fd);
	}
	tidy(args, "i", got, 1);
	return error ? held("%s after %ld files", strerrorname_np(error), got)
		     : escaped("%ld files", got);
}

/* A file with a hole costs nothing until something copies it. No fallocate(): where the limit is
 * missing, that would take the machine's whole disk. */
static int huge_file(const struct args *args)
{
	int rc, fd = open("huge", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)args;
	signal(SIGXFSZ, SIG_IGN);
	if (fd < 0)
		return held("open: %s", strerrorname_np(errno));
	rc = ftruncate(fd, 1L << 40);
	unlink("huge");
	return must_fail("1 TiB", rc);
}

static int lock_memory(const struct args *args)
{
	void *at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)args;
	if (at == MAP_FAILED)
		return held("mmap: %s", strerrorname_np(errno));
	return must_fail("mlock of 1 MiB", mlock(at, MIB));
}

static int open_files(const struct args *args)
{
	long wanted = arg_number(args, "count", 4096), got = 0;

	while (got < wanted && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		got++;
	return got < wanted ? held("%s after %ld", strerrorname_np(errno), got)
			    : escaped("%ld descriptors", got);
}

/* Burn a core; alarm() is the probe's own bound, far above the limit. */
static int spin(const struct args *args)
{
	struct timespec now;
	time_t end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + arg_number(args, "seconds", 20);
	for (int number = 1; number < 32; number++)
		signal(number, SIG_IGN);
	while (now.tv_sec < end)
		for (int i = 0; i < 1000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
	return escaped("span for %ld seconds", arg_number(args, "seconds", 20));
}

/* The same in many processes: a limit per process would not bound the sum. */
static int spin_split(const struct args *args)
{
	for (int i = 0; i < 6; i++)
		if (fork() == 0)
			break;
	return spin(args);
}

/* Children without a wait leave no trace of their CPU time in the parent: a watcher that
 * adds up the living and the reaped never sees it. */
static int spin_hidden(const struct args *args)
{
	long ms = arg_number(args, "ms", 100), wanted = arg_number(args, "seconds", 6) * 1000 / ms;

	signal(SIGCHLD, SIG_IGN);
	for (long i = 0; i < wanted; i++) {
		struct timespec now = {0, 0};

		if (fork() == 0) {
			while (now.tv_sec == 0 && now.tv_nsec < ms * 1000000)
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
			_exit(0);
		}
		waitpid(-1, NULL, 0); /* until it is gone; there is nothing to collect */
	}
	return escaped("%ld seconds of CPU in %ld children", wanted * ms / 1000, wanted);
}

static int sleep_long(const struct args *args)
{
	sleep((unsigned int)arg_number(args, "seconds", 20));
	return escaped("slept for %ld seconds", arg_number(args, "seconds", 20));
}

/* Dead children without a wait fill the host's table of processes too. */
static int zombies(const struct args *args)
{
	long wanted = arg_number(args, "count", 2000);

	for (long made = 0; made < wanted; made++) {
		int pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0)
			return held("%s after %ld", strerrorname_np(errno), made);
	}
	return escaped("%ld dead children at once", wanted);
}

const struct probe limits_probes[] = {
	{"zombies", zombies, "count= dead children without a wait"},
	{"forks", forks, "count= processes at once"},
	{"memory", memory, "touch mb= of memory, how=private, shared, files, hidden"},
	{"memory-split", memory_split, "touch mb= of memory in children of part="},
	{"fill", fill, "write mb= into where="},
	{"inodes", inodes, "create count= empty files"},
	{"huge-file", huge_file, "a file of 1 TiB"},
	{"lock-memory", lock_memory, "mlock of 1 MiB"},
	{"open-files", open_files, "open count= descriptors"},
	{"spin", spin, "burn one core for seconds="},
	{"spin-split", spin_split, "burn CPU time in several processes"},
	{"spin-hidden", spin_hidden, "the same in children of ms= without a wait"},
	{"sleep-long", sleep_long, "sleep past the deadline"},
	{NULL, NULL, NULL},
};
