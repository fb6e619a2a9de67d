/* SPDX-License-Identifier: MIT */
/*
 * Attacks by quantity on things that have no limit of their own in most sandboxes: output, timers,
 * pipes, threads, locks, queued signals, deep directories, and the process that multiplies.
 * Bounded like the others; what they use is kernel memory that is charged to no process.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MIB (1L << 20)

/* VAREK A5: 400 MB of output became 816 MB of the parent's memory. */
static int flood_output(const struct args *args)
{
	static char block[1 << 16];
	int fd = (int)arg_number(args, "fd", 1);
	long wanted = arg_number(args, "mb", 256) * 16;

	memset(block, 'A', sizeof(block));
	for (long i = 0; i < wanted; i++)
		if (write(fd, block, sizeof(block)) < 0)
			return held("write: %s after %ld KiB", strerrorname_np(errno), i * 64);
	return held("wrote %ld MiB, look outside", wanted / 16);
}

/* No newline, no end: output that is never a line. */
static int flood_until_killed(const struct args *args)
{
	static char block[1 << 16];

	(void)args;
	for (int number = 1; number < 32; number++)
		signal(number, SIG_IGN);
	for (time_t end = time(NULL) + 20; time(NULL) < end;)
		if (write(1, block, sizeof(block)) < 0)
			usleep(1000);
	return escaped("twenty seconds of output");
}

static int flood_timers(const struct args *args)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	long wanted = arg_number(args, "count", 200000), got = 0;
	timer_t timer;

	signal(SIGRTMIN, SIG_IGN);
	while (got < wanted && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		got++;
	return got < wanted ? held("%s after %ld timers", strerrorname_np(errno), got)
			    : escaped("%ld timers", got);
}

/* A pipe holds up to 1 MiB of kernel memory per pair of descriptors. */
static int flood_pipes(const struct args *args)
{
	static char block[1 << 16];
	long wanted = arg_number(args, "mb", 256), kept = 0;
	int ends[2];

	while (kept < wanted * MIB && pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0) {
		long put;

		fcntl(ends[1], F_SETPIPE_SZ, MIB);
		while ((put = write(ends[1], block, sizeof(block))) > 0)
			kept += put;
	}
	return kept < wanted * MIB ? held("%s after %ld MiB", strerrorname_np(errno), kept / MIB)
				   : escaped("%ld MiB in pipes", kept / MIB);
}

static void *idle(void *unused)
{
	(void)unused;
	sleep(20);
	return NULL;
}

static int flood_threads(const struct args *args)
{
	long wanted = arg_number(args, "count", 400), got = 0;
	pthread_attr_t attr;
	pthread_t thread;
	int error = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (got < wanted && !(error = pthread_create(&thread, &attr, idle, NULL)))
		got++;
	return got < wanted ? held("%s after %ld threads", strerrorname_np(error), got)
			    : escaped("%ld threads", got);
}

static int flood_signals(const struct args *args)
{
	union sigval value = {0};
	long wanted = arg_number(args, "count", 200000), got = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	while (got < wanted && sigqueue(getpid(), SIGRTMIN, value) == 0)
		got++;
	return got < wanted ? held("%s after %ld signals", strerrorname_np(errno), got)
			    : escaped("%ld queued signals", got);
}

/* Paths longer than PATH_MAX broke many a recursive remove. The runner looks at the clean-up. */
static int deep_directories(const struct args *args)
{
	long wanted = arg_number(args, "count", 3000), got = 0;

	while (got < wanted && mkdir("deep", 0755) == 0 && chdir("deep") == 0)
		got++;
	return held("%ld deep: %s, look at the clean-up", got, strerrorname_np(errno));
}

static int many_files(const struct args *args)
{
	char name[64];
	long wanted = arg_number(args, "count", 10000), got = 0;

	for (; got < wanted; got++) {
		snprintf(name, sizeof(name), "file-%ld", got);
		int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		if (fd < 0)
			break;
		close(fd);
	}
	return held("%ld files: %s, look at the clean-up", got, strerrorname_np(errno));
}

/* Each refused call is a message to the supervisor: it must neither grow nor fall behind. */
static int flood_denials(const struct args *args)
{
	long wanted = arg_number(args, "count", 200000), got = 0;

	for (; got < wanted; got++)
		if (socket(16 /* AF_NETLINK */, 3, 0) >= 0)
			return escaped("the %ldth try was let through", got);
	return held("%ld refused calls", got);
}

/* When the supervisor has stopped listening, the forbidden calls must still be forbidden. */
/* More than the supervisor answers one by one: from then on the kernel refuses alone. */
static int after_denials(const struct args *args)
{
	(void)args;
	for (int i = 0; i < 5000; i++)
		if (socket(16 /* AF_NETLINK */, 3, 0) >= 0)
			return escaped("the %dth try was let through", i);
	if (syscall(SYS_unshare, 0x10000000) == 0)
		return escaped("unshare was let through");
	return must_be_shut("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
}

/* Every process starts more, and all ignore signals. Each fork takes a token out of a pipe
 * that all of them share: that bounds the bomb where the box does not. */
static int fork_bomb(const struct args *args)
{
	long bound = arg_number(args, "count", 2000), most = arg_number(args, "limit", 64);
	time_t end = time(NULL) + 20;
	int tokens[2];
	char one = 1;

	if (pipe2(tokens, O_NONBLOCK | O_CLOEXEC) < 0)
		return held("pipe2: %s", strerrorname_np(errno));
	for (long i = 0; i < bound; i++)
		if (write(tokens[1], &one, 1) != 1)
			return held("write: %s", strerrorname_np(errno));
	for (int number = 1; number < 32; number++)
		signal(number, SIG_IGN);
	while (time(NULL) < end) {
		if (read(tokens[0], &one, 1) != 1)
			return escaped("%ld forks, more than %ld at once", bound, most);
		if (fork() < 0) {
			if (write(tokens[1], &one, 1) != 1)
				return held("write: %s", strerrorname_np(errno));
			usleep(1000);
		}
	}
	return held("the bomb went out by itself");
}

const struct probe floods_probes[] = {
	{"flood-output", flood_output, "write mb= to descriptor fd="},
	{"flood-until-killed", flood_until_killed, "write until the deadline"},
	{"flood-timers", flood_timers, "create count= timers"},
	{"flood-pipes", flood_pipes, "fill mb= of pipe buffers"},
	{"flood-threads", flood_threads, "start count= threads"},
	{"flood-signals", flood_signals, "queue count= signals"},
	{"flood-denials", flood_denials, "make count= refused calls"},
	{"after-denials", after_denials, "forbidden calls after a flood of refused ones"},
	{"deep-directories", deep_directories, "nest count= directories"},
	{"many-files", many_files, "leave count= files behind"},
	{"fork-bomb", fork_bomb, "multiply until the deadline"},
	{NULL, NULL, NULL},
};
