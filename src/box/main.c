/* SPDX-License-Identifier: MIT
 *
 * cordon-box: the one program that touches privilege. It gets one plain-data spec and a handful
 * of descriptors, and answers over a socket. It parses no text, prints nothing (its standard
 * streams are the program's) and links no parser.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/intake.h"
#include "box/supervise.h"

/* PROC_USER_INIT_INO: the first user namespace has had this number since Linux 3.8. */
#define HOST_USERNS_INODE 0xeffffffdU

/* Signals the caller ignores would stay ignored in the program. */
static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL); /* refused for SIGKILL and SIGSTOP, which nobody can ignore */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The rest of the message: the spec and its descriptors, the program's input among them. */
static int receive(struct box *b, const struct wire_hello *hello, struct err *err)
{
	static struct spec spec;
	uint32_t kind = 0;
	size_t count = WIRE_FDS;
	int fds[WIRE_FDS];

	if (io_recv_fds(RESULT_FD, &kind, sizeof(kind), fds, &count) != sizeof(kind) ||
	    kind != WIRE_SPEC || count != WIRE_FDS)
		return err_set(err, ERR_INPUT, "no spec came");
	if (intake_place(fds, err) < 0 || intake_spec(&spec, err) < 0 ||
	    intake_check(&spec, hello, err) < 0)
		return -1;
	b->spec = &spec;
	return 0;
}

/* The namespaces are being made while cordon still makes its plan. */
static int run_program(struct box *b, const struct wire_hello *hello, struct err *err)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r)
		return err_set(err, ERR_SYSTEM, "out of memory");
	r->box = b;
	r->pidfd = r->gate.listener = -1;
	r->result.limit = LIMIT_NONE;
	if (run_start(r, err) < 0) {
		run_bury(r);
		free(r);
		return -1;
	}
	if (run_open_cgroup(r, err) < 0 || receive(b, hello, err) < 0 || ids_choose(b, err) < 0 ||
	    workspace_clone(b, err) < 0 || run_release(r, STDIN_FILENO, err) < 0) {
		run_bury(r);
		free(r);
		return -1;
	}
	close(STDIN_FILENO);
	return supervise(r, err);
}

/* Root in a user namespace (a rootless container) has no ids to spare: it is an ordinary user. */
static bool is_root_of_host(void)
{
	struct stat st;

	return geteuid() == 0 && stat("/proc/self/ns/user", &st) == 0 &&
	       st.st_ino == HOST_USERNS_INODE;
}

static int run(struct box *b, struct err *err)
{
	struct wire_hello hello;

	if (intake_hello(RESULT_FD, &hello, err) < 0)
		return -1;
	b->tier = (enum tier)hello.tier;
	b->privileged = is_root_of_host();
	memcpy(b->limit, hello.limit, sizeof(b->limit));
	if (hello.job == JOB_RUN)
		return run_program(b, &hello, err);
	if (receive(b, &hello, err) < 0)
		return -1;
	if (hello.job == JOB_SWEEP)
		return cgroup_sweep(&cgroup_host_real) < 0 ? -1 : 0;
	return ids_choose(b, err) < 0 ? -1 : probe_all(b);
}

/* The numbers that descriptors will come to stay at must not be given to others meanwhile. */
static void reserve_places(void)
{
	static const int places[] = {STDIN_FILENO, SPEC_FD, PAYLOAD_FD, WORKSPACE_FD};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (dup3(RESULT_FD, places[i], O_CLOEXEC) < 0)
			_exit(125);
}

/* A caller's real-time class or priority would let the program starve us, and the clock with us. */
static void schedule_normally(void)
{
	struct sched_param none = {0};

	if (sched_getscheduler(0) != SCHED_OTHER)
		sched_setscheduler(0, SCHED_OTHER, &none);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

int main(void)
{
	static const int keep[] = {0, 1, 2, RESULT_FD};
	struct box box = {.ctl = -1,
			  .upper = -1,
			  .lower = -1,
			  .cloned_workspace = -1,
			  .private_lock = -1,
			  .aide = -1};
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
	reserve_places();
	reset_signals();
	/* A key pressed on the caller's terminal ends the caller; we then clean up after it. */
	if (box_wants(&box, LAYER_SESSION))
		setsid();
	if (run(&box, &msg.err) == 0)
		return 0;
	io_send(RESULT_FD, &msg, sizeof(msg), -1);
	return 125;
}
