/* SPDX-License-Identifier: MIT
 *
 * The supervisor: keeps the box's clock, answers its gate, and returns only when every process in
 * it is dead and its cgroup is gone. Straight blocking code around one poll; whatever
 * ends early (the caller, init, a deadline) ends the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/dial.h"
#include "box/supervise.h"
#include "box/sys.h"
#include "model/egress.h"

enum {
	SETUP_MS = 20000, /* our own work before the program's first instruction */
	GRACE_MS = 5000,  /* for init to reap and read the overlay after the kill */
	CPU_POLL_MS = 20,
	PIDS_POLL_MS = 50, /* cgroup v1 does not keep the highest number */
};

static void arm(struct run *r, uint64_t ms)
{
	r->deadline_ns = io_now_ns() + ms * 1000000U;
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
		run_kill(r);
}

static void fail_run(struct run *r, const struct err *err)
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
		fail_run(r, &err);
	} else if (!r->killing && !r->ended) {
		r->result.timed_out = 1;
		end_box(r);
	} else { /* the kill, or the list of changes, takes too long */
		run_kill(r);
		r->done = true;
	}
}

static void on_ended(struct run *r, const struct wire_ended *m)
{
	struct err err;

	if (!r->started) {
		err_set(&err, ERR_SYSTEM, "the program's process ended before its start (%s %d)",
			WIFSIGNALED(m->wait_status) ? "signal" : "status",
			WIFSIGNALED(m->wait_status) ? WTERMSIG(m->wait_status)
						    : WEXITSTATUS(m->wait_status));
		fail_run(r, &err);
		return;
	}
	r->ended = true;
	r->done = r->told_all = m->last;
	r->ended_ns = io_now_ns();
	r->result.wait_status = m->wait_status;
	r->box->layers |= m->layers;
	run_reached(&r->result, m->limit, m->limit_ended);
	r->result.cpu_ms = m->cpu_ms;
	r->result.memory_peak = m->memory_peak;
	r->result.pids_peak = m->pids_peak;
	gate_note_lost(&r->gate, m->lost);
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
	struct wire_listener listener;
	struct wire_done done;
	struct wire_change change;
};

/* Inside the new root the host cannot be looked at any more. */
static void explain_outside(struct err *err)
{
	err_sanitise(err);
	for (int l = 0; l < LAYER_COUNT; l++)
		if (strcmp(err->layer, layer_row((enum layer)l)->name) == 0 &&
		    (!err->cause[0] || l == LAYER_LANDLOCK))
			why_layer(err, (enum layer)l);
}

void run_hear_why(struct run *r, struct err *err)
{
	struct pollfd word = {.fd = r->box->ctl, .events = POLLIN};
	struct wire_error m;
	AUTO_CLOSE int fd = -1;

	if (word.fd < 0 || poll(&word, 1, 0) <= 0 || !(word.revents & POLLIN) ||
	    io_recv(word.fd, &m, sizeof(m), &fd) != sizeof(m) || m.kind != WIRE_ERROR)
		return;
	explain_outside(&m.err);
	*err = m.err;
}

static void on_listener(struct run *r, const union message *m, int *fd)
{
	r->gate.listener = scope_take_fd(fd);
	r->box->layers |= m->listener.layers;
}

/* Where the program asks for names: cordon-egress answers there. */
static void on_resolver(struct run *r, int fd)
{
	uint32_t kind = EGRESS_RESOLVE;
	struct err err;

	if (io_send(EGRESS_FD, &kind, sizeof(kind), fd) == 0)
		return;
	err_errno(&err, ERR_SYSTEM, "talking to cordon-egress");
	fail_run(r, &err);
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
		fail_run(r, &err);
	} else if (heard < 0) {
		r->egress_gone = true;
	} else if (heard > 0 && !r->ended && !r->killing) {
		run_reached(&r->result, limit, ended);
		if (ended)
			end_box(r);
	}
}

static void on_error(struct run *r, union message *m)
{
	explain_outside(&m->error.err);
	fail_run(r, &m->error.err);
}

