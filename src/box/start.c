/* SPDX-License-Identifier: MIT
 *
 * Starts the box: its namespaces, its cgroup, and init in them; and puts everything away in the
 * end. The namespaces come first, before anybody knows what will run in them: making them takes
 * longer than making the plan, and both go on at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/supervise.h"
#include "box/sys.h"
#include "box/tree.h"

enum { BURY_MS = 5000 }; /* for an init without a pid namespace to kill its tree */

struct space {
	enum layer layer;
	uint64_t flag;
};

/* The network namespace follows inside, see netns.c. */
static const struct space spaces[] = {
	{LAYER_USERNS, CLONE_NEWUSER}, {LAYER_MOUNTNS, CLONE_NEWNS},
	{LAYER_PIDNS, CLONE_NEWPID},   {LAYER_IPCNS, CLONE_NEWIPC},
	{LAYER_UTSNS, CLONE_NEWUTS},   {LAYER_CGROUPNS, CLONE_NEWCGROUP},
};

static bool has_spaces(const struct box *b)
{
	return b->tier != TIER_NO_USERNS;
}

/* One of them is to blame: the one whose switch is off, otherwise the first. */
static int explain_clone(struct err *err)
{
	err_errno(err, ERR_LAYER, "making the box's namespaces");
	for (size_t i = 1; i < ARRAY_SIZE(spaces); i++)
		if (why_sysctl(err, spaces[i].layer)) {
			err_blame(err, layer_row(spaces[i].layer)->name);
			return -1;
		}
	err_blame(err, layer_row(LAYER_USERNS)->name);
	why_layer(err, LAYER_USERNS);
	return -1;
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
	if (b->tier != TIER_FULL || !box_wants(b, LAYER_CGROUP))
		return 0;
	if (cgroup_open(&b->cgroup, &cgroup_host_real, b->limit, err) < 0)
		return -1;
	box_mark(b, LAYER_CGROUP);
	return 0;
}

/* The program's output ends when the program does, not when we do. The numbers stay taken: input
 * will come to the first of them, and must not fall on a descriptor of ours. */
static int release_streams(struct err *err)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup3(RESULT_FD, fd, O_CLOEXEC) < 0)
			return err_errno(err, ERR_SYSTEM, "letting go of the program's streams");
	return 0;
}

int run_start(struct run *r, struct err *err)
{
	struct box *b = r->box;
	uint64_t flags = 0;
	int pair[2];

	for (size_t i = 0; has_spaces(b) && i < ARRAY_SIZE(spaces); i++)
		if (box_wants(b, spaces[i].layer)) {
			flags |= spaces[i].flag;
			box_mark(b, spaces[i].layer);
		}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	if (cgroup_is_early() && open_cgroup(b, err) < 0)
		return -1;
	if (!(flags & CLONE_NEWPID))
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	r->pid = clone_init(b, flags, &r->pidfd);
	if (r->pid == 0) {
		b->ctl = pair[1];
		close(pair[0]);
		init_main(b);
	}
	close(pair[1]);
	b->ctl = pair[0];
	if (r->pid < 0)
		return explain_clone(err);
	return release_streams(err);
}

/* v1: while the aide makes the network namespace on the other core. */
int run_open_cgroup(struct run *r, struct err *err)
{
	struct box *b = r->box;

	if (b->cgroup.ops)
		return 0;
	if (open_cgroup(b, err) < 0)
		return -1;
	b->attach_late = cgroup_clone_fd(&b->cgroup) >= 0;
	b->joinc = cgroup_open_joins(&b->cgroup, b->joins, err);
	return b->joinc < 0 ? -1 : 0;
}

/* Init needs what we got: the descriptors, and who it is on the host. */
static int tell_go(struct box *b, int input, struct err *err)
{
	struct wire_go go = {WIRE_GO, b->outer_uid, b->outer_gid, b->cloned_workspace >= 0};
	int fds[WIRE_FDS + 1 + CGROUP_DIRS_MAX] = {[WIRE_FD_INPUT] = input,
						   [WIRE_FD_SPEC] = SPEC_FD,
						   [WIRE_FD_PAYLOAD] = PAYLOAD_FD,
						   [WIRE_FD_WORKSPACE] = WORKSPACE_FD};
	size_t count = WIRE_FDS;

	if (go.has_workspace)
		fds[count++] = b->cloned_workspace;
	for (int i = 0; i < b->joinc; i++)
		fds[count++] = b->joins[i];
	int r = io_send_fds(b->ctl, &go, sizeof(go), fds, count);
	for (int i = 0; i < b->joinc; i++)
		scope_close(&b->joins[i]);
	return r < 0 ? err_errno(err, ERR_SYSTEM, "talking to init") : 0;
}

/* Between mkdir and lock somebody's sweep may take it for a dead one's: then once more. */
static int make_private(struct box *b, struct err *err)
{
	const char *dir = b->spec->private_dir;

	for (int tries = 0; tries < 16; tries++) {
		if (mkdir(dir, 0700) < 0)
			break;
		b->private_lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (b->private_lock >= 0 && flock(b->private_lock, LOCK_EX) == 0 &&
		    access(dir, F_OK) == 0)
			return 0;
		scope_close(&b->private_lock);
	}
	return err_errno(err, ERR_SYSTEM, "making %s", dir);
}

int run_release(struct run *r, int input, struct err *err)
{
	struct box *b = r->box;

	if (b->spec->private_dir && make_private(b, err) < 0)
		return -1;
	if (has_spaces(b) && box_wants(b, LAYER_USERNS) && ids_map(b, r->pid, err) < 0)
		return -1;
	if (tell_go(b, input, err) < 0)
		return -1;
	/* Our descriptors lead to the host: nobody of the same id may look into us. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "hiding the supervisor");
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
	siginfo_t info;

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
	/* Without a pid namespace, and init killed by somebody: its children have become ours. */
	if (!has_pid_space(r))
		tree_bury(getpid(), 0, NULL);
	cgroup_close(&r->box->cgroup);
	/* Whoever of us is left removes it. */
	if (r->box->private_lock >= 0)
		files_remove_tree(AT_FDCWD, r->box->spec->private_dir);
}
