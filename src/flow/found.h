/* SPDX-License-Identifier: MIT
 *
 * A person ends the doubt that a run has left which wrote what nobody remembers (origin/fileslost.h): they
 * have looked at what was changed since. Only people who may approve may say so, with their key, and
 * their word is in the log in the transaction that takes the row out.
 */
#ifndef CORDON_FLOW_FOUND_H
#define CORDON_FLOW_FOUND_H

#include "approval/approval.h"
#include "flow/state.h"
#include "model/report.h"
#include "origin/fileslost.h"
#include "policy/policy.h"

#define FOUND_REF "lost:files"	/* all records of what was lost, and of who ended it */
#define FOUND_SEVERAL "several" /* the row that many runs are in */
enum {
	FOUND_GRACE_MS = 60 * 1000, /* for a run to be over, beside its own time */
	FOUND_RECORDS_MAX = 65536,  /* that are looked at to see whether a row is missing */
};

struct found_ask {
	const char *run; /* "run:ID", its id alone, or FOUND_SEVERAL */
	const struct key *key;
	const struct approval_actor *actor;
	const struct policy *policy; /* single_user counts if the run was decided by it */
};

struct found {
	struct lost_run lost; /* what there was; of ALREADY only the run and since when */
	bool already;	      /* somebody had said it before, and nothing is written */
	char by[APPROVAL_NAME_MAX + 1];
	struct report_record record;
};

int found_say(struct gate_state *s, const struct found_ask *ask, struct found *ret,
	      struct err *err);

/* Runs that the log calls lost, whose row is gone though no person has signed for it: somebody has
 * written into the database. FN gets the run and since when. */
int found_missing_each(struct gate_state *s, lost_run_fn *fn, void *context, struct err *err);

#endif
