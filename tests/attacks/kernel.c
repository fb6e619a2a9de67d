/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the kernel itself: every call that ordinary programs never make, one row each, and
 * the tricks that go round a filter (other ABI, high bits, calls younger than the filter).
 * Arguments are chosen so that a call that gets through does nothing: a row proves reachability,
 * because only EPERM, EACCES and ENOSYS count as shut.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers that Debian 12's headers do not know yet; the same on every architecture. */
enum {
	NR_cachestat = 451,
	NR_fchmodat2 = 452,
	NR_map_shadow_stack = 453,
	NR_statmount = 457,
	NR_listmount = 458,
	NR_lsm_set_self_attr = 460,
	NR_mseal = 462,
	NR_open_tree_attr = 467,
};

struct call {
	const char *name;
	long number;
	const void *arg[6];
};

#define N(value) ((const void *)(uintptr_t)(value))
#define CALL(name, ...)                                                                            \
	{                                                                                          \
#name, SYS_##name,                                                                 \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define NEWCALL(name, ...)                                                                         \
	{                                                                                          \
#name, NR_##name,                                                                  \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

static char scratch[4096] __attribute__((aligned(64)));
static const struct perf_event_attr software_clock = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(software_clock),
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.exclude_kernel = 1,
	.exclude_hv = 1,
};

static const struct call calls[] = {
	/* mounts and roots */
	CALL(mount, "none", "/tmp", "tmpfs", N(0), NULL),
	CALL(umount2, "/tmp", N(2)),
	CALL(pivot_root, "/tmp", "/tmp"),
	CALL(chroot, "/tmp"),
	CALL(open_tree, N(AT_FDCWD), "/", N(1)),
	CALL(move_mount, N(-1), "", N(-1), "", N(0)),
	CALL(fsopen, "tmpfs", N(0)),
	CALL(fsconfig, N(-1), N(6), NULL, NULL, N(0)),
	CALL(fsmount, N(-1), N(0), N(0)),
	CALL(fspick, N(AT_FDCWD), "/", N(0)),
	CALL(mount_setattr, N(AT_FDCWD), "/", N(0), scratch, N(32)),
	NEWCALL(open_tree_attr, N(AT_FDCWD), "/", N(0), scratch, N(32)),
	NEWCALL(statmount, scratch, scratch, N(512), N(0)),
	NEWCALL(listmount, scratch, scratch, N(16), N(0)),
	CALL(swapon, "/tmp/none", N(0)),
	CALL(swapoff, "/tmp/none"),
	CALL(quotactl, N(0), NULL, N(0), NULL),
	CALL(acct, "/tmp/none"),
	/* namespaces */
	CALL(setns, N(0), N(0)),
	CALL(unshare, N(CLONE_NEWUSER)),
	/* kernel code and tracing */
	CALL(bpf, N(0), scratch, N(64)),
	CALL(perf_event_open, &software_clock, N(0), N(-1), N(-1), N(8)),
	CALL(userfaultfd, N(1)),
	CALL(init_module, scratch, N(0), ""),
	CALL(finit_module, N(-1), "", N(0)),
	CALL(delete_module, "none", N(0)),
	CALL(kexec_load, N(0), N(0), NULL, N(0)),
	CALL(reboot, N(0), N(0), N(0), NULL),
	CALL(syslog, N(10), NULL, N(0)),
	CALL(kcmp, N(1), N(1), N(0), N(0), N(0)),
	CALL(ptrace, N(0), N(0), NULL, NULL),
	CALL(seccomp, N(1), N(0), NULL),
	CALL(lookup_dcookie, N(0), scratch, N(64)),
	/* time and identity of the host */
	CALL(clock_settime, N(0), N(8)),
	CALL(settimeofday, N(8), NULL),
	CALL(adjtimex, N(8)),
	CALL(clock_adjtime, N(0), N(8)),
	CALL(sethostname, "pwned", N(5)),
	CALL(setdomainname, "pwned", N(5)),
	CALL(vhangup, N(0)),
	/* keys */
	CALL(keyctl, N(0), N(-3), N(1)),
	CALL(add_key, "user", "cordon-attack", "x", N(1), N(-3)),
	CALL(request_key, "user", "cordon-attack", NULL, N(-3)),
	/* memory of others, pages of others */
	CALL(process_vm_readv, N(1), scratch, N(1), scratch, N(1), N(0)),
	CALL(process_vm_writev, N(1), scratch, N(1), scratch, N(1), N(0)),
	CALL(process_madvise, N(-1), scratch, N(1), N(4), N(0)),
	CALL(process_mrelease, N(-1), N(0)),
	CALL(vmsplice, N(1), scratch, N(0), N(0)),
	CALL(migrate_pages, N(0), N(0), NULL, NULL),
	CALL(move_pages, N(0), N(0), NULL, NULL, NULL, N(0)),
	CALL(mbind, N(0), N(0), N(0), NULL, N(0), N(0)),
	CALL(set_mempolicy, N(0), NULL, N(0)),
	CALL(remap_file_pages, N(0), N(0), N(0), N(0), N(0)),
	CALL(personality, N(0x0040000 /* ADDR_NO_RANDOMIZE */)),
	CALL(memfd_create, "x", N(0)),
	CALL(memfd_secret, N(0)),
	NEWCALL(map_shadow_stack, N(0), N(4096), N(0)),
	/* handles, descriptors of others, watches */
	CALL(open_by_handle_at, N(AT_FDCWD), scratch, N(0)),
	CALL(name_to_handle_at, N(AT_FDCWD), "/", scratch, scratch, N(0)),
	CALL(pidfd_open, N(1), N(0)),
	CALL(pidfd_getfd, N(-1), N(0), N(0)),
	CALL(pidfd_send_signal, N(-1), N(0), NULL, N(0)),
	CALL(fanotify_init, N(0), N(0)),
	CALL(fanotify_mark, N(-1), N(1), N(1), N(AT_FDCWD), "/"),
	CALL(ioprio_set, N(1), N(0), N(0)),
	/* message queues and SysV, host-wide without an ipc namespace */
	CALL(mq_open, "cordon", N(O_RDWR | O_CREAT), N(0600), NULL),
	CALL(shmget, N(0), N(4096), N(0600)),
	CALL(semget, N(0), N(1), N(0600)),
	CALL(msgget, N(0), N(0600)),
	/* the ring that does what a filter forbids */
	CALL(io_uring_setup, N(1), scratch),
	CALL(io_uring_enter, N(-1), N(0), N(0), N(0), NULL, N(0)),
	CALL(io_uring_register, N(-1), N(0), NULL, N(0)),
	CALL(io_setup, N(1), scratch),
	/* newer doubles of calls that the filter looks at */
	CALL(clone3, scratch, N(64)),
	CALL(landlock_create_ruleset, NULL, N(0), N(1)),
	NEWCALL(lsm_set_self_attr, N(0), scratch, N(64), N(0)),
	/* identity */
	CALL(setuid, N(0)),
	CALL(setresuid, N(0), N(0), N(0)),
	CALL(setresgid, N(0), N(0), N(0)),
	CALL(setgroups, N(0), NULL),
	CALL(setfsuid, N(0)),
	CALL(capset, scratch, scratch),
#ifdef __x86_64__
	CALL(iopl, N(3)),
	CALL(ioperm, N(0), N(1), N(1)),
	CALL(modify_ldt, N(0), scratch, N(64)),
	CALL(uselib, "/tmp/none"),
	CALL(create_module, "none", N(0)),
	CALL(_sysctl, scratch),
#endif
};

static long run(const struct call *call)
{
	return syscall(call->number, call->arg[0], call->arg[1], call->arg[2], call->arg[3],
		       call->arg[4], call->arg[5]);
}

static int one_call(const struct args *args)
{
	const char *name = arg_text(args, "call", "");

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0) {
			errno = 0;
			return must_be_shut(name, run(&calls[i]));
		}
	return held("no such call on this architecture: %s", name);
}

