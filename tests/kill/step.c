/* SPDX-License-Identifier: MIT */
#include "step.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALL_STOP = SIGTRAP | 0x80, QUIET_MS = 300 };

int step_begin(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 || raise(SIGSTOP) != 0 ? -1 : 0;
}

static bool is_about_to(pid_t pid, uint64_t nr, struct __ptrace_syscall_info *ret)
{
	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(*ret), ret) > 0 &&
	       ret->op == PTRACE_SYSCALL_INFO_ENTRY && ret->entry.nr == nr;
}

static bool is_removal(pid_t pid)
{
	struct __ptrace_syscall_info info;

	return is_about_to(pid, SYS_unlinkat, &info) && info.entry.args[2] == AT_REMOVEDIR;
}

/* What a stop has to hand on: a signal of the process's own, not what following it brings. */
static intptr_t signal_of(int status)
{
	int sig = WSTOPSIG(status);

	return status >> 16 || sig == CALL_STOP || sig == SIGSTOP ? 0 : sig;
}

static pid_t follow(pid_t main, int *ret_status)
{
	const intptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	pid_t pid = waitpid(main, ret_status, 0);

	ptrace(PTRACE_SETOPTIONS, main, NULL, (void *)options);
	return pid;
}

/* To the end of all that it has started: one that stops after MAIN has ended would stay. */
bool step_to_removal(pid_t main, int *ret_status)
{
	bool killed = false;
	int status;
	pid_t pid = follow(main, &status);

	while (pid > 0) {
		if (pid == main)
			*ret_status = status;
		if (WIFSTOPPED(status) && WSTOPSIG(status) == CALL_STOP && !killed &&
		    is_removal(pid))
			killed = kill(pid, SIGKILL) == 0;
		else if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, NULL, (void *)signal_of(status));
		pid = waitpid(-1, &status, __WALL);
	}
	return killed;
}

/* The next stop; 0 when there was none for a while. */
static pid_t next_stop(int *ret_status)
{
	pid_t pid = 0;

	for (int tries = 0; pid == 0 && tries < QUIET_MS; tries++) {
		pid = waitpid(-1, ret_status, __WALL | WNOHANG);
		if (pid == 0)
			usleep(1000);
	}
	return pid;
}

enum step_held step_holding_setns(pid_t main, int *ret_status)
{
	enum step_held held = STEP_NOBODY;
	struct __ptrace_syscall_info info;
	int status;
	pid_t holds = 0, pid = follow(main, &status);

	while (pid >= 0) {
		if (pid == main)
			*ret_status = status;
		if (pid == 0) {
			ptrace(PTRACE_SYSCALL, holds, NULL, NULL);
			holds = 0;
		} else if (WIFSTOPPED(status) && held == STEP_NOBODY &&
			   is_about_to(pid, SYS_setns, &info)) {
			holds = pid;
			held = STEP_HELD;
		} else if (WIFSTOPPED(status)) {
			if (holds && status >> 16 == PTRACE_EVENT_EXEC)
				held = STEP_PASSED;
			ptrace(PTRACE_SYSCALL, pid, NULL, (void *)signal_of(status));
		}
		pid = holds ? next_stop(&status) : waitpid(-1, &status, __WALL);
	}
	return held;
}
