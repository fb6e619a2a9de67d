/* SPDX-License-Identifier: MIT
 *
 * The life of a box: makes its namespaces, its cgroup, and init in them; ends it; removes what is left.
 * Init starts as early as possible and works in parallel with the supervisor.
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

#include "base/cpu.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/supervise.h"
#include "box/sys.h"
#include "box/tree.h"

enum {
	BURY_MS = 5000
}; /* how long an init without a pid namespace may take to kill its processes */

/* In some containers clone3 fails with ENOSYS: clone takes the same flags, but no cgroup. */
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
	int flags = namespaces_choose(b, true), pair[2];

	namespaces_mark(b, flags);
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
	scope_close(&b->starts);
	b->ctl = pair[0];
	if (r->pid < 0)
		return namespaces_explain(b, err);
	cpu_spread(r->pid);
	/* The program's output must end when the program ends, not when cordon-box does. */
	close_range(STDIN_FILENO, STDERR_FILENO, 0);
	return 0;
}

/* Init runs as another user, which may not reach a directory of root's. */
static int send_binds(const struct box *b, struct err *err)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; b->privileged && s->tier != TIER_NO_USERNS && i < s->bindc; i++) {
		struct wire_bind msg = {WIRE_BIND, (uint32_t)i};
		if (!s->bind[i].identity.ino)
			continue;
		AUTO_CLOSE int tree = newroot_clone_bind(b, i, err);
		if (tree < 0 ||
		    (s->bind[i].flags & BIND_OWNED && workspace_map_root(b, tree, err) < 0) ||
		    (s->bind[i].flags & BIND_WRITABLE && workspace_map_writable(b, tree, err) < 0))
			return -1;
		if (io_send(b->ctl, &msg, sizeof(msg), tree) < 0)
			return err_errno(err, ERR_SYSTEM, "talking to init");
	}
	return 0;
}

/* Init needs its ids on the host, and the mounts that only root could clone. */
static int tell_go(const struct box *b, struct err *err)
{
	struct wire_go go = {WIRE_GO, b->outer_uid, b->outer_gid, b->privileged};

	const int fds[] = {b->cloned_workspace, b->cloned_saved};
	size_t count = fds[0] < 0 ? 0 : fds[1] < 0 ? 1 : 2;

	if (send_binds(b, err) < 0)
		return -1;
	if (io_send_fds(b->ctl, &go, sizeof(go), fds, count) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to init");
	return 0;
}

int run_release(struct run *r, struct err *err)
{
	struct box *b = r->box;

	if (creds_check_cores(b, err) < 0 || ids_choose(b, err) < 0 || workspace_clone(b, err) < 0)
		return -1;
	if (b->spec->private_dir && private_dir_make(b, err) < 0)
		return -1;
	if (b->spec->tier != TIER_NO_USERNS && box_wants(b, LAYER_USERNS) &&
	    ids_map(b, r->pid, err) < 0)
		return -1;
	if (tell_go(b, err) < 0)
		return -1;
	/* The descriptors of this process lead to the host: no process of the same user may read them. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "hiding the supervisor");
	return 0;
}

/* A v2 cgroup was made before the clone; a v1 cgroup is made while init builds the root. */
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
	/* A process that has ended by now has sent its error: the loop will read it. */
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

/* In a pid namespace the death of init kills all processes. Without one init must kill them: the end of the
 * socket tells it to. */
void run_kill(struct run *r)
{
	if (has_pid_space(r))
		sys_pidfd_send_signal(r->pidfd, SIGKILL);
	else
		shutdown(r->box->ctl, SHUT_RDWR);
}

void run_arm(struct run *r, uint64_t ms)
{
	r->deadline_ns = io_now_ns() + ms * 1000000U;
}

/* Asks init to kill, reap and report. If it does not in time, run_kill follows. */
void run_end(struct run *r)
{
	uint32_t kind = WIRE_KILL;

	if (r->killing)
		return;
	r->killing = true;
	run_arm(r, RUN_GRACE_MS);
	if (!r->started || io_send(r->box->ctl, &kind, sizeof(kind), -1) < 0)
		run_kill(r);
}

void run_fail(struct run *r, const struct err *err)
{
	if (!r->failed)
		r->err = *err;
	r->failed = true;
	run_kill(r);
	r->done = true;
}

/* Init, the cgroup and cordon-egress report limits, in any order. The result names the one that ended the
 * run; if none did, the first. */
void run_reached(struct wire_result *res, uint32_t limit, bool ended)
{
	if (limit >= LIMIT_COUNT || res->limit_ended || (res->limit < LIMIT_COUNT && !ended))
		return;
	res->limit = limit;
	res->limit_ended = ended;
}

void run_bury(struct run *r)
{
	siginfo_t info = {0};

	listener_close(&r->listener);
	run_kill(r);
	/* A listener that is still in the socket would keep the program waiting for an answer. */
	scope_close(&r->box->ctl);
	if (r->pidfd >= 0) {
		/* An init that was stopped by a signal does not react. */
		struct pollfd ended = {.fd = r->pidfd, .events = POLLIN};
		if (!has_pid_space(r) && poll(&ended, 1, BURY_MS) == 0)
			sys_pidfd_send_signal(r->pidfd, SIGKILL);
		while (waitid(P_PIDFD, (id_t)r->pidfd, &info, WEXITED) < 0 && errno == EINTR)
			;
	}
	/* Without a pid namespace, the children of a killed init become children of this process. An
	 * init that exits has reaped them all. A worker that waits for a disk is not waited for. */
	if (!has_pid_space(r) && info.si_code != CLD_EXITED)
		tree_bury(getpid(), 0, NULL);
	cgroup_sweep_beside(
		&r->box->cgroup); /* the caller has its result and does not wait for this */
	cgroup_close(&r->box->cgroup);
	/* Init is dead, so the supervisor removes it. */
	private_dir_remove(r->box);
}