/* A namespace flag in clone() is as good as unshare(); its low byte is the exit signal. */
static int clone_namespace(const struct args *args)
{
	unsigned long flags = (unsigned long)arg_number(args, "flags", CLONE_NEWUSER);
	long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return must_be_shut("clone", pid);
}

static int clone3_namespace(const struct args *args)
{
	uint64_t wish[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
	long pid = syscall(SYS_clone3, wish, sizeof(wish));

	(void)args;
	if (pid == 0)
		_exit(0);
	/* Only ENOSYS makes the C library fall back to clone(). */
	if (pid < 0 && errno != ENOSYS)
		return escaped("clone3 says %s, not ENOSYS", strerrorname_np(errno));
	return must_be_shut("clone3", pid);
}

/* Calls that future kernels add must be refused. */
static int future_calls(const struct args *args)
{
	(void)args;
	for (long number = 468; number < 1024; number++) {
		errno = 0;
		if (syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) >= 0 || !errno_is_shut(errno))
			return escaped("call %ld: %s", number, strerrorname_np(errno));
	}
	return held("468 to 1023 are shut");
}

/* x32 has the same audit architecture as x86_64 and its own numbers; int 0x80 is i386. */
static int other_abi(const struct args *args)
{
#ifdef __x86_64__
	if (arg_text(args, "abi", "x32")[0] == 'x')
		return must_be_shut("x32 getpid", syscall(0x40000000L | SYS_getpid));
	long rc = 20; /* getpid of i386 */

	__asm__ volatile("int $0x80" : "+a"(rc) : : "memory", "r8", "r9", "r10", "r11");
	return rc > 0 ? escaped("int 0x80 gave %ld", rc) : held("int 0x80 gave %ld", rc);
#else
	(void)args;
	return must_be_shut("a number with high bits", syscall(0x40000000L | SYS_getpid));
#endif
}

