/* SPDX-License-Identifier: MIT
 *
 * Pid 1 of the box: builds the root, starts the program, reaps everybody, and tells the
 * supervisor when all untrusted code is dead. If it dies, the kernel kills the whole box; if the
 * supervisor dies, it dies (by signal, and by the end of their socket: the signal alone is lost
 * on a change of credentials).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/intake.h"
#include "box/tree.h"
#include "box/watch.h"

#define HOST_NAME "cordon"

static void __attribute__((noreturn)) give_up(struct box *b, const struct err *err)
{
	struct wire_error msg = {.kind = WIRE_ERROR, .err = *err};

	io_send(b->ctl, &msg, sizeof(msg), -1);
	_exit(127);
}

/* The supervisor has mapped our ids when this comes, and it has read and checked the spec. */
static int wait_for_go(struct box *b, struct err *err)
{
	static struct spec spec;
	struct wire_go go = {0};
	int fds[WIRE_FDS + 1 + CGROUP_DIRS_MAX];
	size_t count = ARRAY_SIZE(fds), at = WIRE_FDS;

	if (io_recv_fds(b->ctl, &go, sizeof(go), fds, &count) != sizeof(go) || go.kind != WIRE_GO ||
	    count < WIRE_FDS + (go.has_workspace != 0))
		_exit(0); /* the supervisor has said why, or is gone */
	b->outer_uid = go.outer_uid;
	b->outer_gid = go.outer_gid;
	if (go.has_workspace)
		b->cloned_workspace = fds[at++];
	for (b->joinc = 0; at < count && b->joinc < CGROUP_DIRS_MAX; b->joinc++)
		b->joins[b->joinc] = fds[at++];
	if (intake_place(fds, err) < 0 || intake_spec(&spec, err) < 0)
		return -1;
	b->spec = &spec;
	return 0;
}

/* Only the host's root may write it, so before we become the box's user. */
static void forbid_memfd_exec(struct box *b)
{
	if (b->privileged && box_wants(b, LAYER_MEMFD) &&
	    io_write_text(AT_FDCWD, "/proc/sys/vm/memfd_noexec", "2") == 0)
		box_mark(b, LAYER_MEMFD);
}

static bool has(const struct box *b, enum layer l)
{
	return b->layers & LAYER_BIT(l);
}

/* Again after every change of credentials: the kernel forgets both. */
static int hide(struct box *b, struct err *err)
{
	/* Outside a pid namespace our death would free the program: there we wait for the end of
	 * the socket and kill it first. */
	if (has(b, LAYER_PIDNS) && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "tying init to its supervisor");
	if (!box_wants(b, LAYER_DUMPABLE))
		return 0;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, ERR_LAYER, "hiding init");
	box_mark(b, LAYER_DUMPABLE);
	return 0;
}

static int name_host(struct err *err)
{
	if (sethostname(HOST_NAME, sizeof(HOST_NAME) - 1) < 0)
		return err_errno(err, ERR_LAYER, "naming the box's host");
	return 0;
}

/* With namespaces: an own root. */
static int prepare_spaces(struct box *b, struct err *err)
{
	forbid_memfd_exec(b);
	if (has(b, LAYER_USERNS) && ids_become(b, err) < 0)
		return -1;
	if (hide(b, err) < 0 || (has(b, LAYER_UTSNS) && name_host(err) < 0))
		return -1;
	if (has(b, LAYER_MOUNTNS) && box_wants(b, LAYER_NEWROOT) && newroot_enter(b, err) < 0)
		return -1;
	return 0;
}

/* Without: a directory of our own on the host, and the payload in it. */
static int prepare_plain(struct box *b, struct err *err)
{
	const char *dir = b->spec->private_dir;

	if (b->privileged && chown(dir, b->outer_uid, b->outer_gid) < 0)
		return err_errno(err, ERR_SYSTEM, "%s", dir);
	/* While we still may. */
	if (b->privileged && creds_drop_bounding(b, err) < 0)
		return -1;
	if (ids_become(b, err) < 0 || hide(b, err) < 0)
		return -1;
	if (chdir("/") < 0)
		return err_errno(err, ERR_SYSTEM, "/");
	return newroot_write_payload(b, err);
}

static int prepare(struct box *b, struct err *err)
{
	/* Grandchildren whose parents die become ours, also where we are not pid 1. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return b->spec->tier == TIER_NO_USERNS ? prepare_plain(b, err) : prepare_spaces(b, err);
}

struct reaper {
	pid_t main;
	int status;
	bool ended, killed;
	enum limit_id limit;
	struct watch watch;
};

static void reap(struct reaper *r)
{
	int status;

	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		if (pid == r->main) {
			r->status = status;
			r->ended = true;
		}
}

static void on_message(struct box *b, struct reaper *r)
{
	uint32_t kind;
	int fd = -1;

	if (io_recv(b->ctl, &kind, sizeof(kind), &fd) != sizeof(kind))
		kind = WIRE_KILL; /* the supervisor is gone, and all must end */
	if (kind == WIRE_KILL)
		r->killed = true;
}

