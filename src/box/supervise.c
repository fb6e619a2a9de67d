/* SPDX-License-Identifier: MIT
 *
 * The supervisor: starts the box, keeps its clock, answers its gate, and returns only when every
 * process in it is dead and its cgroup is gone. Straight blocking code around one poll; whatever
 * ends early (the caller, init, a deadline) ends the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/gate.h"
#include "box/sys.h"

enum {
	SETUP_MS = 20000, /* our own work before the program's first instruction */
	GRACE_MS = 5000,  /* for init to reap and read the overlay after the kill */
	CPU_POLL_MS = 20,
	PIDS_POLL_MS = 50, /* cgroup v1 does not keep the highest number */
};

struct run {
	struct box *box;
	struct gate gate;
	pid_t pid;
	int pidfd;
	bool started, killing, ended, done, failed, abandoned;
	uint64_t deadline_ns, ended_ns, pids_seen;
	struct wire_result result;
	struct err err;
};

struct space {
	enum layer layer;
	uint64_t flag;
};

static const struct space spaces[] = {
	{LAYER_USERNS, CLONE_NEWUSER},	   {LAYER_MOUNTNS, CLONE_NEWNS},
	{LAYER_PIDNS, CLONE_NEWPID},	   {LAYER_NETNS, CLONE_NEWNET},
	{LAYER_IPCNS, CLONE_NEWIPC},	   {LAYER_UTSNS, CLONE_NEWUTS},
	{LAYER_CGROUPNS, CLONE_NEWCGROUP},
};

static bool has_spaces(const struct box *b)
{
	return b->spec->tier != TIER_NO_USERNS;
}

static int explain_clone(struct err *err)
{
	err_errno(err, ERR_LAYER, "making the box's namespaces");
	err_blame(err, "userns");
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
	if (b->spec->tier != TIER_FULL || !box_wants(b, LAYER_CGROUP))
		return 0;
	if (cgroup_open(&b->cgroup, &cgroup_host_real, b->spec->limit, err) < 0)
		return -1;
	box_mark(b, LAYER_CGROUP);
	return 0;
}

static int start_init(struct run *r, struct err *err)
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
	r->pid = clone_init(b, flags, &r->pidfd);
	if (r->pid == 0) {
		b->ctl = pair[1];
		close(pair[0]);
		init_main(b);
	}
	close(pair[1]);
	b->ctl = pair[0];
	/* The program's output ends when the program does, not when we do. */
	close_range(0, 2, 0);
	return r->pid < 0 ? explain_clone(err) : 0;
}

