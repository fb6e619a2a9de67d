/* SPDX-License-Identifier: MIT
 *
 * Runs cordon-probe and keeps its answer for every layer. A layer without an answer is missing. A
 * tier works if all its layers are proven and a run in it succeeds: only a run shows whether the
 * layers work together on this host.
 */
#include "flow/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "live/enclose.h"

static void keep(void *ctx, const struct wire_probe *probe)
{
	struct doctor *d = ctx;

	if (probe->layer >= LAYER_COUNT)
		return;
	struct wire_probe *p = &d->probe[probe->layer];
	*p = *probe;
	p->cause[sizeof(p->cause) - 1] = p->cure[sizeof(p->cure) - 1] = '\0';
}

/* Lists the missing layers of the tier; false if none is missing. */
static bool list_missing(struct doctor *d, enum tier tier)
{
	char *cause = d->cause[tier];
	size_t size = sizeof(d->cause[tier]), len = 0;

	for (int l = 0; l < LAYER_COUNT; l++)
		if (layer_is_needed((enum layer)l, tier) && !d->probe[l].active && len < size)
			len += (size_t)snprintf(
				cause + len, size - len, "%s%s",
				len ? ", " : "missing: ", layer_row((enum layer)l)->name);
	return len > 0;
}

static bool has_layers(const struct result *r, enum tier tier)
{
	for (int l = 0; l < LAYER_COUNT; l++)
		if (layer_is_needed((enum layer)l, tier) && !(r->wire.layers & LAYER_BIT(l)))
			return false;
	return true;
}

static bool try_tier(struct doctor *d, enum tier tier, const char *program, struct result *r)
{
	struct launch_sink quiet = {0};
	struct request req;
	char *cause = d->cause[tier];
	size_t size = sizeof(d->cause[tier]);

	request_init(&req);
	req.lang = "binary";
	req.file = program;
	req.tier = tier;
	req.limit[LIMIT_TIME] = 10000;
	enclose_own(&req, &quiet, r);
	/* The exit status does not matter: a busybox may not know the name by which it is
	 * started. */
	bool ran = r->status == STATUS_EXITED && has_layers(r, tier);
	if (r->err.code)
		snprintf(cause, size, "a run of %s failed: %.200s%s%.200s", program, r->err.message,
			 r->err.cause[0] ? "; " : "", r->err.cause);
	else if (!ran)
		snprintf(cause, size, "a run of %s failed, or did not have all layers", program);
	return ran;
}

static int try_tiers(struct doctor *d, struct err *err)
{
	static const char *const programs[] = {"/usr/bin/true", "/bin/true"};
	AUTO_FREE struct result *r = calloc(1, sizeof(*r));
	size_t i = 0;

	if (!r)
		return err_memory(err);
	while (i < ARRAY_SIZE(programs) && access(programs[i], X_OK) < 0)
		i++;
	for (int t = 0; t < TIER_COUNT; t++) {
		if (list_missing(d, (enum tier)t))
			continue;
		/* Without a program to run, the probes of the layers must suffice. */
		d->works[t] = i == ARRAY_SIZE(programs);
		if (d->works[t])
			continue;
		d->works[t] = try_tier(d, (enum tier)t, programs[i], r);
		result_done(r);
	}
	return 0;
}

/* Uses the strongest tier that works and has its own network namespace. */
static void try_egress(struct doctor *d)
{
	struct wire_probe *p = &d->egress;
	struct err err;
	enum tier tier = d->works[TIER_FULL] ? TIER_FULL : TIER_NO_CGROUP;

	if (!d->works[tier])
		err_set(&err, ERR_LAYER, "it needs the tier %s or %s, and neither works here",
			tier_row(TIER_FULL)->name, tier_row(TIER_NO_CGROUP)->name);
	else if (doctor_try_egress(tier, &err) == 0)
		p->active = 1;
	if (p->active)
		return;
	snprintf(p->cause, sizeof(p->cause), "%.120s%s%.120s", err.message,
		 err.cause[0] ? ": " : "", err.cause);
	snprintf(p->cure, sizeof(p->cure), "%.255s", err.cure);
}

int doctor_run(struct doctor *ret, struct err *err)
{
	struct launch_sink sink = {.probe = keep, .ctx = ret};

	for (int l = 0; l < LAYER_COUNT; l++)
		snprintf(ret->probe[l].cause, sizeof(ret->probe[l].cause),
			 "cordon-probe ended before it was tried");
	if (launch_probe(&sink, err) < 0)
		return -1;
	if (try_tiers(ret, err) < 0)
		return -1;
	try_egress(ret);
	return 0;
}
