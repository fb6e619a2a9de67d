/* SPDX-License-Identifier: MIT
 *
 * cordon-probe: tries what each layer must stop, for `cordon doctor`. One row per layer, one canary
 * per row. It puts layers in place with the code of cordon-box, one at a time, so that one missing
 * layer does not hide the others. It runs no program but itself, never asks the kernel for its
 * version, and leaves nothing behind: a canary's files have no name, its cgroup is removed, and its
 * children are dead when it returns.
 */
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"

enum {
	CANARY_MS = 8000, /* usually a few; an emulated, busy machine needs seconds */
	ALL_MS = 60000,
};

struct canary {
	enum layer layer;
	uint32_t needs; /* layers without which it cannot be tried */
	probe_fn *run;
};

#define NEEDS(l) LAYER_BIT(LAYER_##l)

static const struct canary canaries[] = {
	{LAYER_USERNS, 0, probe_userns},
	{LAYER_MOUNTNS, NEEDS(USERNS), probe_mountns},
	{LAYER_PIDNS, NEEDS(USERNS), probe_pidns},
	{LAYER_NETNS, NEEDS(USERNS), probe_netns},
	{LAYER_IPCNS, NEEDS(USERNS), probe_ipcns},
	{LAYER_UTSNS, NEEDS(USERNS), probe_utsns},
	{LAYER_CGROUPNS, NEEDS(USERNS), probe_cgroupns},
	{LAYER_NEWROOT, PROBE_ALL_SPACES, probe_newroot},
	{LAYER_NOEXEC, PROBE_ALL_SPACES | NEEDS(NEWROOT), probe_noexec},
	{LAYER_SESSION, 0, probe_session},
	{LAYER_FDS, 0, probe_fds},
	{LAYER_ENV, 0, probe_env},
	{LAYER_CAPS, 0, probe_caps},
	{LAYER_NNP, 0, probe_nnp},
	{LAYER_DUMPABLE, 0, probe_dumpable},
	{LAYER_RLIMITS, 0, probe_rlimits},
	{LAYER_CGROUP, 0, probe_cgroup},
	{LAYER_LANDLOCK, 0, probe_landlock},
	{LAYER_SECCOMP, 0, probe_seccomp},
	{LAYER_EXECGATE, 0, probe_execgate},
	{LAYER_MEMFD, NEEDS(USERNS) | NEEDS(PIDNS), probe_memfd},
};

/* A fresh state, with nothing of an earlier canary in it. */
static void reset(struct probe *p, const struct box *b, uint32_t proven, uint64_t deadline_ns)
{
	memset(p, 0, sizeof(*p));
	p->box = *b;
	p->box.spec = &p->spec;
	p->box.layers = 0;
	p->spec.tier = TIER_FULL; /* its limits are not counted over all of a user's processes */
	memcpy(p->spec.limit, b->spec->limit, sizeof(p->spec.limit));
	p->spec.cwd = "/";
	p->proven = proven;
	p->deadline_ns = deadline_ns;
	p->ctl = p->bait = -1;
}

static void explain(const struct canary *c, const struct err *err, struct wire_probe *ret)
{
	bool other = err->layer[0] && strcmp(err->layer, layer_row(c->layer)->name) != 0;
	/* The message says more than a cause that only repeats errno. */
	bool plain =
		!err->cause[0] || (err->sys_errno && !strcmp(err->cause, strerror(err->sys_errno)));
	const char *cause = plain ? err->message : err->cause;

	snprintf(ret->cause, sizeof(ret->cause), "%s%s%.200s", other ? err->layer : "",
		 other ? ": " : "", cause);
	snprintf(ret->cure, sizeof(ret->cure), "%.255s", err->cure);
}

/* A layer that depends on a missing one is not tried; the missing one has the cause. */
static int check_needs(const struct canary *c, uint32_t proven, struct err *err)
{
	for (int l = 0; l < LAYER_COUNT; l++)
		if (c->needs & ~proven & LAYER_BIT(l))
			return err_set(err, ERR_LAYER, "it depends on %s, which is missing",
				       layer_row((enum layer)l)->name);
	return 0;
}

static uint64_t canary_deadline(uint64_t end_ns)
{
	uint64_t own = io_now_ns() + CANARY_MS * 1000000ULL;

	return own < end_ns ? own : end_ns;
}

static int probe_all(struct box *b)
{
	AUTO_FREE struct probe *p = malloc(sizeof(*p));
	uint64_t end_ns = io_now_ns() + ALL_MS * 1000000ULL;
	uint32_t proven = 0;

	if (!p)
		return -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(canaries); i++) {
		const struct canary *c = &canaries[i];
		struct wire_probe w = {.kind = WIRE_PROBE, .layer = (uint32_t)c->layer};
		struct err err;
		reset(p, b, proven, canary_deadline(end_ns));
		w.active = check_needs(c, proven, &err) == 0 && c->run(p, &err) == 0;
		if (w.active)
			proven |= LAYER_BIT(c->layer);
		else
			explain(c, &err, &w);
		if (io_send(RESULT_FD, &w, sizeof(w), -1) < 0)
			return 0; /* cordon is gone */
	}
	return 0;
}

static int run(struct box *b, struct spec *spec, struct err *err)
{
	if (!spec)
		return err_memory(err);
	if (intake_receive(spec, err) < 0)
		return -1;
	if (spec->job != JOB_PROBE)
		return err_set(err, ERR_INPUT,
			       "cordon-probe runs no program: that is cordon-box's job");
	b->spec = spec;
	return ids_choose(b, err) < 0 ? -1 : probe_all(b);
}

int main(void)
{
	struct box box = BOX_INIT;
	AUTO_PAGES struct spec *spec = pages_new(sizeof(*spec));
	struct wire_error msg = {.kind = WIRE_ERROR};

#ifdef CORDON_MUTANT
	mutant_configure(&box);
#endif
	if (inherit_reset(&box, "cordon-probe is started by cordon doctor; see cordon(1)\n") < 0)
		return 125;
	if (run(&box, spec, &msg.err) == 0)
		return 0;
	io_send(RESULT_FD, &msg, sizeof(msg), -1);
	return 125;
}
