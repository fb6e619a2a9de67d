/* SPDX-License-Identifier: MIT
 *
 * The supervisor: keeps the box's clock, answers the seccomp listener, sends the result, and returns only
 * when every process in the box is dead and its cgroup is removed. If the caller or init ends early, or a
 * deadline passes, it ends the box.
 *
 * Nothing that the program does may make the supervisor wait: see box/worker.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cpu.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "box/net_calls.h"
#include "box/supervise.h"
#include "model/egress_message.h"

enum {
	SETUP_MS = 20000, /* until the program's first instruction */
	CPU_POLL_MS = 20,
	PIDS_POLL_MS = 50,  /* cgroup v1 does not record the highest number of processes */
	WORK_BURST_MS = 20, /* cordon-box's own CPU time for the box that is free */
	WORK_SHARE = 4,	    /* beyond that, it may use this part of the box's --cpu: a quarter */
};

static void on_deadline(struct run *r)
{
	struct err err;

	if (!r->started) {
		err_set(&err, ERR_SYSTEM, "the box was not ready within %d seconds",
			SETUP_MS / 1000);
		run_fail(r, &err);
	} else if (!r->killing && !r->ended) {
		r->result.timed_out = 1;
		run_end(r);
	} else { /* killing, or listing the changes, takes too long */
		run_kill(r);
		r->done = true;
	}
}

/* If cordon-egress dies, a run with a network ends. */
static void on_egress(struct run *r)
{
	struct err err;
	enum limit_id limit = LIMIT_NONE;
	bool ended = false;
	int heard = net_calls_receive(r->listener.fd, &limit, &ended);

	if (heard < 0 && !r->ended && !r->killing) {
		err_set(&err, ERR_SYSTEM, "cordon-egress died");
		run_fail(r, &err);
	} else if (heard < 0) {
		r->egress_gone = true;
	} else if (heard > 0 && !r->ended && !r->killing) {
		run_reached(&r->result, limit, ended);
		if (ended) {
			starts_note_end(r);
			run_end(r);
		}
	}
}

/* The last check before untrusted code runs: all layers of the tier must be in place. */
static int check_layers(const struct box *b, struct err *err)
{
#ifdef CORDON_MUTANT
	if (b->without) /* leaving one out affects others */
		return 0;
#endif
	uint32_t missing = spec_layers(b->spec) & ~b->layers;
	if (!missing)
		return 0;
	err_set(err, ERR_LAYER, "a layer was not put in place");
	err_blame(err, layer_row((enum layer)__builtin_ctz(missing))->name);
	return -1;
}

/* Sends refusals at once if the caller's socket has room: the supervisor does not wait for the caller. The
 * result brings the others, and those that happened again. */
static void tell_refusals(struct run *r)
{
	const struct wire_denial *d = r->listener.denials;

	while (r->denials_sent < r->listener.count &&
	       send(RESULT_FD, &d[r->denials_sent], sizeof(*d), MSG_DONTWAIT | MSG_NOSIGNAL) ==
		       (ssize_t)sizeof(*d))
		r->denials_sent++;
}

static uint64_t cpu_ns(int whose)
{
	struct rusage ru;

	getrusage(whose, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000U +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000U;
}

/* CPU time that the supervisor and its workers have spent on the calls of a box with a network. */
static uint64_t work_ns(const struct run *r)
{
	if (!r->started || !run_has_network(r))
		return 0;
	return cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN) + worker_cpu_ns(r->listener.workers) -
	       r->work_before_ns;
}

/* This work is outside the box's cgroup, so it is limited here. Milliseconds until it may go on. */
static uint64_t rest_ms(const struct run *r)
{
	uint64_t percent = r->box->spec->limit[LIMIT_CPU];
	uint64_t work = percent ? work_ns(r) : 0;

	if (work <= WORK_BURST_MS * UINT64_C(1000000))
		return 0;
	uint64_t due = (work - WORK_BURST_MS * UINT64_C(1000000)) * 100 / percent * WORK_SHARE;
	uint64_t since = io_now_ns() - r->listener.started_ns;
	return due > since ? (due - since) / 1000000U + 1 : 0;
}

static void on_gate(struct run *r)
{
	struct err err;

	if ((!r->started && check_layers(r->box, &err) < 0) ||
	    listener_answer(&r->listener, r->box, &err) < 0) {
		run_fail(r, &err);
		return;
	}
	if (!r->started && r->listener.phase == LISTENER_RUN) {
		r->started = true;
		r->work_before_ns = work_ns(r);
		cpu_yield(false);
		r->pids_seen = 1;
		if (run_is_live(r))
			r->deadline_ns = UINT64_MAX; /* each start has its own */
		else
			run_arm(r, r->box->spec->limit[LIMIT_TIME]);
	}
	tell_refusals(r);
	if (r->listener.kill) {
		r->result.killed_by_rule = 1;
		starts_note_end(r);
		run_end(r);
	}
}

