/* SPDX-License-Identifier: MIT */
/*
 * Memory that a sum over processes does not show: of a process whose first thread is dead, in
 * page tables, in the buffers of sockets; and the mapping that a limit on data does not count.
 * Where a cgroup counts, it must see all of it. Bounded by mb= like the other limits.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1L << 20)
#define TABLE_SPAN (2 * MIB) /* what one page table maps, with pages of 4 KiB */

/* Something between the last touch and the end, so that a look can fall into it. */
static int stay(long mb, const char *where)
{
	usleep(300000);
	return escaped("%ld MiB in %s", mb, where);
}

static long relaying;

/* Each thread starts the next one and ends, so a reader of /proc always comes too late. */
static void *relay(void *unused)
{
	pthread_attr_t attr;
	pthread_t next;

	(void)unused;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 65536);
	while (pthread_create(&next, &attr, relay, NULL) != 0)
		usleep(100);
	return NULL;
}

static void *touch_alone(void *size)
{
	char *at = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	usleep(50000); /* until the first thread is dead */
	if (at != MAP_FAILED)
		memset(at, 1, (size_t)size);
	if (at != MAP_FAILED && relaying)
		return relay(NULL);
	sleep(at != MAP_FAILED ? 3 : 0);
	_exit(at == MAP_FAILED);
}

/* The first thread of a process ends, the others go on: its own /proc entry shows no memory. */
static int memory_headless(const struct args *args)
{
	long wanted = arg_number(args, "mb", 256), part = arg_number(args, "part", 32), ended = 0;
	pthread_t thread;

	relaying = arg_number(args, "relay", 0);
	for (long done = 0; done < wanted; done += part) {
		int pid = fork();

		if (pid < 0)
			return held("fork: %s", strerrorname_np(errno));
		if (pid == 0) {
			if (pthread_create(&thread, NULL, touch_alone, (void *)(part * MIB)) != 0)
				_exit(1);
			syscall(SYS_exit, 0);
		}
	}
	usleep(1000000);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		ended++;
	return ended ? held("%ld of %ld children ended", ended, wanted / part)
		     : escaped("%ld MiB in %ld children", wanted, wanted / part);
}

/* One byte is read in each 2 MiB: the page is the zero page, the table above it is real. */
static int memory_tables(const struct args *args)
{
	long wanted = arg_number(args, "mb", 128), tables = wanted * MIB / 4096, sum = 0;
	volatile char *at = mmap(NULL, (size_t)(tables * TABLE_SPAN), PROT_READ,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return held("mmap: %s", strerrorname_np(errno));
	for (long i = 0; i < tables; i++)
		sum += at[i * TABLE_SPAN];
	return stay(wanted + sum, "page tables");
}

/* What is written into a socket and not read yet belongs to no process. */
static int memory_sockets(const struct args *args)
{
	static char block[1 << 16];
	long wanted = arg_number(args, "mb", 128), kept = 0, put;
	int ends[2], size = 1 << 24, type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

	while (kept < wanted * MIB) {
		if (socketpair(AF_UNIX, type, 0, ends) < 0)
			return held("%s after %ld MiB", strerrorname_np(errno), kept / MIB);
		for (int i = 0; i < 2; i++) {
			setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
			while ((put = write(ends[i], block, sizeof(block))) > 0)
				kept += put;
		}
	}
	return stay(wanted, "sockets");
}

/* Sockets that no process holds any more: each is on its way in another one. */
static int send_away(int through, int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct iovec byte = {"x", 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	return sendmsg(through, &message, 0) < 0 ? -1 : 0;
}

static int memory_in_flight(const struct args *args)
{
	static char block[1 << 16];
	long wanted = arg_number(args, "mb", 96), kept = 0, put;
	int carrier[2], ends[2], type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

	for (long made = 0; kept < wanted * MIB; made++) {
		/* A socket takes so many messages only. */
		if (made % 64 == 0 && socketpair(AF_UNIX, type, 0, carrier) < 0)
			return held("%s after %ld MiB", strerrorname_np(errno), kept / MIB);
		if (socketpair(AF_UNIX, type, 0, ends) < 0)
			return held("%s after %ld MiB", strerrorname_np(errno), kept / MIB);
		while ((put = write(ends[0], block, sizeof(block))) > 0)
			kept += put;
		if (send_away(carrier[0], ends[1]) < 0)
			return held("sendmsg: %s after %ld MiB", strerrorname_np(errno),
				    kept / MIB);
		close(ends[0]);
		close(ends[1]);
	}
	return stay(wanted, "sockets on their way");
}

/* RLIMIT_DATA leaves out what grows like a stack. */
static int grows_down(const struct args *args)
{
	void *at = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);

	(void)args;
	return must_fail("mmap with MAP_GROWSDOWN", at == MAP_FAILED ? -1 : 0);
}

const struct probe kernelmem_probes[] = {
	{"memory-headless", memory_headless, "touch mb= in processes whose first thread is dead"},
	{"memory-tables", memory_tables, "mb= of page tables"},
	{"memory-sockets", memory_sockets, "mb= in the buffers of sockets"},
	{"memory-in-flight", memory_in_flight, "mb= in sockets that are on their way"},
	{"grows-down", grows_down, "map what the limit on data does not count"},
	{NULL, NULL, NULL},
};
