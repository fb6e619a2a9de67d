/* SPDX-License-Identifier: MIT
 *
 * Undoes what a process inherits from its caller: descriptors, scheduling, umask, signals and the
 * process group. An inherited descriptor is the oldest hole in sandboxes: whatever the caller forgot
 * to mark close-on-exec would belong to the program.
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/scope.h"
#include "box/box.h"

static int next_kept(const int *keep, size_t count, int from)
{
	int next = INT_MAX;

	for (size_t i = 0; i < count; i++)
		if (keep[i] >= from && keep[i] < next)
			next = keep[i];
	return next;
}

void fds_close_all_but(const int *keep, size_t count)
{
	for (int from = 0;;) {
		int kept = next_kept(keep, count, from);
		if (kept > from)
			close_range((unsigned)from, (unsigned)kept - 1, 0);
		if (kept == INT_MAX)
			return;
		from = kept + 1;
	}
}

/* A signal that the caller ignores would stay ignored in this process, which must learn that its
 * children ended, and in the program. */
static void reset_signals(void)
{
	static const uint64_t defaults[4]; /* the kernel's struct sigaction, all zero */
	sigset_t none;

	/* The kernel refuses SIGKILL and SIGSTOP, which cannot be ignored. The C library's function
	 * would also refuse the two signals that it uses for threads. */
	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, defaults, NULL, (NSIG - 1) / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int inherit_reset(const struct box *b, const char *usage)
{
	static const int keep[] = {0, 1, 2, RESULT_FD};
	struct stat st;

	if (fstat(RESULT_FD, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		(void)!write(STDERR_FILENO, usage, strlen(usage));
		return -1;
	}
	if (box_wants(b, LAYER_FDS))
		fds_close_all_but(keep, ARRAY_SIZE(keep));
	/* With a caller's real-time class or priority the program could starve this process, which
	 * keeps the clock. Until the program starts, its own process has the most to do: this one and
	 * init yield to it. */
	cpu_yield(true);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	umask(022);
	reset_signals();
	/* A key pressed on the caller's terminal ends the caller, and this process then cleans up. A
	 * new session would do as well, but the kernel makes a scheduler group for each (autogroup),
	 * which takes 0.1 ms; the program has a session of its own. */
	if (box_wants(b, LAYER_SESSION))
		setpgid(0, 0);
	return 0;
}
