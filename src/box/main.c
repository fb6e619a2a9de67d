/* SPDX-License-Identifier: MIT
 *
 * cordon-box: the one program that touches privilege. It gets one plain-data spec and a handful
 * of descriptors, and answers over a socket. It parses no text, prints nothing (its standard
 * streams are the program's) and links no parser.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "base/spread.h"
#include "box/intake.h"
#include "box/supervise.h"
#include "box/tree.h"

/* Signals the caller ignores would stay ignored in us, who must learn of our children's end, and in
 * the program. Here, because there is time before the spec comes, and none in init. */
static void reset_signals(void)
{
	static const uint64_t defaults[4]; /* the kernel's struct sigaction, all zero */
	sigset_t none;

	/* Refused for SIGKILL and SIGSTOP, which nobody can ignore. The C library's own call also refuses
	 * two that it keeps for threads. */
	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, defaults, NULL, (NSIG - 1) / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int run_program(struct box *b, struct err *err)
{
	struct run *r = pages_new(sizeof(*r)); /* for as long as we live */

	if (!r)
		return err_memory(err);
	r->box = b;
	r->pidfd = -1;
	gate_init(&r->gate);
	r->result.limit = LIMIT_NONE;
	if (run_start(r, err) < 0 || run_release(r, err) < 0 || run_open_cgroup(r, err) < 0) {
		run_hear_why(r, err);
		run_bury(r);
		return -1;
	}
	return supervise(r, err);
}

static int run(struct box *b, struct spec *spec, struct err *err)
{
	if (!spec)
		return err_memory(err);
	if (intake_receive(spec, err) < 0)
		return -1;
	b->spec = spec;
	switch (spec->job) {
	case JOB_SWEEP:
		tree_sweep(RESULT_FD); /* cordon has started nobody else */
		cgroup_sweep(&cgroup_host_real);
		return 0;
	case JOB_PROBE:
		return ids_choose(b, err) < 0 ? -1 : probe_all(b);
	case JOB_RUN:
		break;
	}
	return run_program(b, err);
}

/* A caller's real-time class or priority would let the program starve us, and the clock with us. Until the
 * program starts its process has the longest way: neither we nor init push it aside. */
static void schedule_normally(void)
{
	spread_yield(true);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

int main(void)
{
	static const int keep[] = {0, 1, 2, RESULT_FD};
	struct box box = {.ctl = -1,
			  .upper = -1,
			  .saved = -1,
			  .lower = -1,
			  .cloned_workspace = -1,
			  .cloned_saved = -1,
			  .private_lock = -1,
			  .resolver = -1};
	struct spec *spec = pages_new(sizeof(*spec)); /* for as long as we live */
	struct wire_error msg = {.kind = WIRE_ERROR};
	struct stat st;

	if (fstat(RESULT_FD, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		static const char hint[] = "cordon-box is started by cordon; see cordon(1)\n";
		(void)!write(STDERR_FILENO, hint, sizeof(hint) - 1);
		return 125;
	}
#ifdef CORDON_MUTANT
	mutant_configure(&box);
#endif
	if (box_wants(&box, LAYER_FDS))
		fds_close_all_but(keep, ARRAY_SIZE(keep));
	schedule_normally();
	umask(022);
	reset_signals();
	/* A key pressed on the caller's terminal ends the caller; we then clean up after it. A session of
	 * our own would do as well, but the kernel makes a group of the scheduler's for each (autogroup),
	 * and takes 0.1 ms to make and end it; the program has one. */
	if (box_wants(&box, LAYER_SESSION))
		setpgid(0, 0);
	if (run(&box, spec, &msg.err) == 0)
		return 0;
	io_send(RESULT_FD, &msg, sizeof(msg), -1);
	return 125;
}
