/* SPDX-License-Identifier: MIT
 *
 * Pid 1 of the box: starts the program's process, builds the root for it, reaps all processes, and tells
 * the supervisor when all untrusted code is dead. If init dies, the kernel kills the whole box. If the
 * supervisor dies, init dies: by signal, and by the end of their socket, because a change of credentials
 * clears the signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/tree.h"
#include "box/watch.h"

#define HOST_NAME "cordon"

/* The last message means that the ids are mapped. The program's process waits for it too. */
static int wait_for_go(struct box *b, const struct program *p, struct err *err)
{
	union {
		struct wire_bind bind;
		struct wire_go go;
	} msg = {0};
	int fds[2];
	size_t count = 2;
	ssize_t n;

	while ((n = io_recv_fds(b->ctl, &msg, sizeof(msg), fds, &count)) == sizeof(msg.bind) &&
	       msg.bind.kind == WIRE_BIND && msg.bind.index < SPEC_BINDS_MAX && count == 1) {
		b->cloned_bind[msg.bind.index] = fds[0] + 1;
		count = 2;
	}
	if (n != sizeof(msg.go) || msg.go.kind != WIRE_GO)
		_exit(0); /* the supervisor has reported the error, or is dead */
	struct wire_go go = msg.go;
	b->cloned_workspace = count > 0 ? fds[0] : -1;
	b->cloned_saved = count > 1 ? fds[1] : -1;
	b->outer_uid = go.outer_uid;
	b->outer_gid = go.outer_gid;
	b->privileged = go.privileged;
	if (io_send(p->sock, &go, sizeof(go), -1) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to the program's process");
	return 0;
}

/* Only the host's root may write it, so this comes before ids_become. */
static void forbid_memfd_exec(struct box *b)
{
	if (b->privileged && box_wants(b, LAYER_MEMFD) && !box_is_dev(b) &&
	    io_write_text(AT_FDCWD, "/proc/sys/vm/memfd_noexec", "2") == 0)
		box_mark(b, LAYER_MEMFD);
}

static bool has(const struct box *b, enum layer l)
{
	return b->layers & LAYER_BIT(l);
}

/* Called again after each change of credentials, which clears both settings. */
static int hide(struct box *b, struct err *err)
{
	/* Without a pid namespace the program would outlive init. There init must not be killed: it
	 * waits for the end of the socket and kills the program first. */
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

/* With namespaces: the box gets a root of its own. */
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

/* Without namespaces: a private directory on the host, with the payload in it. */
static int prepare_plain(struct box *b, struct err *err)
{
	const char *dir = b->spec->private_dir;

	if (b->privileged && chown(dir, b->outer_uid, b->outer_gid) < 0)
		return err_errno(err, ERR_SYSTEM, "%s", dir);
	if (ids_become(b, err) < 0 || hide(b, err) < 0)
		return -1;
	if (chdir("/") < 0)
		return err_errno(err, ERR_SYSTEM, "/");
	return newroot_write_payload(b, err);
}

static int prepare(struct box *b, struct err *err)
{
	/* Orphans become children of this process, also where it is not pid 1. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return b->spec->tier == TIER_NO_USERNS ? prepare_plain(b, err) : prepare_spaces(b, err);
}

struct reaper {
	pid_t main;
	int status;
	bool ended, killed, blind;
	enum limit_id limit;
	struct watch watch;
	struct err err; /* if blind */
};

static void reap(struct reaper *r)
{
	int status;

	/* A child that is traced by init (PTRACE_TRACEME) has only stopped. */
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
		if (pid == r->main && !WIFSTOPPED(status)) {
			r->status = status;
			r->ended = true;
		}
}

static void tell_changes(struct box *b)
{
	uint32_t kind = WIRE_UPPER;
	struct wire_done done = {.kind = WIRE_DONE};

	if (b->spec->flags & (SPEC_DIFF | SPEC_KEEP_UPPER))
		done.cut = diff_send(b) < 0;
	if (b->spec->flags & SPEC_KEEP_UPPER)
		io_send(b->ctl, &kind, sizeof(kind), b->upper);
	done.no_memory = memory_was_out();
	io_send(b->ctl, &done, sizeof(done), -1);
}

static void on_message(struct box *b, struct reaper *r)
{
	struct wire_signal m = {0}; /* other messages are its first member */
	int fd = -1;

	if (io_recv(b->ctl, &m, sizeof(m), &fd) < (ssize_t)sizeof(m.kind))
		m.kind = WIRE_KILL; /* the supervisor is dead: end the box */
	if (m.kind == WIRE_KILL)
		r->killed = true;
	if (m.kind == WIRE_DIFF) { /* a process that is in a system call finishes it first */
		kill(-1, SIGSTOP);
		tell_changes(b);
	}
	if (m.kind == WIRE_GO_ON)
		kill(-1, SIGCONT);
	if (m.kind == WIRE_SIGNAL && !r->ended) /* its process group, as a terminal does it */
		kill(-r->main, (int)m.signal);
}

static void wait_for_end(struct box *b, struct reaper *r, int signals)
{
	struct pollfd fds[] = {{.fd = b->ctl, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (!r->ended && !r->killed) {
		int n = poll(fds, 2, watch_interval(&r->watch));
		if (n < 0 && errno != EINTR) {
			err_errno(&r->err, ERR_SYSTEM, "waiting for the program");
			r->blind = r->killed = true;
			return;
		}
		if (fds[0].revents)
			on_message(b, r);
		if (fds[1].revents && read(signals, &info, sizeof(info)) > 0)
			reap(r);
		bool over = false;
		if (!r->ended)
			r->blind = watch_look(&r->watch, &r->limit, &over, &r->err) < 0;
		r->killed |= over || r->blind;
	}
}

static void tell_limit(const struct box *b, const struct reaper *r)
{
	const struct wire_limit m = {WIRE_LIMIT, (uint32_t)r->limit};

	if (b->spec->flags & SPEC_LIVE && r->killed && r->limit != LIMIT_NONE)
		io_send(b->ctl, &m, sizeof(m), -1);
}

/* A process that is being forked meanwhile either gets the signal or is not created. */
static void kill_all(struct reaper *r)
{
	siginfo_t info;
	int status;

	/* All processes of the box descend from init: without a child none is left. */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
		return;
	/* The pid of a process that was reaped may belong to another one. */
	pid_t first = r->ended ? 0 : r->main;
	r->ended = true;
	if (getpid() != 1) {
		tree_bury(getpid(), first, &r->status);
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
	uint64_t peak = (uint64_t)ru.ru_maxrss * 1024;
	bool last = b->upper < 0;

	if (r->watch.memory_peak > peak)
		peak = r->watch.memory_peak;
	struct wire_ended msg = {
		.kind = WIRE_ENDED,
		.wait_status = r->status,
		.limit = (uint32_t)r->limit,
		.limit_ended = r->limit != LIMIT_NONE && r->killed,
		.lost = net_stats_undelivered(b),
		.layers = b->layers,
		.last = last,
		.cpu_ms = cpu_us / 1000,
		.memory_peak = peak,
		.pids_peak = r->watch.pids_peak,
	};
	io_send(b->ctl, &msg, sizeof(msg), -1);
}

static int block_child_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void run(struct box *b, const struct program *p, int signals)
{
	struct reaper r = {.main = p->pid, .limit = LIMIT_NONE};

	cpu_yield(false);
	watch_init(&r.watch, b->spec);
	/* A mutant without a /proc of its own would count the whole host. */
	r.watch.active = r.watch.active && (getpid() != 1 || has(b, LAYER_NEWROOT));
	r.watch.own_net = r.watch.own_net && has(b, LAYER_NETNS);
	wait_for_end(b, &r, signals);
	tell_limit(b, &r);
	kill_all(&r);
	if (r.blind)
		box_give_up(b, &r.err);
	if (r.limit == LIMIT_NONE && full_file(b, r.status))
		r.limit = LIMIT_FILE_SIZE;
	tell_end(b, &r);
	if (b->upper >= 0)
		tell_changes(b);
}

/* Enters the program's network namespace before the program starts, which may read /proc/1/net. 1; or 0 if
 * its process has died and reported why. */
static int follow_network(struct box *b, const struct program *p, struct err *err)
{
	uint32_t kind = 0;
	int fd = -1;
	struct cpu_pin core;

	/* The sender still has work to do, and must not find its core taken by this process. */
	cpu_pin(&core);
	ssize_t n = io_recv(p->sock, &kind, sizeof(kind), &fd);
	cpu_unpin(&core);
	AUTO_CLOSE int there = fd;
	if (n == 0)
		return 0;
	AUTO_CLOSE int net =
		n == sizeof(kind) && kind == WIRE_NETWORK ? ioctl(there, SIOCGSKNS) : -1;
	if (net < 0 || setns(net, CLONE_NEWNET) < 0)
		return err_errno(err, ERR_LAYER, "following into the network namespace");
	box_mark(b, LAYER_NETNS);
	return 1;
}

/* Sends what the program's process waits for. Landlock rules for paths of the host name its own /proc, so
 * it makes those itself. */
static int release_program(struct box *b, const struct program *p, struct err *err)
{
	struct wire_ready ready = {WIRE_READY, b->layers};
	uint32_t alone = WIRE_ALONE;
	AUTO_CLOSE int rules = -1;

	if (has(b, LAYER_NEWROOT) && landlock_open(b, &rules, err) < 0)
		return -1;
	if (io_send(p->sock, &ready, sizeof(ready), rules) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to the program's process");
	if (has(b, LAYER_NEWROOT) && newroot_drop_old(err) < 0)
		return -1;
	int followed = box_makes_network(b) ? follow_network(b, p, err) : 1;
	if (followed <= 0)
		return followed;
	if (io_send(p->sock, &alone, sizeof(alone), -1) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to the program's process");
	return 0;
}

/* Waits until the program's process has executed the program or has died. Until then the supervisor's
 * messages are for that process. */
static int wait_for_exec(struct box *b, const struct program *p, struct err *err)
{
	uint32_t kind;
	int fd = -1;

	while (io_recv(p->sock, &kind, sizeof(kind), &fd) > 0)
		scope_close(&fd);
	/* Only a mutant still has the host's ids here. */
	if (b->spec->tier != TIER_NO_USERNS && !has(b, LAYER_USERNS))
		return ids_become(b, err);
	return 0;
}

/* The exit of init takes a while and is not urgent, and the caller, which has the result now, must not find
 * this core taken. Returns when the supervisor is dead; usually it kills init before that. */
static void delay_exit(const struct box *b)
{
	uint32_t kind;
	int fd = -1;

	io_recv(b->ctl, &kind, sizeof(kind), &fd);
}

void init_main(struct box *b)
{
	int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, SPEC_FD, PAYLOAD_FD, WORKSPACE_FD,
		      CHANNEL_FD,   PARTS_FD,	   SAVED_FD,	  b->ctl,  b->starts};
	struct program p;
	struct err err;

	if (box_wants(b, LAYER_FDS))
		fds_close_all_but(keep, ARRAY_SIZE(keep));
	int signals = block_child_signal();
	if (signals < 0)
		err_errno(&err, ERR_SYSTEM, "waiting for signals");
	if (signals < 0 || creds_drop_bounding(b, &err) < 0 || namespaces_enter(b, &err) < 0 ||
	    program_begin(b, &p, &err) < 0)
		box_give_up(b, &err);
	close_range(0, 2, 0); /* otherwise the output would stay open as long as init lives */
	close_range(CHANNEL_FD, PARTS_FD, 0);
	scope_close(&b->starts);
	if (wait_for_go(b, &p, &err) < 0 || prepare(b, &err) < 0 ||
	    release_program(b, &p, &err) < 0 || wait_for_exec(b, &p, &err) < 0)
		box_give_up(b, &err);
	run(b, &p, signals);
	delay_exit(b);
	_exit(0);
}
