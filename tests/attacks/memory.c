/* SPDX-License-Identifier: MIT */
/*
 * Attacks through shared memory and pages: SysV and POSIX objects of the host that carry the
 * token, pages spliced into a pipe, and mappings that help an exploit. SysV keys are host-wide
 * wherever the ipc namespace is missing.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sysv_shm(const struct args *args)
{
	int id = shmget((key_t)arg_number(args, "shmkey", 1), 0, 0);
	char *at;

	if (id < 0)
		return held("shmget: %s", strerrorname_np(errno));
	at = shmat(id, NULL, SHM_RDONLY);
	return at == (void *)-1 ? escaped("the host's segment %d exists", id)
				: escaped("host's segment: %s", at);
}

static int posix_shm(const struct args *args)
{
	char path[256];

	snprintf(path, sizeof(path), "/dev/shm/%s", arg_text(args, "shmname", "none"));
	return must_not_read(path);
}

static int posix_queue(const struct args *args)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[256];

	snprintf(name, sizeof(name), "/%s", arg_text(args, "marker", "marker"));
	return must_fail("mq_open", mq_open(name, O_RDWR | O_CREAT, 0600, &attr));
}

/* Dirty Pipe (CVE-2022-0847) needed splice from a file into a pipe and then a plain write: the
 * page of a read-only file must not change, whatever the kernel's age. */
static int dirty_pipe(const struct args *args)
{
	char before[2] = "", after[2] = "", block[4096];
	int ends[2], fd = open(arg_text(args, "path", "/proc/self/exe"), O_RDONLY | O_CLOEXEC);
	off_t at = 1;

	if (fd < 0 || pread(fd, before, 1, 2) != 1 || pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0)
		return held("no file: %s", strerrorname_np(errno));
	memset(block, 'x', sizeof(block));
	while (write(ends[1], block, sizeof(block)) > 0)
		;
	while (read(ends[0], block, sizeof(block)) > 0)
		;
	if (splice(fd, &at, ends[1], NULL, 1, 0) < 0)
		return held("splice: %s", strerrorname_np(errno));
	/* Write back the very byte that is there: harmless where the kernel is vulnerable. */
	if (write(ends[1], before, 1) != 1 || pread(fd, after, 1, 2) != 1)
		return held("write: %s", strerrorname_np(errno));
	return before[0] == after[0] ? held("the page is as it was") : escaped("page changed");
}

static int null_page(const struct args *args)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			-1, 0);

	(void)args;
	return must_fail("mmap of page 0", at == MAP_FAILED ? -1 : 0);
}

/* Mount, network and ipc files of the host, if the box's /dev were the host's. */
static int raw_devices(const struct args *args)
{
	static const char *const names[] = {
		"/dev/mem",
		"/dev/kmem",
		"/dev/port",
		"/dev/kvm",
		"/dev/fuse",
		"/dev/vda",
		"/dev/sda",
		"/dev/nvme0n1",
		"/dev/loop0",
		"/dev/loop-control",
		"/dev/net/tun",
		"/dev/vhost-vsock",
		"/dev/vsock",
		"/dev/uinput",
		"/dev/rtc0",
		"/dev/hpet",
		"/dev/cuse",
		"/dev/btrfs-control",
		"/dev/mapper/control",
		"/dev/snapshot",
		"/dev/userfaultfd",
		"/dev/watchdog",
	};

	(void)args;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (access(names[i], F_OK) == 0 && open(names[i], O_RDONLY | O_CLOEXEC) >= 0)
			return escaped("%s is open", names[i]);
	return held("%s", strerrorname_np(errno));
}

/* The few devices a program needs must be the real ones. */
static int plain_devices(const struct args *args)
{
	char byte = 1;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)args;
	if (null < 0 || write(null, "x", 1) != 1 || read(null, &byte, 1) != 0)
		return escaped("/dev/null is broken: %s", strerrorname_np(errno));
	if (zero >= 0 && (read(zero, &byte, 1) != 1 || byte != 0))
		return escaped("/dev/zero is not zero");
	return held("null and zero work, as asked");
}

const struct probe memory_probes[] = {
	{"sysv-shm", sysv_shm, "read a SysV segment of the host"},
	{"posix-shm", posix_shm, "read a POSIX segment of the host"},
	{"posix-queue", posix_queue, "make a POSIX message queue"},
	{"dirty-pipe", dirty_pipe, "change a page of a read-only file through a pipe"},
	{"null-page", null_page, "map page 0"},
	{"raw-devices", raw_devices, "open a device that reaches the machine"},
	{"plain-devices", plain_devices, "use /dev/null, which must work"},
	{NULL, NULL, NULL},
};
