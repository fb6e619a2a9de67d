/* SPDX-License-Identifier: MIT
 *
 * Code becomes a plan: its bytes, exactly, under this policy, in this conversation. The hash is made
 * as a run makes it, so what was planned is what runs.
 */
#ifndef CORDON_FLOW_MINT_H
#define CORDON_FLOW_MINT_H

#include "flow/state.h"
#include "origin/plan.h"
#include "policy/policy.h"

#define MINT_TTL_US                                                                                \
	((uint64_t)24 * 3600 * 1000000) /* how long a plan is good for, if nobody says */
enum { MINT_RUNS = 1 };			/* and how often */

struct mint_ask {
	const char *file; /* "-": standard input */
	const char *lang; /* NULL: by the file's name */
	/* The runs' arguments, environment, programs, hosts and virtual environment: these exactly. */
	const struct request *with;
	unsigned caps; /* at most these, beside compute and what follows from that */
	uint32_t runs;
	uint64_t ttl_us;
	enum integrity least; /* what its inputs must at least be */
	enum secrecy most;    /* and how secret at most */
	const struct policy *policy;
};

/* *RET is what the token says; TOKEN has room for PLAN_TEXT_MAX. ERR_REFUSED:
 * something was read already, or the code makes code of what it is given. */
int mint_plan(struct gate_state *state, const struct domain *d, const struct mint_ask *ask,
	      struct plan *ret, char *token, struct err *err);

#endif
