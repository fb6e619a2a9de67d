/* SPDX-License-Identifier: MIT */
/*
 * Attacks on what the process is: its ids, its capabilities, its limits. Most of these have no
 * call to forbid: they read what the launcher left on the process.
 */
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long long status_hex(const char *field)
{
	char text[8192], *at;

	if (slurp("/proc/self/status", text, sizeof(text)) < 0 || !(at = strstr(text, field)))
		return 0;
	return strtoull(at + strlen(field), NULL, 16);
}

/* All five sets must be empty: what is left in the bounding set comes back with a setuid file. */
static int capabilities(const struct args *args)
{
	static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"};

	(void)args;
	if (access("/proc/self/status", R_OK) < 0)
		return held("no /proc/self/status: %s", strerrorname_np(errno));
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (status_hex(sets[i]))
			return escaped("%s %llx", sets[i], status_hex(sets[i]));
	return held("every set is empty");
}

static int effective_caps(const struct args *args)
{
	(void)args;
	if (status_hex("CapEff:") || status_hex("CapPrm:") || status_hex("CapAmb:"))
		return escaped("CapPrm %llx", status_hex("CapPrm:"));
	return held("no capability can be used");
}

static int is_root(const struct args *args)
{
	(void)args;
	if (getuid() == 0 || geteuid() == 0 || getgid() == 0 || getegid() == 0)
		return escaped("uid %d gid %d", (int)geteuid(), (int)getegid());
	return held("uid %d gid %d", (int)geteuid(), (int)getegid());
}

static int groups_left(const struct args *args)
{
	gid_t list[64];
	int count = getgroups(64, list);

	(void)args;
	for (int i = 0; i < count; i++)
		if (list[i] != getgid() && list[i] != 65534)
			return escaped("group %d", (int)list[i]);
	return held("%d groups", count);
}

/* no_new_privs and a filter: read from the outside view, as prctl may be shut. */
static int unlocked(const struct args *args)
{
	char text[8192];

	(void)args;
	if (slurp("/proc/self/status", text, sizeof(text)) < 0)
		return held("no /proc/self/status: %s", strerrorname_np(errno));
	if (!strstr(text, "NoNewPrivs:\t1"))
		return escaped("no_new_privs is off");
	if (!strstr(text, "Seccomp:\t2"))
		return escaped("no filter is loaded");
	return held("no_new_privs and a filter");
}

/* The number that headers of aarch64 leave out. */
#ifdef __x86_64__
#define CALL_SETRLIMIT 160
#else
#define CALL_SETRLIMIT 164
#endif

/* A core file of a program that read secrets, in a directory that outlives the run. A limit of 1
 * means neither file nor pipe; at 0 a pipe's program would be started. */
static int core_dump(const struct args *args)
{
	struct rlimit limit = {0, 0};

	(void)args;
	if (getrlimit(RLIMIT_CORE, &limit) < 0)
		return held("getrlimit: %s", strerrorname_np(errno));
	if (limit.rlim_cur != 1 || limit.rlim_max != 1)
		return escaped("cores of %llu bytes", (unsigned long long)limit.rlim_max);
	limit.rlim_cur = 0;
	if (setrlimit(RLIMIT_CORE, &limit) == 0 ||
	    syscall(CALL_SETRLIMIT, RLIMIT_CORE, &limit) == 0)
		return escaped("a limit of 0: cores go to a pipe");
	limit.rlim_cur = limit.rlim_max = 1 << 20;
	return must_fail("setrlimit core", setrlimit(RLIMIT_CORE, &limit));
}

static int raise_limits(const struct args *args)
{
	static const int which[] = {RLIMIT_NPROC,   RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_DATA,
				    RLIMIT_MEMLOCK, RLIMIT_CPU,	   RLIMIT_NICE,	 RLIMIT_RTPRIO};

	(void)args;
	for (size_t i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		struct rlimit limit;

		if (getrlimit(which[i], &limit) < 0 || limit.rlim_max == RLIM_INFINITY)
			continue;
		limit.rlim_max += 1;
		if (setrlimit(which[i], &limit) == 0)
			return escaped("limit %d was raised", which[i]);
	}
	return held("no hard limit moved");
}

/* No controlling terminal, and a session of its own: /dev/tty and job control have no target. */
static int session(const struct args *args)
{
	char text[1024], *at;
	int tty = 0, sid = 0;

	(void)args;
	if (slurp("/proc/self/stat", text, sizeof(text)) < 0 || !(at = strrchr(text, ')')))
		return held("no /proc/self/stat: %s", strerrorname_np(errno));
	/* after the name: state ppid pgrp session tty_nr */
	if (sscanf(at + 1, " %*c %*d %*d %d %d", &sid, &tty) != 2)
		return held("an odd stat line");
	return tty ? escaped("terminal %d of session %d", tty, sid) : held("session %d", sid);
}

const struct probe creds_probes[] = {
	{"capabilities", capabilities, "find a capability in any set"},
	{"effective-caps", effective_caps, "find a usable capability"},
	{"is-root", is_root, "be root"},
	{"groups-left", groups_left, "keep a group of the caller"},
	{"unlocked", unlocked, "run without no_new_privs or without a filter"},
	{"core-dump", core_dump, "write a core file"},
	{"raise-limits", raise_limits, "raise a hard limit"},
	{"session", session, "keep the caller's terminal as controlling terminal"},
	{NULL, NULL, NULL},
};
