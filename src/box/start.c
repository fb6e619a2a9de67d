/* SPDX-License-Identifier: MIT
 *
 * Starts the box: its namespaces, its cgroup, and init in them; and puts everything away in the
 * end. Init is sent on its way as early as possible: what we do for it meanwhile costs nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/spread.h"
#include "box/supervise.h"
#include "box/sys.h"
#include "box/tree.h"

enum { BURY_MS = 5000 }; /* for an init without a pid namespace to kill its tree */

static bool has_spaces(const struct box *b)
{
	return b->spec->tier != TIER_NO_USERNS;
}

/* Some containers answer ENOSYS to clone3: the older call takes the same flags, but no cgroup. */
static pid_t clone_init(struct box *b, uint64_t flags, int *ret_pidfd)
{
	int cgroup = cgroup_clone_fd(&b->cgroup);
	struct clone_args args = {.flags = flags | CLONE_PIDFD,
				  .pidfd = (uintptr_t)ret_pidfd,
				  .exit_signal = SIGCHLD};
	if (cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup;
	}
	pid_t pid = sys_clone3(&args);
	if (pid >= 0 || errno != ENOSYS)
		return pid;
	b->attach_late = cgroup >= 0;
#if defined(__x86_64__)
	return (pid_t)syscall(SYS_clone, flags | CLONE_PIDFD | SIGCHLD, NULL, ret_pidfd, NULL, 0);
#else
	return (pid_t)syscall(SYS_clone, flags | CLONE_PIDFD | SIGCHLD, NULL, ret_pidfd, 0, NULL);
#endif
}

static int open_cgroup(struct box *b, struct err *err)
{
	if (b->spec->tier != TIER_FULL || !box_wants(b, LAYER_CGROUP))
		return 0;
	if (cgroup_open(&b->cgroup, &cgroup_host_real, b->spec->limit, err) < 0)
		return -1;
	box_mark(b, LAYER_CGROUP);
	return 0;
}

int run_start(struct run *r, struct err *err)
{
	struct box *b = r->box;
	int flags = spaces_choose(b, true), pair[2];

	spaces_mark(b, flags);
	creds_allow_cores(b);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	if (cgroup_is_early() && open_cgroup(b, err) < 0)
		return -1;
	if (!(flags & CLONE_NEWPID))
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	r->pid = clone_init(b, (uint64_t)flags, &r->pidfd);
	if (r->pid == 0) {
		b->ctl = pair[1];
		close(pair[0]);
		init_main(b);
	}
	close(pair[1]);
	b->ctl = pair[0];
	if (r->pid < 0)
		return spaces_explain(b, err);
	spread(r->pid);
	/* The program's output ends when the program does, not when we do. */
	close_range(STDIN_FILENO, STDERR_FILENO, 0);
	return 0;
}

/* Init needs to know who it is on the host, and root's workspace. */
static int tell_go(const struct box *b, struct err *err)
{
	struct wire_go go = {WIRE_GO, b->outer_uid, b->outer_gid, b->privileged};

	const int fds[] = {b->cloned_workspace, b->cloned_saved};
	size_t count = fds[0] < 0 ? 0 : fds[1] < 0 ? 1 : 2;

	if (io_send_fds(b->ctl, &go, sizeof(go), fds, count) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to init");
	return 0;
}

int run_release(struct run *r, struct err *err)
{
	struct box *b = r->box;

	if (creds_check_cores(b, err) < 0 || ids_choose(b, err) < 0 || workspace_clone(b, err) < 0)
		return -1;
	if (b->spec->private_dir && private_make(b, err) < 0)
		return -1;
	if (has_spaces(b) && box_wants(b, LAYER_USERNS) && ids_map(b, r->pid, err) < 0)
		return -1;
	if (tell_go(b, err) < 0)
		return -1;
	/* Our descriptors lead to the host: nobody of the same id may look into us. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "hiding the supervisor");
	return 0;
}

/* v2 has been made before the clone, v1 is made while init builds the root. */
int run_open_cgroup(struct run *r, struct err *err)
{
	struct box *b = r->box;
	uint32_t kind = WIRE_JOIN;
	int joins[CGROUP_DIRS_MAX] = {-1}, count = 0;

	if (!b->cgroup.ops) {
		if (open_cgroup(b, err) < 0)
			return -1;
		b->attach_late = cgroup_clone_fd(&b->cgroup) >= 0;
		count = cgroup_open_joins(&b->cgroup, joins, err);
	}
	if (count < 0)
		return -1;
	int sent = io_send_fds(b->ctl, &kind, sizeof(kind), joins, (size_t)count);
	while (count > 0)
		scope_close(&joins[--count]);
	/* Whoever is gone by now has said why: the loop will hear it. */
	if (sent < 0 && errno != EPIPE && errno != ECONNRESET)
		return err_errno(err, ERR_SYSTEM, "talking to the program's process");
	return 0;
}

bool run_is_in_cgroup(const struct run *r)
{
	return cgroup_clone_fd(&r->box->cgroup) >= 0;
}

static bool has_pid_space(const struct run *r)
{
	return r->box->layers & LAYER_BIT(LAYER_PIDNS);
}

/* In a pid namespace init's death is everybody's. Without one init must do it itself: the end of
 * our socket tells it to. */
void run_kill(struct run *r)
{
	if (has_pid_space(r))
		sys_pidfd_send_signal(r->pidfd, SIGKILL);
	else
		shutdown(r->box->ctl, SHUT_RDWR);
}

void run_bury(struct run *r)
{
	siginfo_t info = {0};

	gate_close(&r->gate);
	run_kill(r);
	/* A listener that was on its way to us would keep the program waiting for an answer. */
	scope_close(&r->box->ctl);
	if (r->pidfd >= 0) {
		/* An init that somebody has stopped does not hear us. */
		struct pollfd ended = {.fd = r->pidfd, .events = POLLIN};
		if (!has_pid_space(r) && poll(&ended, 1, BURY_MS) == 0)
			sys_pidfd_send_signal(r->pidfd, SIGKILL);
		while (waitid(P_PIDFD, (id_t)r->pidfd, &info, WEXITED) < 0 && errno == EINTR)
			;
	}
	/* Without a pid namespace, a killed init leaves us its children. One that exits has buried them,
	 * and a helper that waits for a disk is not waited for. */
	if (!has_pid_space(r) && info.si_code != CLD_EXITED)
		tree_bury(getpid(), 0, NULL);
	cgroup_sweep_beside(&r->box->cgroup); /* nobody waits for us now */
	cgroup_close(&r->box->cgroup);
	/* Whoever of us is left removes it. */
	private_remove(r->box);
}