static void wait_for_end(struct box *b, struct reaper *r, int signals)
{
	struct pollfd fds[] = {{.fd = b->ctl, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (!r->ended && !r->killed) {
		int n = poll(fds, 2, watch_interval(&r->watch));
		if (n < 0 && errno != EINTR)
			return;
		if (fds[0].revents)
			on_message(b, r);
		if (fds[1].revents && read(signals, &info, sizeof(info)) > 0)
			reap(r);
		if (!r->ended && watch_look(&r->watch, &r->limit))
			r->killed = true;
	}
}

/* A process that is being forked while this runs either gets the signal or is not born. */
static void kill_everybody(struct reaper *r)
{
	siginfo_t info;
	int status;

	/* Everybody here descends from us: without a child there is nobody left to kill. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
		return;
	r->ended = true;
	if (getpid() != 1) {
		tree_bury(getpid(), r->main, &r->status);
		return;
	}
	for (;;) {
		kill(-1, SIGKILL);
		pid_t pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno == ECHILD)
			return;
		if (pid == r->main)
			r->status = status;
	}
}

static void tell_end(struct box *b, const struct reaper *r)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	uint64_t cpu_us = (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000U +
			  (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
	uint64_t rss = (uint64_t)ru.ru_maxrss * 1024;
	struct wire_ended msg = {
		.kind = WIRE_ENDED,
		.wait_status = r->status,
		.limit = (uint32_t)r->limit,
		.limit_ended = r->limit != LIMIT_NONE && r->killed,
		.layers = b->layers,
		.last = b->upper<0, .cpu_ms = cpu_us / 1000, .memory_peak = rss> r->watch
					.memory_peak
				? rss
				: r->watch.memory_peak,
		.pids_peak = r->watch.pids_peak,
	};
	io_send(b->ctl, &msg, sizeof(msg), -1);
}

static void tell_changes(struct box *b)
{
	uint32_t kind = WIRE_UPPER;
	struct wire_done done = {WIRE_DONE, 0};

	if (b->spec->flags & (SPEC_DIFF | SPEC_KEEP_UPPER))
		done.cut = diff_send(b) < 0;
	if (b->spec->flags & SPEC_KEEP_UPPER)
		io_send(b->ctl, &kind, sizeof(kind), b->upper);
	io_send(b->ctl, &done, sizeof(done), -1);
}

static int block_child_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void run(struct box *b)
{
	struct reaper r = {.limit = LIMIT_NONE};
	int signals = block_child_signal();

	r.main = vfork();
	if (r.main == 0)
		program_main(b);
	if (r.main < 0) {
		struct err err;
		err_errno(&err, ERR_SYSTEM, "starting the program's process");
		give_up(b, &err);
	}
	close_range(0, 2, 0); /* or the reader of the program's output would wait for us */
	reap(&r);	      /* the aide, which is done */
	watch_init(&r.watch, b->spec);
	/* A mutant without an own /proc would count the whole host. */
	r.watch.active = r.watch.active && (getpid() != 1 || has(b, LAYER_NEWROOT));
	wait_for_end(b, &r, signals);
	kill_everybody(&r);
	tell_end(b, &r);
	if (b->upper >= 0)
		tell_changes(b);
}

/* The aide has made the network meanwhile; it unmounts the old root while we go on. */
static int join_aide(struct box *b, bool network, struct err *err)
{
	if (b->aide < 0)
		return 0;
	if (aide_join_network(b, network, err) < 0)
		return -1;
	/* Only a mutant has no new root, or no ids of its own until now. */
	if (!has(b, LAYER_NEWROOT))
		scope_close(&b->aide);
	return has(b, LAYER_USERNS) ? 0 : ids_become(b, err);
}

void init_main(struct box *b)
{
	int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, SPEC_FD,
		      PAYLOAD_FD,   WORKSPACE_FD,  b->ctl};
	bool spaced = b->tier != TIER_NO_USERNS, network = spaced && box_wants(b, LAYER_NETNS);
	struct err err;

	if (box_wants(b, LAYER_FDS))
		fds_close_all_but(keep, ARRAY_SIZE(keep));
	if ((spaced && aide_begin(b, network, &err) < 0) || wait_for_go(b, &err) < 0 ||
	    prepare(b, &err) < 0 || join_aide(b, network, &err) < 0)
		give_up(b, &err);
	run(b);
	_exit(0);
}
