/* SPDX-License-Identifier: MIT
 *
 * The end of a run: what it has used, and its result, which goes out when nothing untrusted lives.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/memory.h"
#include "box/supervise.h"
#include "box/sys.h"

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

	res->no_memory |= memory_was_out();
	res->wall_ms = r->gate.started_ns ? (end - r->gate.started_ns) / 1000000U : 0;
	res->layers = r->box->layers;
	res->denials_cut = r->gate.cut;
	snprintf(res->cgroup, sizeof(res->cgroup), "%s", cgroup_version(&r->box->cgroup));
	if (r->box->cgroup.ops)
		measure_cgroup(r);
	res->cpu_ms += run_work_ns(r) / 1000000U;
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

static void tell_gone(void)
{
	uint32_t kind = WIRE_GONE;

	io_send(RESULT_FD, &kind, sizeof(kind), -1);
}

/* All untrusted code is dead and reaped when the result goes out. The caller works on it while what the
 * kernel would not remove by itself goes, and is told of that too: if we are killed before, he removes it.
 * Only our own init may then still be on its way out: the caller need not wait for that, and if we are
 * killed now, it dies with us. Where there is more to remove, and for an error, the result goes out last. */
int run_conclude(struct run *r, struct err *err)
{
	bool failed = r->failed, told = !failed && !r->abandoned;

	gate_retire(&r->gate, r->box->spec->flags & SPEC_NET);
	if (told)
		measure(r);
	if (told && r->ended && !run_is_in_cgroup(r) && !r->box->spec->private_dir) {
		tell(r);
		cgroup_remove(&r->box->cgroup);
		tell_gone();
		told = false;
	}
	*err = r->err;
	run_bury(r);
	if (told) {
		tell(r);
		tell_gone();
	}
	return failed ? -1 : 0;
}