static void check_cpu_time(struct run *r)
{
	uint64_t limit_ns = r->box->spec->limit[LIMIT_CPU_TIME] * 1000000U, used = 0;
	struct err err;

	if (!limit_ns || r->killing || r->ended || r->done)
		return;
	if (r->box->cgroup.ops && cgroup_cpu_ns(&r->box->cgroup, &used) < 0) {
		err_errno(&err, ERR_LAYER, "reading the box's CPU time");
		err_blame(&err, "cgroup");
		run_fail(r, &err);
	} else if (used + work_ns(r) > limit_ns) {
		run_reached(&r->result, LIMIT_CPU_TIME, true);
		starts_note_end(r);
		run_end(r);
	}
}

static void sample_pids(struct run *r)
{
	uint64_t now = r->started && !r->ended ? cgroup_pids_now(&r->box->cgroup) : 0;

	if (now > r->pids_seen)
		r->pids_seen = now;
}

static int next_timeout(const struct run *r, uint64_t rest)
{
	uint64_t now = io_now_ns();
	uint64_t first = r->still_ns ? UINT64_MAX : starts_deadline(&r->starts);
	uint64_t until = first < r->deadline_ns ? first : r->deadline_ns;
	uint64_t left = until > now ? (until - now) / 1000000U + 1 : 0;

	uint64_t poll_ms = r->box->spec->limit[LIMIT_CPU_TIME] ? CPU_POLL_MS : PIDS_POLL_MS;

	if (r->started && r->box->cgroup.ops && left > poll_ms)
		left = poll_ms;
	if (rest && left > rest)
		left = rest;
	return left > 60000 ? 60000 : (int)left;
}

/* All processes under the filter have exited: memory and the number of processes will not grow, only the CPU
 * time of their exit. Measuring now saves time later, when the caller waits. */
static void on_last_exit(struct run *r)
{
	listener_retire(&r->listener, box_has_inet(r->box));
	if (!r->started || !r->box->cgroup.ops || cgroup_has_clock(&r->box->cgroup))
		return;
	cgroup_measure(&r->box->cgroup, &r->usage);
	r->measured = true;
}

static void fail_blind(struct run *r)
{
	struct err err;

	err_errno(&err, ERR_SYSTEM, "waiting for the box");
	run_fail(r, &err);
}

static short caller_events(const struct run *r)
{
	return starts_are_behind(&r->starts) ? POLLIN | POLLOUT : POLLIN;
}

/* A signal for the program of a box that is not live. False: the caller is dead. */
static bool receive_signal(struct run *r)
{
	struct wire_signal m;
	int fd = -1;
	ssize_t n = io_recv(RESULT_FD, &m, sizeof(m), &fd);

	scope_close(&fd);
	if (n <= 0)
		return false;
	if (n != sizeof(m) || m.kind != WIRE_SIGNAL || m.signal == 0 || m.signal >= NSIG)
		return true;
	if (!r->started)
		run_end(r);
	else if (!r->ended && !r->killing)
		(void)io_send(r->box->ctl, &m, sizeof(m), -1);
	return true;
}

static void loop(struct run *r)
{
	while (!r->done) {
		uint64_t rest = rest_ms(r);
		struct pollfd fds[4 + WORKER_MAX + STARTS_FDS] = {
			{.fd = RESULT_FD, .events = caller_events(r)},
			{.fd = r->box->ctl, .events = POLLIN},
			{.fd = rest ? -1 : r->listener.fd, .events = POLLIN},
			{.fd = run_has_network(r) && !r->egress_gone ? EGRESS_FD : -1,
			 .events = POLLIN}};
		size_t count = 4 + worker_wait(r->listener.workers, fds + 4);
		size_t starts = starts_wait(&r->starts, fds + count);
		int n = poll(fds, count + starts, next_timeout(r, rest));
		if (n < 0 && errno != EINTR) {
			fail_blind(r);
			break;
		}
		if (fds[0].revents & ~POLLOUT &&
		    !(run_is_live(r) ? starts_receive(r) : receive_signal(r))) {
			r->abandoned = true; /* the caller is dead */
			break;
		}
		if (fds[1].revents)
			run_receive(r);
		if (!r->done && r->listener.fd >= 0 && (fds[2].revents & POLLIN))
			on_gate(r);
		else if (fds[2].revents & POLLHUP)
			on_last_exit(r);
		if (!r->done && fds[3].revents)
			on_egress(r);
		if (!r->done && r->listener.fd >= 0) {
			listener_answer_examined(&r->listener, box_has_inet(r->box));
			tell_refusals(r);
		}
		if (!r->done && run_is_live(r))
			starts_handle(r, fds + count, starts);
		if (io_now_ns() >= r->deadline_ns)
			on_deadline(r);
		check_cpu_time(r);
		if (n == 0)
			sample_pids(r);
	}
}

