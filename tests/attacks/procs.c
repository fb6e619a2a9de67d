/* SPDX-License-Identifier: MIT */
/*
 * Attacks on other processes: signals, tracing, foreign memory, priorities, and staying alive
 * after the run is over. The victim is a process of the runner with the token in its memory.
 * kill(-1, SIGKILL) is never sent: if the box leaked, it would end the user's login.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int victim_of(const struct args *args)
{
	return (int)arg_number(args, "victim", 1);
}

/* VAREK A3: a sandboxed program killed a host process of the same uid. */
static int kill_victim(const struct args *args)
{
	int pid = victim_of(args);

	if (syscall(SYS_tgkill, pid, pid, SIGKILL) == 0)
		return escaped("tgkill %d", pid);
	return must_fail("kill", kill(pid, SIGKILL));
}

static int pidfd_victim(const struct args *args)
{
	long fd = syscall(434 /* pidfd_open */, victim_of(args), 0);

	if (fd < 0)
		return must_fail("pidfd_open", fd);
	return must_fail("pidfd_send_signal",
			 syscall(424 /* pidfd_send_signal */, (int)fd, SIGKILL, NULL, 0));
}

/* Any pid that answers signal 0 could be killed. */
static int kill_scan(const struct args *args)
{
	int reached = 0, last = 0, self = getpid();

	if (kill(victim_of(args), 0) == 0)
		return escaped("the victim can be signalled");
	for (int pid = 2; pid < 32768; pid++)
		if (pid != self && kill(pid, 0) == 0)
			reached++, last = pid;
	return reached ? escaped("%d processes can be signalled, last %d", reached, last)
		       : held("no process answers");
}

/* VAREK A10: the target killed its supervisor and lived on. Init and parent must survive. */
static int kill_supervisor(const struct args *args)
{
	int parent = getppid();

	(void)args;
	kill(1, SIGKILL);
	kill(1, SIGSTOP);
	if (parent > 1 && kill(parent, SIGKILL) == 0)
		return escaped("killed parent %d", parent);
	syscall(SYS_tgkill, parent, parent, SIGSTOP);
	return held("parent %d: %s", parent, strerrorname_np(errno));
}

static int kill_group(const struct args *args)
{
	(void)args;
	/* SIGCONT is harmless wherever it lands; group 0 is our own session's group. */
	if (kill(-victim_of(args), SIGCONT) == 0)
		return escaped("the victim's group can be signalled");
	return held("%s", strerrorname_np(errno));
}

static int ptrace_victim(const struct args *args)
{
	return must_be_shut("ptrace", ptrace(PTRACE_SEIZE, victim_of(args), NULL, NULL));
}

static int ptrace_child(const struct args *args)
{
	int pid = fork();

	(void)args;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	long rc = ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	int error = errno;

	kill(pid, SIGKILL);
	errno = error;
	return must_be_shut("ptrace of a child", rc);
}

static int vm_readv(const struct args *args)
{
	char stolen[128] = "";
	struct iovec local = {stolen, sizeof(stolen) - 1};
	struct iovec remote = {(void *)(uintptr_t)arg_number(args, "vaddr", 0), sizeof(stolen) - 1};

	if (process_vm_readv(victim_of(args), &local, 1, &remote, 1, 0) > 0)
		return escaped("victim's memory: %s", stolen);
	return must_be_shut("process_vm_readv", -1);
}

/* Between two processes of the box: no use for ordinary code, a tool for every exploit. */
static int vm_child(const struct args *args)
{
	static char word[16] = "mine";
	char stolen[16] = "";
	struct iovec local = {stolen, sizeof(stolen)}, remote = {word, sizeof(word)};
	int pid = fork();
	int writing = arg_text(args, "how", "read")[0] == 'w';

	if (pid == 0) {
		pause();
		_exit(0);
	}
	long rc = writing ? process_vm_writev(pid, &local, 1, &remote, 1, 0)
			  : process_vm_readv(pid, &local, 1, &remote, 1, 0);
	int error = errno;

	kill(pid, SIGKILL);
	errno = error;
	return must_be_shut("process_vm_*", rc);
}

static int victim_memory(const struct args *args)
{
	char path[64], stolen[128] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", victim_of(args));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && pread(fd, stolen, sizeof(stolen) - 1, arg_number(args, "vaddr", 0)) > 0)
		return escaped("victim's memory: %s", stolen);
	return must_fail(path, -1);
}

static int victim_limits(const struct args *args)
{
	struct rlimit old = {0, 0};

	return must_fail("prlimit", prlimit(victim_of(args), RLIMIT_NOFILE, NULL, &old));
}

static int victim_priority(const struct args *args)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(victim_of(args), sizeof(one), &one) == 0)
		return escaped("sched_setaffinity");
	return must_fail("setpriority", setpriority(PRIO_PROCESS, (id_t)victim_of(args), 19));
}

static int raise_priority(const struct args *args)
{
	struct sched_param param = {.sched_priority = 1};

	(void)args;
	if (sched_setscheduler(0, SCHED_FIFO, &param) == 0)
		return escaped("real-time scheduling");
	return must_fail("nice -10", setpriority(PRIO_PROCESS, 0, -10));
}

static void become_unkillable(void)
{
	for (int number = 1; number < 32; number++)
		signal(number, SIG_IGN);
}

/* VAREK A5: a double-forked child outlived the run. The runner looks for its marker. */
static int daemonise(const struct args *args)
{
	(void)args;
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			become_unkillable();
			for (int fd = 0; fd < 3; fd++)
				close(fd);
			sleep(30);
		}
		_exit(0);
	}
	usleep(50000);
	return held("a daemon was left behind, look outside");
}

/* VAREK A5: the parent ends, a child keeps standard output open: 12 s for a 2 s limit. */
static int hold_output(const struct args *args)
{
	(void)args;
	if (fork() == 0) {
		become_unkillable();
		setsid();
		sleep(30);
		_exit(0);
	}
	return held("a child holds the pipe");
}

static int hold_past_deadline(const struct args *args)
{
	for (int i = 0; i < 8; i++)
		if (fork() == 0)
			break;
	become_unkillable();
	if (arg_text(args, "stop", NULL))
		raise(SIGSTOP);
	for (int i = 0; i < 30; i++)
		sleep(1);
	return escaped("thirty seconds went by");
}

const struct probe procs_probes[] = {
	{"kill-victim", kill_victim, "kill a host process"},
	{"pidfd-victim", pidfd_victim, "kill it through a pidfd"},
	{"kill-scan", kill_scan, "signal 0 to every pid"},
	{"kill-supervisor", kill_supervisor, "kill init and the parent"},
	{"kill-group", kill_group, "signal the victim's process group"},
	{"ptrace-victim", ptrace_victim, "trace a host process"},
	{"ptrace-child", ptrace_child, "trace a process of the box"},
	{"vm-readv", vm_readv, "process_vm_readv of a host process"},
	{"vm-child", vm_child, "process_vm_* between processes of the box"},
	{"victim-memory", victim_memory, "/proc/PID/mem of a host process"},
	{"victim-limits", victim_limits, "prlimit of a host process"},
	{"victim-priority", victim_priority, "priority and CPUs of a host process"},
	{"raise-priority", raise_priority, "real-time or negative nice"},
	{"daemonise", daemonise, "leave a daemon behind"},
	{"hold-output", hold_output, "keep the output pipe open after the end"},
	{"hold-past-deadline", hold_past_deadline, "ignore every signal past the deadline"},
	{NULL, NULL, NULL},
};