/* What init and the program's process may say, and when. */
static const struct word {
	uint32_t kind;
	size_t least, most;
	bool before, after; /* the program's end */
} words[] = {
	{WIRE_ERROR, sizeof(struct wire_error), sizeof(struct wire_error), true, false},
	{WIRE_LISTENER, sizeof(struct wire_listener), sizeof(struct wire_listener), true, false},
	{WIRE_RESOLVER, sizeof(uint32_t), sizeof(uint32_t), true, false},
	{WIRE_ENDED, sizeof(struct wire_ended), sizeof(struct wire_ended), true, false},
	{WIRE_CHANGE, offsetof(struct wire_change, path), sizeof(struct wire_change), false, true},
	{WIRE_UPPER, sizeof(uint32_t), sizeof(uint32_t), false, true},
	{WIRE_DONE, sizeof(struct wire_done), sizeof(struct wire_done), false, true},
};

static bool has_network(const struct run *r)
{
	return r->box->spec->flags & SPEC_NET;
}

static bool is_expected(const struct run *r, uint32_t kind, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].kind == kind && len >= words[i].least && len <= words[i].most)
			return (r->ended ? words[i].after : words[i].before) &&
			       (kind != WIRE_LISTENER || r->gate.listener < 0) &&
			       (kind != WIRE_RESOLVER || has_network(r));
	return false;
}

static void on_silence(struct run *r)
{
	struct err err;

	r->done = true;
	if (r->started && out_of_memory(r))
		return;
	err_set(&err, ERR_SYSTEM, "the box's init died");
	if (!r->started || (!r->ended && !r->killing))
		fail_run(r, &err);
}

static void on_init(struct run *r)
{
	union message m;
	int fd = -1;
	ssize_t n = io_recv(r->box->ctl, &m, sizeof(m), &fd);
	AUTO_CLOSE int passed = n > 0 ? fd : -1;
	struct err err;

	if (n < (ssize_t)sizeof(m.kind)) {
		on_silence(r);
	} else if (!is_expected(r, m.kind, (size_t)n)) {
		err_set(&err, ERR_SYSTEM, "an unexpected word from the box (%u)", m.kind);
		fail_run(r, &err);
	} else if (m.kind == WIRE_ERROR) {
		on_error(r, &m);
	} else if (m.kind == WIRE_LISTENER) {
		on_listener(r, &m, &passed);
	} else if (m.kind == WIRE_RESOLVER) {
		on_resolver(r, passed);
	} else if (m.kind == WIRE_ENDED) {
		on_ended(r, &m.ended);
	} else if (m.kind == WIRE_CHANGE || m.kind == WIRE_UPPER) {
		io_send(RESULT_FD, &m, (size_t)n, passed);
	} else if (m.kind == WIRE_DONE) {
		r->done = r->told_all = true;
		r->result.changes_cut = m.done.cut;
	}
}