static int tell_init(const struct box *b, enum wire_kind kind, int fd, struct err *err)
{
	uint32_t word = kind;

	if (io_send(b->ctl, &word, sizeof(word), fd) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to init");
	return 0;
}

/* v1: while init builds its root on the other core. */
static int late_cgroup(struct box *b, struct err *err)
{
	int fds[CGROUP_DIRS_MAX];

	if (b->cgroup.ops)
		return 0;
	if (open_cgroup(b, err) < 0)
		return -1;
	b->attach_late = cgroup_clone_fd(&b->cgroup) >= 0;
	int count = cgroup_open_joins(&b->cgroup, fds, err), r = count < 0 ? -1 : 0;
	for (int i = 0; i < count; i++) {
		if (r == 0)
			r = tell_init(b, WIRE_JOIN, fds[i], err);
		close(fds[i]);
	}
	return r;
}

static int release_init(struct run *r, struct err *err)
{
	struct box *b = r->box;

	if (has_spaces(b) && box_wants(b, LAYER_USERNS) && ids_map(b, r->pid, err) < 0)
		return -1;
	if (tell_init(b, WIRE_GO, -1, err) < 0)
		return -1;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (late_cgroup(b, err) < 0)
		return -1;
	return tell_init(b, WIRE_READY, -1, err);
}

static void arm(struct run *r, uint64_t ms)
{
	r->deadline_ns = io_now_ns() + ms * 1000000U;
}

/* In a pid namespace init's death is everybody's. Without one init must do it itself: the end of
 * our socket tells it to. */
static void kill_box(struct run *r)
{
	if (r->box->layers & LAYER_BIT(LAYER_PIDNS))
		sys_pidfd_send_signal(r->pidfd, SIGKILL);
	else
		shutdown(r->box->ctl, SHUT_RDWR);
}

/* Init kills, reaps and reports; if it cannot in time, its death kills all. */
static void end_box(struct run *r)
{
	uint32_t kind = WIRE_KILL;

	if (r->killing)
		return;
	r->killing = true;
	arm(r, GRACE_MS);
	if (!r->started || io_send(r->box->ctl, &kind, sizeof(kind), -1) < 0)
		kill_box(r);
}

static void fail_run(struct run *r, const struct err *err)
{
	if (!r->failed)
		r->err = *err;
	r->failed = true;
	kill_box(r);
	r->done = true;
}

static void on_deadline(struct run *r)
{
	struct err err;

	if (!r->started) {
		err_set(&err, ERR_SYSTEM, "the box was not ready within %d seconds",
			SETUP_MS / 1000);
		fail_run(r, &err);
	} else if (!r->killing) {
		r->result.timed_out = 1;
		end_box(r);
	} else {
		kill_box(r);
		r->done = true;
	}
}

static void on_ended(struct run *r, const struct wire_ended *m)
{
	r->ended = true;
	r->ended_ns = io_now_ns();
	r->result.wait_status = m->wait_status;
	r->box->layers |= m->layers;
	if (r->result.limit == LIMIT_NONE) {
		r->result.limit = m->limit;
		r->result.limit_ended = m->limit_ended;
	}
	r->result.cpu_ms = m->cpu_ms;
	r->result.memory_peak = m->memory_peak;
	r->result.pids_peak = m->pids_peak;
	arm(r, GRACE_MS * 10ULL); /* reading a large overlay takes a while */
}

/* In a v2 cgroup the kernel may take init when the limit is reached. */
static bool out_of_memory(struct run *r)
{
	struct cgroup_usage u;

	if (!r->box->cgroup.ops || r->ended)
		return false;
	cgroup_measure(&r->box->cgroup, &u);
	if (u.memory_hit)
		r->result.wait_status = SIGKILL;
	return u.memory_hit;
}

union message {
	uint32_t kind;
	struct wire_error error;
	struct wire_ended ended;
	struct wire_change change;
};

static void on_init(struct run *r)
{
	union message m;
	int fd = -1;
	ssize_t n = io_recv(r->box->ctl, &m, sizeof(m), &fd);
	AUTO_CLOSE int passed = n > 0 ? fd : -1;
	struct err err;

	if (n < (ssize_t)sizeof(m.kind)) {
		r->done = true;
		if (r->started && out_of_memory(r))
			return;
		err_set(&err, ERR_SYSTEM, "the box's init died");
		if (!r->started || (!r->ended && !r->killing))
			fail_run(r, &err);
	} else if (m.kind == WIRE_ERROR) {
		fail_run(r, &m.error.err);
	} else if (m.kind == WIRE_LISTENER) {
		r->gate.listener = scope_take_fd(&passed);
	} else if (m.kind == WIRE_ENDED) {
		on_ended(r, &m.ended);
	} else if (m.kind == WIRE_CHANGE || m.kind == WIRE_UPPER) {
		io_send(RESULT_FD, &m, (size_t)n, passed);
	} else if (m.kind == WIRE_DONE) {
		r->done = true;
	}
}

static void on_gate(struct run *r)
{
	struct err err;

	if (gate_answer(&r->gate, r->box, &err) < 0) {
		fail_run(r, &err);
		return;
	}
	if (!r->started && r->gate.phase == GATE_RUN) {
		r->started = true;
		r->pids_seen = 1;
		arm(r, r->box->spec->limit[LIMIT_TIME]);
		cgroup_sweep_beside(&r->box->cgroup); /* the program runs meanwhile */
	}
	if (r->gate.kill) {
		r->result.killed_by_rule = 1;
		end_box(r);
	}
}

static void check_cpu_time(struct run *r)
{
	uint64_t limit_ns = r->box->spec->limit[LIMIT_CPU_TIME] * 1000000U, used;

	if (limit_ns && !r->killing && cgroup_cpu_ns(&r->box->cgroup, &used) == 0 &&
	    used > limit_ns) {
		r->result.limit = LIMIT_CPU_TIME;
		r->result.limit_ended = 1;
		end_box(r);
	}
}

static void sample_pids(struct run *r)
{
	uint64_t now = r->started && !r->ended ? cgroup_pids_now(&r->box->cgroup) : 0;

	if (now > r->pids_seen)
		r->pids_seen = now;
}

static int next_timeout(const struct run *r)
{
	uint64_t now = io_now_ns();
	uint64_t left = r->deadline_ns > now ? (r->deadline_ns - now + 999999U) / 1000000U : 0;

	uint64_t poll_ms = r->box->spec->limit[LIMIT_CPU_TIME] ? CPU_POLL_MS : PIDS_POLL_MS;

	if (r->started && r->box->cgroup.ops && left > poll_ms)
		left = poll_ms;
	return left > 60000 ? 60000 : (int)left;
}

static void loop(struct run *r)
{
	while (!r->done) {
		struct pollfd fds[] = {{.fd = RESULT_FD, .events = POLLIN},
				       {.fd = r->box->ctl, .events = POLLIN},
				       {.fd = r->gate.listener, .events = POLLIN}};
		int n = poll(fds, ARRAY_SIZE(fds), next_timeout(r));
		if (n < 0 && errno != EINTR)
			break;
		if (fds[0].revents) { /* the caller is gone: nobody wants the result */
			r->abandoned = true;
			break;
		}
		if (fds[1].revents)
			on_init(r);
		if (!r->done && r->gate.listener >= 0 && (fds[2].revents & POLLIN))
			on_gate(r);
		else if (fds[2].revents & POLLHUP)
			gate_close(&r->gate);
		if (io_now_ns() >= r->deadline_ns)
			on_deadline(r);
		check_cpu_time(r);
		sample_pids(r);
	}
}

static void measure_cgroup(struct run *r)
{
	struct wire_result *res = &r->result;
	struct cgroup_usage u;

	cgroup_measure(&r->box->cgroup, &u);
	res->memory_peak = u.memory_peak ? u.memory_peak : res->memory_peak;
	res->pids_peak = u.pids_peak  ? u.pids_peak
			 : u.pids_hit ? r->box->spec->limit[LIMIT_PIDS]
				      : r->pids_seen;
	res->cpu_ms = u.cpu_ns ? u.cpu_ns / 1000000U : res->cpu_ms;
	if (u.memory_hit && res->limit == LIMIT_NONE) {
		res->limit = LIMIT_MEMORY;
		res->limit_ended = WIFSIGNALED(res->wait_status) &&
				   WTERMSIG(res->wait_status) == SIGKILL && !res->timed_out;
	}
	if (u.pids_hit && res->limit == LIMIT_NONE)
		res->limit = LIMIT_PIDS;
}

static void measure(struct run *r)
{
	struct wire_result *res = &r->result;
	uint64_t end = r->ended ? r->ended_ns : io_now_ns();

	res->kind = WIRE_RESULT;

	res->wall_ms = r->gate.started_ns ? (end - r->gate.started_ns) / 1000000U : 0;
	res->layers = r->box->layers;
	snprintf(res->cgroup, sizeof(res->cgroup), "%s", cgroup_version(&r->box->cgroup));
	if (r->box->cgroup.ops)
		measure_cgroup(r);
	if (res->limit < LIMIT_COUNT)
		res->limit_value = r->box->spec->limit[res->limit];
}

/* Our own init is the last to go, and the cgroup with it. */
static void bury(struct run *r)
{
	siginfo_t info;

	kill_box(r);
	while (waitid(P_PIDFD, (id_t)r->pidfd, &info, WEXITED) < 0 && errno == EINTR)
		;
	cgroup_close(&r->box->cgroup);
}

static void tell(struct run *r)
{
	for (unsigned i = 0; i < r->gate.count; i++)
		io_send(RESULT_FD, &r->gate.denials[i], sizeof(r->gate.denials[i]), -1);
	io_send(RESULT_FD, &r->result, sizeof(r->result), -1);
}

#ifdef CORDON_MUTANT
/* No filter, so no self-test that would start the clock. */
static void start_without_gate(struct run *r)
{
	r->started = true;
	r->gate.started_ns = io_now_ns();
	arm(r, r->box->spec->limit[LIMIT_TIME]);
}
#endif

static void clean_up(struct run *r)
{
	gate_close(&r->gate);
	bury(r);
	/* Whoever of us is left removes it. */
	if (r->box->spec->private_dir)
		files_remove_tree(AT_FDCWD, r->box->spec->private_dir);
	free(r);
}

/* All untrusted code is dead and reaped when the result goes out; what is left is ours, and the
 * caller need not wait for it. An error goes out last: its reader may look for what is left. */
static int conclude(struct run *r, struct err *err)
{
	bool failed = r->failed;

	if (!failed && !r->abandoned) {
		measure(r);
		tell(r);
	}
	*err = r->err;
	clean_up(r);
	return failed ? -1 : 0;
}

int supervise(struct box *b, struct err *err)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r)
		return err_set(err, ERR_SYSTEM, "out of memory");
	r->box = b;
	r->pidfd = -1;
	r->result.limit = LIMIT_NONE;
	r->gate.listener = -1;
	if (start_init(r, err) < 0) {
		cgroup_close(&b->cgroup);
		free(r);
		return -1;
	}
	arm(r, SETUP_MS);
	if (release_init(r, err) < 0) {
		clean_up(r);
		return -1;
	}
#ifdef CORDON_MUTANT
	if (!box_wants(b, LAYER_SECCOMP))
		start_without_gate(r);
#endif
	loop(r);
	return conclude(r, err);
}
