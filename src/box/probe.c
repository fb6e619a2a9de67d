/* SPDX-License-Identifier: MIT
 *
 * Doctor, the half that tries: one row per layer, one canary per row. Nothing here asks the kernel
 * for its version, and nothing is left behind: a canary's files have no name, its cgroup is
 * removed, its children are dead when it returns.
 */
#include "box/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/io.h"
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

/* A fresh world: nothing an earlier canary did to its own is in it. */
static void reset(struct probe *p, const struct box *b, uint32_t held, uint64_t deadline_ns)
{
	memset(p, 0, sizeof(*p));
	p->box = *b;
	p->box.spec = &p->spec;
	p->box.layers = 0;
	p->spec.tier = TIER_FULL; /* its limits are not counted over all of a user's processes */
	memcpy(p->spec.limit, b->spec->limit, sizeof(p->spec.limit));
	p->spec.cwd = "/";
	p->held = held;
	p->deadline_ns = deadline_ns;
	p->ctl = p->bait = -1;
}

static void explain(const struct canary *c, const struct err *err, struct wire_probe *ret)
{
	bool other = err->layer[0] && strcmp(err->layer, layer_row(c->layer)->name) != 0;
	/* A cause that only repeats the error number says less than what was being done. */
	bool plain =
		!err->cause[0] || (err->sys_errno && !strcmp(err->cause, strerror(err->sys_errno)));
	const char *cause = plain ? err->message : err->cause;

	snprintf(ret->cause, sizeof(ret->cause), "%s%s%.200s", other ? err->layer : "",
		 other ? ": " : "", cause);
	snprintf(ret->cure, sizeof(ret->cure), "%.255s", err->cure);
}

/* A layer that stands on a missing one is not tried; the reason is told there. */
static int check_needs(const struct canary *c, uint32_t held, struct err *err)
{
	for (int l = 0; l < LAYER_COUNT; l++)
		if (c->needs & ~held & LAYER_BIT(l))
			return err_set(err, ERR_LAYER, "it stands on %s, which is missing",
				       layer_row((enum layer)l)->name);
	return 0;
}

static uint64_t canary_deadline(uint64_t end_ns)
{
	uint64_t own = io_now_ns() + CANARY_MS * 1000000ULL;

	return own < end_ns ? own : end_ns;
}

int probe_all(struct box *b)
{
	AUTO_FREE struct probe *p = malloc(sizeof(*p));
	uint64_t end_ns = io_now_ns() + ALL_MS * 1000000ULL;
	uint32_t held = 0;

	if (!p)
		return -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(canaries); i++) {
		const struct canary *c = &canaries[i];
		struct wire_probe w = {.kind = WIRE_PROBE, .layer = (uint32_t)c->layer};
		struct err err;
		reset(p, b, held, canary_deadline(end_ns));
		w.active = check_needs(c, held, &err) == 0 && c->run(p, &err) == 0;
		if (w.active)
			held |= LAYER_BIT(c->layer);
		else
			explain(c, &err, &w);
		if (io_send(RESULT_FD, &w, sizeof(w), -1) < 0)
			return 0; /* nobody listens any more */
	}
	return 0;
}