/* The kernel truncates many arguments to 32 bits; a filter that compares 64 is open. */
static int high_bits(const struct args *args)
{
	long high = 1L << 32;

	(void)args;
	if (syscall(SYS_socket, high | 16, high | 3, high) >= 0)
		return escaped("netlink socket by high bits");
	if (syscall(SYS_socket, high | 40, high | 1, high) >= 0)
		return escaped("vsock socket by high bits");
	if (syscall(SYS_memfd_create, "x", high) >= 0)
		return escaped("memfd by high bits");
	return must_fail("socket", syscall(SYS_socket, high | 2, high | 2, high));
}

/* prctl is a drawer full of switches. */
static int prctl_tricks(const struct args *args)
{
	static const struct {
		const char *name;
		unsigned long option, value, extra;
	} tricks[] = {
		{"dumpable", PR_SET_DUMPABLE, 1, 0},
		{"keepcaps", PR_SET_KEEPCAPS, 1, 0},
		{"securebits", PR_SET_SECUREBITS, 0, 0},
		{"ambient", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21},
		{"seccomp", PR_SET_SECCOMP, 1, 0},
		{"mm", PR_SET_MM, PR_SET_MM_ARG_START, 0},
		{"tracer", PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0},
		{"nnp", PR_SET_NO_NEW_PRIVS, 0, 0},
		{"timing", PR_SET_TSC, 2, 0},
		{"speculation", PR_SET_SPECULATION_CTRL, 0, 2},
	};

	(void)args;
	for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++)
		if (prctl((int)tricks[i].option, tricks[i].value, tricks[i].extra, 0, 0) == 0)
			return escaped("prctl %s", tricks[i].name);
	return held("%zu tricks, last: %s", sizeof(tricks) / sizeof(tricks[0]),
		    strerrorname_np(errno));
}

const struct probe kernel_probes[] = {
	{"call", one_call, "the system call call="},
	{"clone-namespace", clone_namespace, "clone() with the namespace flags="},
	{"clone3-namespace", clone3_namespace, "clone3() with a user namespace"},
	{"future-calls", future_calls, "call numbers that no header knows"},
	{"other-abi", other_abi, "x32 or 32-bit system calls"},
	{"high-bits", high_bits, "arguments with bits above 32"},
	{"prctl-tricks", prctl_tricks, "dumpable, keepcaps, ambient, ..."},
	{NULL, NULL, NULL},
};
