/* SPDX-License-Identifier: MIT */
/*
 * Attacks through /proc and /sys: the box's own init, the supervisor behind it, kernel memory and
 * switches. /proc is where a container's walls are thinnest: runc was rewritten through
 * /proc/self/exe (CVE-2019-5736), and core_pattern is a command that the host runs as root.
 * Switches are only opened for writing, never written.
 */
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Links of a process of ours outside would lead out of the box. */
static int proc_link(const struct args *args)
{
	char target[256] = "";
	const char *path = arg_text(args, "path", "/proc/1/root");

	return must_fail(path, readlink(path, target, sizeof(target) - 1));
}

static int proc_list(const struct args *args)
{
	const char *path = arg_text(args, "path", "/proc/1/fd");
	DIR *dir = opendir(path);
	int seen = 0;

	if (!dir)
		return held("%s: %s", path, strerrorname_np(errno));
	while (readdir(dir))
		seen++;
	closedir(dir);
	return seen > 2 ? escaped("%s lists %d", path, seen) : held("%s is empty", path);
}

/* Init holds the supervisor's pipes: reading its memory or maps would unveil where. */
static int proc_read(const struct args *args)
{
	return must_not_read(arg_text(args, "path", "/proc/1/environ"));
}

static int proc_write(const struct args *args)
{
	return must_not_write(arg_text(args, "path", "/proc/sys/kernel/core_pattern"));
}

/* The parent is our own code, of our own id where there is no namespace between us. */
static int proc_parent(const struct args *args)
{
	static const char *const files[] = {"environ", "mem", "maps", "auxv", "syscall"};
	char path[64];

	(void)args;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", getppid(), files[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			return show_stolen(path, fd);
	}
	return held("%s: %s", path, strerrorname_np(errno));
}

/* Writing memory through a file goes round page protections (the door of Dirty COW). */
static int self_mem(const struct args *args)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	(void)args;
	if (page == MAP_FAILED || fd < 0)
		return held("open: %s", strerrorname_np(errno));
	if (pwrite(fd, "x", 1, (off_t)(uintptr_t)page) == 1)
		return escaped("wrote a read-only page");
	/* Newer kernels may refuse this write by a setting of their own: that is not our doing. */
	return escaped("open for writing; pwrite: %s", strerrorname_np(errno));
}

/* CVE-2019-5736: the launcher's own binary, opened for writing from inside. Never truncated: if
 * the box leaks, the file is the real one. The kernel says "text file busy" before it looks at
 * the mount, so then the mount's own flag is asked. */
static int overwrite_exe(const struct args *args)
{
	static const char *const names[] = {"/proc/1/exe", "/proc/self/exe", "/cordon/main"};
	struct statvfs mount;

	(void)args;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (open(names[i], O_WRONLY | O_CLOEXEC) >= 0)
			return escaped("%s is open for writing", names[i]);
		if (errno == ETXTBSY && statvfs(names[i], &mount) == 0 &&
		    !(mount.f_flag & ST_RDONLY))
			return escaped("%s: busy now, writable later", names[i]);
	}
	return held("last: %s", strerrorname_np(errno));
}

/* The kernel kills by this score when memory runs out: with -1000 it would kill processes of the host. */
static int oom_score(const struct args *args)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	(void)args;
	if (fd < 0)
		return held("open: %s", strerrorname_np(errno));
	return must_fail("write -1000", write(fd, "-1000", 5));
}

/* Every process that shows must be one of the box: the victim's pid, and any parent beyond. */
static int see_processes(const struct args *args)
{
	const char *marker = arg_text(args, "marker", "marker");
	char path[300], text[65536];
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int seen = 0;

	while (dir && (entry = readdir(dir))) {
		long got;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		got = slurp(path, text, sizeof(text));
		seen++;
		if (got > 0 && atoi(entry->d_name) != 1 &&
		    !memmem(text, (size_t)got, marker, strlen(marker)))
			return escaped("process %s is %s", entry->d_name, text);
	}
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/proc/%s/cmdline", arg_text(args, "victim", "1"));
	if (slurp(path, text, sizeof(text)) > 0 && strstr(text, "attacks-run"))
		return escaped("the victim is visible: %s", text);
	return held("%d processes, all of the box", seen);
}