/* The last look before anything untrusted runs: is everything there that the tier promises? */
static int check_layers(const struct box *b, struct err *err)
{
#ifdef CORDON_MUTANT
	if (b->without) /* what is left out takes others with it */
		return 0;
#endif
	for (int l = 0; l < LAYER_COUNT; l++) {
		enum layer layer = (enum layer)l;
		if (!layer_is_needed(layer, b->spec->tier) || b->layers & LAYER_BIT(l) ||
		    !box_wants(b, layer) || (layer == LAYER_EXECGATE && box_may_exec(b)))
			continue;
		err_set(err, ERR_LAYER, "a layer was not put in place");
		err_blame(err, layer_row(layer)->name);
		return -1;
	}
	return 0;
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

static void on_gate(struct run *r)
{
	struct err err;

	if ((!r->started && check_layers(r->box, &err) < 0) ||
	    gate_answer(&r->gate, r->box, &err) < 0) {
		fail_run(r, &err);
		return;
	}
	if (!r->started && r->gate.phase == GATE_RUN) {
		r->started = true;
		r->pids_seen = 1;
		arm(r, r->box->spec->limit[LIMIT_TIME]);
	}
	tell_refusals(r);
	if (r->gate.kill) {
		r->result.killed_by_rule = 1;
		end_box(r);
	}
}

static void check_cpu_time(struct run *r)
{
	uint64_t limit_ns = r->box->spec->limit[LIMIT_CPU_TIME] * 1000000U, used = 0;
	struct err err;

	if (!limit_ns || !r->box->cgroup.ops || r->killing || r->ended || r->done)
		return;
	if (cgroup_cpu_ns(&r->box->cgroup, &used) < 0) {
		err_errno(&err, ERR_LAYER, "reading the box's CPU time");
		err_blame(&err, "cgroup");
		fail_run(r, &err);
	} else if (used > limit_ns) {
		run_reached(&r->result, LIMIT_CPU_TIME, true);
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

/* Nobody is left whom the filter holds: memory and processes will not become more, only the CPU
 * time of their exit. Looking now saves the time later, when the caller waits. */
static void on_last_exit(struct run *r)
{
	gate_retire(&r->gate);
	if (!r->started || !r->box->cgroup.ops || cgroup_has_clock(&r->box->cgroup))
		return;
	cgroup_measure(&r->box->cgroup, &r->usage);
	r->measured = true;
}

static void fail_blind(struct run *r)
{
	struct err err;

	err_errno(&err, ERR_SYSTEM, "waiting for the box");
	fail_run(r, &err);
}

static void on_local(struct run *r)
{
	gate_answer_local(&r->gate);
	tell_refusals(r);
}

static void loop(struct run *r)
{
	while (!r->done) {
		struct pollfd fds[4 + LOCAL_MAX] = {
			{.fd = RESULT_FD, .events = POLLIN},
			{.fd = r->box->ctl, .events = POLLIN},
			{.fd = r->gate.listener, .events = POLLIN},
			{.fd = has_network(r) && !r->egress_gone ? EGRESS_FD : -1,
			 .events = POLLIN}};
		local_wait(r->gate.local, fds + 4);
		int n = poll(fds, has_network(r) ? ARRAY_SIZE(fds) : 4, next_timeout(r));
		if (n < 0 && errno != EINTR) {
			fail_blind(r);
			break;
		}
		if (fds[0].revents) { /* the caller is gone: nobody wants the result */
			r->abandoned = true;
			break;
		}
		if (fds[1].revents)
			on_init(r);
		if (!r->done && r->gate.listener >= 0 && (fds[2].revents & POLLIN))
			on_gate(r);
		else if (fds[2].revents & POLLHUP)
			on_last_exit(r);
		if (!r->done && fds[3].revents)
			on_egress(r);
		if (!r->done && has_network(r) && r->gate.listener >= 0)
			on_local(r);
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
	/* An init that died over its list has not told all of it. */
	res->changes_cut |= !r->told_all && r->box->spec->workspace == WORKSPACE_OVERLAY;

	res->wall_ms = r->gate.started_ns ? (end - r->gate.started_ns) / 1000000U : 0;
	res->layers = r->box->layers;
	res->denials_cut = r->gate.cut;
	snprintf(res->cgroup, sizeof(res->cgroup), "%s", cgroup_version(&r->box->cgroup));
	if (r->box->cgroup.ops)
		measure_cgroup(r);
	if (res->limit < LIMIT_COUNT)
		res->limit_value = r->box->spec->limit[res->limit];
}

static void tell(struct run *r)
{
	for (unsigned i = 0; i < r->gate.count; i++)
		if (i >= r->told || r->gate.denials[i].count > 1)
			io_send(RESULT_FD, &r->gate.denials[i], sizeof(r->gate.denials[i]), -1);
	io_send(RESULT_FD, &r->result, sizeof(r->result), -1);
}

/* All untrusted code is dead and reaped when the result goes out, and what the kernel would not
 * remove by itself is gone. Only our own init may still be on its way out: the caller need not wait
 * for that, and if we are killed now, it dies with us. Where there is more to remove, and for an
 * error, it goes out last. */
static int conclude(struct run *r, struct err *err)
{
	bool failed = r->failed, told = !failed && !r->abandoned;

	if (told)
		measure(r);
	if (told && r->ended && !run_is_in_cgroup(r) && !r->box->spec->private_dir) {
		cgroup_remove(&r->box->cgroup);
		tell(r);
		told = false;
	}
	*err = r->err;
	run_bury(r);
	if (told)
		tell(r);
	return failed ? -1 : 0;
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

int supervise(struct run *r, struct err *err)
{
	arm(r, SETUP_MS);
	/* Who keeps the clock waits for nobody: a call that cannot be passed on is answered so. */
	if (has_network(r))
		fcntl(EGRESS_FD, F_SETFL, O_NONBLOCK);
#ifdef CORDON_MUTANT
	if (!box_wants(r->box, LAYER_SECCOMP))
		start_without_gate(r);
#endif
	loop(r);
	return conclude(r, err);
}
