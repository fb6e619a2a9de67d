/* SPDX-License-Identifier: MIT */
#include "step.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALL_STOP = SIGTRAP | 0x80 };

int step_begin(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 || raise(SIGSTOP) != 0 ? -1 : 0;
}

static bool is_removal(pid_t pid)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_unlinkat &&
	       info.entry.args[2] == AT_REMOVEDIR;
}

/* What a stop has to hand on: a signal of the process's own, not what following it brings. */
static intptr_t signal_of(int status)
{
	int sig = WSTOPSIG(status);

	return status >> 16 || sig == CALL_STOP || sig == SIGSTOP ? 0 : sig;
}

bool step_to_removal(pid_t main, int *ret_status)
{
	const intptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	bool killed = false;
	int status;
	pid_t pid = waitpid(main, &status, 0);

	ptrace(PTRACE_SETOPTIONS, main, NULL, (void *)options);
	while (pid > 0 && !(pid == main && (WIFEXITED(status) || WIFSIGNALED(status)))) {
		if (WIFSTOPPED(status) && WSTOPSIG(status) == CALL_STOP && !killed &&
		    is_removal(pid))
			killed = kill(pid, SIGKILL) == 0;
		else if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, NULL, (void *)signal_of(status));
		pid = waitpid(-1, &status, __WALL);
	}
	*ret_status = status;
	return killed;
}