/* Kernel facts that help an exploit or identify the machine. */
static int kernel_facts(const struct args *args)
{
	static const char *const paths[] = {
		"/proc/kallsyms",    "/proc/kcore",	    "/proc/kmsg",
		"/proc/keys",	     "/proc/iomem",	    "/proc/cmdline",
		"/proc/timer_list",  "/proc/sysrq-trigger", "/proc/slabinfo",
		"/sys/kernel/notes", "/sys/kernel/debug",   "/sys/firmware",
		"/proc/config.gz",   "/proc/modules",	    "/proc/interrupts",
		"/sys/fs/cgroup",    "/sys/class/net/lo",   "/proc/sys/kernel/random/boot_id",
	};
	char text[64];

	(void)args;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (slurp(paths[i], text, sizeof(text)) > 0)
			return escaped("%s can be read", paths[i]);
	return held("%zu files, last: %s", sizeof(paths) / sizeof(paths[0]),
		    strerrorname_np(errno));
}

/* An id of the host that is an id in here too is a file of the host that could be ours. */
static int host_ids(const struct args *args)
{
	char text[256];
	unsigned long inside = 0, outside = 0, count = 0;

	(void)args;
	if (slurp("/proc/self/uid_map", text, sizeof(text)) < 0)
		return held("uid_map: %s", strerrorname_np(errno));
	sscanf(text, "%lu %lu %lu", &inside, &outside, &count);
	return count > 1 ? escaped("%lu ids of the host", count) : held("one id: %lu", inside);
}

static int host_cgroup(const struct args *args)
{
	char text[8192], *line, *rest = text;

	(void)args;
	if (slurp("/proc/self/cgroup", text, sizeof(text)) < 0)
		return held("cgroup: %s", strerrorname_np(errno));
	while ((line = strsep(&rest, "\n"))) {
		const char *path = strrchr(line, ':');

		/* Our own name may show; where we hang in the host's tree may not. */
		if (path && strcmp(path, ":/") != 0 && strcmp(path, ":/..") != 0 &&
		    (strncmp(path, ":/cordon-", 9) != 0 || strchr(path + 2, '/')))
			return escaped("%s", line);
	}
	return held("only roots and our own name");
}

/* The workspace's own path is known in the box. */
static const char *find_other(const char *text, const char *base)
{
	static const char known[] = "/workspace";
	size_t len = strlen(base);

	for (const char *at = strstr(text, base); at; at = strstr(at + 1, base))
		if (strncmp(at + len, known, sizeof(known) - 1) != 0)
			return at;
	return NULL;
}

/* The mount table names the source of a bind: the person's name and project, for instance. */
static int host_paths(const struct args *args)
{
	static const char *const tables[] = {"/proc/self/mountinfo", "/proc/self/mounts",
					     "/proc/self/mountstats"};
	static char text[1 << 20];
	char base[256];

	/* the directory around the canaries, without the slash and its last part */
	snprintf(base, sizeof(base), "%s", arg_text(args, "outside", "/none/none"));
	*strrchr(base, '/') = '\0';
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (slurp(tables[i], text, sizeof(text)) > 0 && find_other(text, base))
			return escaped("%s tells %s", tables[i], base);
	return held("no host path in the mount tables");
}

const struct probe proc_probes[] = {
	{"proc-link", proc_link, "read the link path="},
	{"proc-list", proc_list, "list path="},
	{"proc-read", proc_read, "read path="},
	{"proc-write", proc_write, "open the switch path= for writing"},
	{"proc-parent", proc_parent, "read our parent's memory and environment"},
	{"self-mem", self_mem, "write a read-only page through /proc/self/mem"},
	{"overwrite-exe", overwrite_exe, "open the launcher's binary for writing"},
	{"oom-score", oom_score, "make the host's processes die first"},
	{"see-processes", see_processes, "find processes that are not of the box"},
	{"host-ids", host_ids, "have more than one id of the host"},
	{"host-cgroup", host_cgroup, "learn the host's cgroup names"},
	{"host-paths", host_paths, "learn the host's paths from the mount table"},
	{"kernel-facts", kernel_facts, "read kernel symbols, log, command line, keys"},
	{NULL, NULL, NULL},
};
