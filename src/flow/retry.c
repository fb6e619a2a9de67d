/* SPDX-License-Identifier: MIT
 *
 * See retry.h. Each attempt is one transaction of the store, which fails if a fact has changed.
 */
#include "flow/retry.h"

#include "flow/apply.h"
#include "flow/early.h"
#include "flow/live_run.h"

int retry_prepare_box(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	if (s->starts_in_box)
		return live_run_check(s, err);
	if (early_blueprint(s, err) < 0 || gate_check_inputs(g, err) < 0)
		return -1;
	return apply_open(g, &s->bp, &s->overlay, err);
}

/* 0: the run may start, and its record is written. 1: a person is asked. ERR_CONFLICT: the
 * conversation or a directory has changed. */
static int decide_once(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	if (gate_origin(g, err) < 0 || gate_decide(g, err) < 0 || retry_prepare_box(s, err) < 0)
		return -1;
	int asked = gate_approve(g, !s->starts_in_box, err);
	if (asked)
		return asked;
	if (g->question.has_approval &&
	    retry_prepare_box(s, err) < 0) /* with the approved effects */
		return -1;
	return gate_log_start(g, err);
}

static int decide_again(struct sentence *s, struct err *err)
{
	*err = (struct err){0};
	return gate_facts(&s->gate, &s->bp, err) < 0 ? -1 : decide_once(s, err);
}

static int changed_too_often(struct err *err)
{
	err_set(err, ERR_CONFLICT,
		"not run: the conversation or a directory changed during each of %d attempts",
		GATE_TRIES_MAX);
	err_cause(err, "other runs, documents or approvals of this conversation come at once");
	err_cure(err, "try again when they have ended");
	return -1;
}

static int asked_too_often(struct err *err)
{
	err_set(err, ERR_CONFLICT, "not run: people were asked %d times", GATE_TRIES_MAX);
	err_cause(err, "each time the workspace, the policy or the conversation had changed before "
		       "they answered");
	err_cure(err, "change nothing while people are asked; or run it without --wait, and again "
		      "when they have approved it");
	return -1;
}

/* Ends the early box first, because an answer may take hours. */
static int wait_for_answer(struct sentence *s, struct err *err)
{
	if (s->sink->pending)
		s->sink->pending(s->sink->ctx, s->result->report);
	if (early_drop(s, err) < 0 || gate_wait_for_people(&s->gate, err) < 0 ||
	    gate_policy_again(&s->gate, err) < 0)
		return -1;
	own_paths_find(&s->bp.own, s->req, &s->gate.policy, &s->bp.arena);
	return 0;
}

int retry_decide(struct sentence *s, struct err *err)
{
	int r = decide_once(s, err), asked = 0, changed = 0;

	for (;; r = decide_again(s, err)) {
		if (r == 1 && s->req->wait) {
			if (++asked == GATE_TRIES_MAX)
				return asked_too_often(err);
			if (wait_for_answer(s, err) < 0)
				return -1;
			changed = 0;
		} else if (r < 0 && err->code == ERR_CONFLICT) {
			if (++changed == GATE_TRIES_MAX)
				return changed_too_often(err);
			gate_pause(changed);
		} else {
			return r;
		}
	}
}
