/* SPDX-License-Identifier: MIT
 *
 * The supervisor: keeps the box's clock, answers its gate, and returns only when every process in
 * it is dead and its cgroup is gone. Straight blocking code around one poll; whatever
 * ends early (the caller, init, a deadline) ends the box.
 *
 * Nothing that the program chooses may make the supervisor wait: see box/local.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/spread.h"
#include "box/dial.h"
#include "box/supervise.h"
#include "model/egress.h"

enum {
	SETUP_MS = 20000, /* our own work before the program's first instruction */
	CPU_POLL_MS = 20,
	PIDS_POLL_MS = 50,  /* cgroup v1 does not keep the highest number */
	WORK_BURST_MS = 20, /* of our own, before the share of --cpu counts: */
	WORK_SHARE = 4,	    /* we may use a quarter of it */
};

void run_arm(struct run *r, uint64_t ms)
{
	r->deadline_ns = io_now_ns() + ms * 1000000U;
}

bool run_has_network(const struct run *r)
{
	return r->box->spec->flags & SPEC_NET;
}

/* Init kills, reaps and reports; if it cannot in time, its death kills all. */
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
	} else { /* the kill, or the list of changes, takes too long */
		run_kill(r);
		r->done = true;
	}
}

/* A run that may connect does not go on without who does it. */
static void on_egress(struct run *r)
{
	struct err err;
	enum limit_id limit = LIMIT_NONE;
	bool ended = false;
	int heard = dial_hear(r->gate.listener, &limit, &ended);

	if (heard < 0 && !r->ended && !r->killing) {
		err_set(&err, ERR_SYSTEM, "cordon-egress died");
		run_fail(r, &err);
	} else if (heard < 0) {
		r->egress_gone = true;
	} else if (heard > 0 && !r->ended && !r->killing) {
		run_reached(&r->result, limit, ended);
		if (ended)
			run_end(r);
	}
}

/* The last look before anything untrusted runs: is everything there that the tier promises? */
static int check_layers(const struct box *b, struct err *err)
{
#ifdef CORDON_MUTANT
	if (b->without) /* what is left out takes others with it */
		return 0;
#endif
	uint32_t missing = spec_layers(b->spec) & ~b->layers;
	if (!missing)
		return 0;
	err_set(err, ERR_LAYER, "a layer was not put in place");
	err_blame(err, layer_row((enum layer)__builtin_ctz(missing))->name);
	return -1;
}

/* As they come, if the caller has room for them: nothing here waits for him. Those that he did not get,
 * and those that came again, he gets at the end. */
static void tell_refusals(struct run *r)
{
	const struct wire_denial *d = r->gate.denials;

	while (r->told < r->gate.count && send(RESULT_FD, &d[r->told], sizeof(*d),
					       MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof(*d))
		r->told++;
}

static uint64_t cpu_ns(int whose)
{
	struct rusage ru;

	getrusage(whose, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000U +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000U;
}

uint64_t run_work_ns(const struct run *r)
{
	if (!r->started || !run_has_network(r))
		return 0;
	return cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN) + local_cpu_ns(r->gate.local) -
	       r->work_before_ns;
}

/* Our work for the box is outside of its cgroup. Milliseconds until we may work for it again. */
static uint64_t rest_ms(const struct run *r)
{
	uint64_t percent = r->box->spec->limit[LIMIT_CPU];
	uint64_t work = percent ? run_work_ns(r) : 0;

	if (work <= WORK_BURST_MS * UINT64_C(1000000))
		return 0;
	uint64_t due = (work - WORK_BURST_MS * UINT64_C(1000000)) * 100 / percent * WORK_SHARE;
	uint64_t since = io_now_ns() - r->gate.started_ns;
	return due > since ? (due - since) / 1000000U + 1 : 0;
}

static void on_gate(struct run *r)
{
	struct err err;

	if ((!r->started && check_layers(r->box, &err) < 0) ||
	    gate_answer(&r->gate, r->box, &err) < 0) {
		run_fail(r, &err);
		return;
	}
	if (!r->started && r->gate.phase == GATE_RUN) {
		r->started = true;
		r->work_before_ns = run_work_ns(r);
		spread_yield(false);
		r->pids_seen = 1;
		run_arm(r, r->box->spec->limit[LIMIT_TIME]);
	}
	tell_refusals(r);
	if (r->gate.kill) {
		r->result.killed_by_rule = 1;
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
	} else if (used + run_work_ns(r) > limit_ns) {
		run_reached(&r->result, LIMIT_CPU_TIME, true);
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
	uint64_t left = r->deadline_ns > now ? (r->deadline_ns - now + 999999U) / 1000000U : 0;

	uint64_t poll_ms = r->box->spec->limit[LIMIT_CPU_TIME] ? CPU_POLL_MS : PIDS_POLL_MS;

	if (r->started && r->box->cgroup.ops && left > poll_ms)
		left = poll_ms;
	if (rest && left > rest)
		left = rest;
	return left > 60000 ? 60000 : (int)left;
}

/* Nobody is left whom the filter holds: memory and processes will not become more, only the CPU
 * time of their exit. Looking now saves the time later, when the caller waits. */
static void on_last_exit(struct run *r)
{
	gate_retire(&r->gate, r->box->spec->flags & SPEC_NET);
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

static void on_local(struct run *r)
{
	gate_answer_local(&r->gate, run_has_network(r));
	tell_refusals(r);
}

static void loop(struct run *r)
{
	while (!r->done) {
		uint64_t rest = rest_ms(r);
		struct pollfd fds[4 + LOCAL_MAX] = {
			{.fd = RESULT_FD, .events = POLLIN},
			{.fd = r->box->ctl, .events = POLLIN},
			{.fd = rest ? -1 : r->gate.listener, .events = POLLIN},
			{.fd = run_has_network(r) && !r->egress_gone ? EGRESS_FD : -1,
			 .events = POLLIN}};
		size_t count = 4 + local_wait(r->gate.local, fds + 4);
		int n = poll(fds, count, next_timeout(r, rest));
		if (n < 0 && errno != EINTR) {
			fail_blind(r);
			break;
		}
		if (fds[0].revents) { /* the caller is gone: nobody wants the result */
			r->abandoned = true;
			break;
		}
		if (fds[1].revents)
			run_hear(r);
		if (!r->done && r->gate.listener >= 0 && (fds[2].revents & POLLIN))
			on_gate(r);
		else if (fds[2].revents & POLLHUP)
			on_last_exit(r);
		if (!r->done && fds[3].revents)
			on_egress(r);
		if (!r->done && r->gate.listener >= 0)
			on_local(r);
		if (io_now_ns() >= r->deadline_ns)
			on_deadline(r);
		check_cpu_time(r);
		if (n == 0)
			sample_pids(r);
	}
}

#ifdef CORDON_MUTANT
/* No filter, so no self-test that would start the clock. */
static void start_without_gate(struct run *r)
{
	r->started = true;
	r->gate.started_ns = io_now_ns();
	run_arm(r, r->box->spec->limit[LIMIT_TIME]);
}
#endif

int supervise(struct run *r, struct err *err)
{
	run_arm(r, SETUP_MS);
	/* Who keeps the clock waits for nobody: a call that cannot be passed on is answered so. */
	if (run_has_network(r))
		fcntl(EGRESS_FD, F_SETFL, O_NONBLOCK);
#ifdef CORDON_MUTANT
	if (!box_wants(r->box, LAYER_SECCOMP))
		start_without_gate(r);
#endif
	loop(r);
	return run_conclude(r, err);
}