static void measure_cgroup(struct run *r)
{
	struct wire_result *res = &r->result;
	struct cgroup_usage u = r->usage;

	if (!r->measured)
		cgroup_measure(&r->box->cgroup, &u);
	res->memory_peak = u.memory_peak ? u.memory_peak : res->memory_peak;
	res->pids_peak = u.pids_peak  ? u.pids_peak
			 : u.pids_hit ? r->box->spec->limit[LIMIT_PIDS]
				      : r->pids_seen;
	res->cpu_ms = u.cpu_ns ? u.cpu_ns / 1000000U : res->cpu_ms;
	bool killed = WIFSIGNALED(res->wait_status) && WTERMSIG(res->wait_status) == SIGKILL;
	if (u.memory_hit)
		run_reached(res, LIMIT_MEMORY, killed && !res->timed_out);
	if (u.pids_hit)
		run_reached(res, LIMIT_PIDS, false);
}

static void measure(struct run *r)
{
	struct wire_result *res = &r->result;
	uint64_t end = r->ended ? r->ended_ns : io_now_ns();

	res->kind = WIRE_RESULT;
	/* If init died while it sent the changes, the list is incomplete. */
	res->changes_cut |= !r->changes_sent && r->box->spec->workspace == WORKSPACE_OVERLAY;

	res->no_memory |= memory_was_out();
	res->wall_ms = r->listener.started_ns ? (end - r->listener.started_ns) / 1000000U : 0;
	res->layers = r->box->layers;
	res->denials_cut = r->listener.cut;
	snprintf(res->cgroup, sizeof(res->cgroup), "%s", cgroup_version(&r->box->cgroup));
	if (r->box->cgroup.ops)
		measure_cgroup(r);
	res->cpu_ms += work_ns(r) / 1000000U;
	if (res->limit < LIMIT_COUNT)
		res->limit_value = r->box->spec->limit[res->limit];
}

static void tell(struct run *r)
{
	for (unsigned i = 0; i < r->listener.count; i++)
		if (i >= r->denials_sent || r->listener.denials[i].count > 1)
			io_send(RESULT_FD, &r->listener.denials[i], sizeof(r->listener.denials[i]),
				-1);
	io_send(RESULT_FD, &r->result, sizeof(r->result), -1);
}

static void tell_gone(void)
{
	uint32_t kind = WIRE_GONE;

	io_send(RESULT_FD, &kind, sizeof(kind), -1);
}

/* All untrusted code is dead and reaped when the result is sent. Usually it is sent first, and
 * WIRE_GONE after the cgroup is removed: the caller works meanwhile, and removes the cgroup
 * itself if this process is killed in between. Init may still be exiting then; it dies with this
 * process. If there is more to remove, and for an error, the result is sent last. */
static int conclude(struct run *r, struct err *err)
{
	bool failed = r->failed, told = !failed && !r->abandoned;

	listener_retire(&r->listener, box_has_inet(r->box));
	if (told) {
		measure(r);
		starts_finish(r);
	}
	if (told && r->ended && !run_is_in_cgroup(r) && !r->box->spec->private_dir) {
		tell(r);
		cgroup_remove(&r->box->cgroup);
		tell_gone();
		told = false;
	}
	*err = r->err;
	starts_close(&r->starts);
	run_bury(r);
	if (told) {
		tell(r);
		tell_gone();
	}
	return failed ? -1 : 0;
}

#ifdef CORDON_MUTANT
/* No filter, so no self-test that would start the clock. */
static void start_without_gate(struct run *r)
{
	r->started = true;
	r->listener.started_ns = io_now_ns();
	run_arm(r, r->box->spec->limit[LIMIT_TIME]);
}
#endif

int supervise(struct run *r, struct err *err)
{
	run_arm(r, SETUP_MS);
	/* The supervisor must not block: a call that cannot be passed on fails with EAGAIN. */
	if (run_has_network(r))
		fcntl(EGRESS_FD, F_SETFL, O_NONBLOCK);
#ifdef CORDON_MUTANT
	if (!box_wants(r->box, LAYER_SECCOMP))
		start_without_gate(r);
#endif
	loop(r);
	return conclude(r, err);
}
