/* SPDX-License-Identifier: MIT
 *
 * See run_record.h. A program that ran is never reported as refused.
 */
#include "flow/run_record.h"

#include <string.h>

#include "base/memory.h"
#include "flow/apply.h"
#include "flow/ingest.h"
#include "flow/live_run.h"
#include "live/enclose.h"

/* If another check refuses a run that the policy allows, the verdict is deny. */
static void report_refusal(struct report *r, const struct err *err)
{
	if (err->code != ERR_REFUSED || !r->has_verdict || r->verdict == VERDICT_DENY)
		return;
	r->verdict = VERDICT_DENY;
	report_reason(r, arena_printf(&r->arena, "refused: %s", err->message));
}

int run_record_refusal(struct sentence *s, int asked, struct err *err)
{
	bool can_record = s->gate.state.store && s->bp.profile;
	struct err why;

	/* Without all the facts there is no verdict. */
	if (asked < 0 && memory_check(err) < 0)
		s->result->report->has_verdict = false;
	if (asked < 0)
		report_refusal(s->result->report, err);
	s->result->recorded =
		can_record && gate_log_refusal(&s->gate, asked > 0 ? NULL : err, &why) == 0;
	/* A rule may end the conversation or revoke its grants. */
	if (s->result->recorded && asked < 0) {
		gate_carry_out(&s->gate, err);
		if (live_run_stop_ended(&s->gate.state, &s->gate.facts.conversation, &why) < 0)
			err_cause(err, "and a box of the conversation goes on: %.200s",
				  why.message);
	}
	if (can_record && !s->result->recorded) {
		if (asked > 0)
			*err = why;
		else
			err_cause(err, "and the refusal is not recorded: %.100s: %.200s",
				  why.message, why.cause);
		s->result->report->run[0] = '\0';
		return -1;
	}
	if (asked > 0)
		s->result->status = STATUS_PENDING;
	return asked > 0 ? 0 : -1;
}

/* If memory ran out during the run, that is the error: a part of the result may be missing. */
static int check_memory(const struct result *r, int ran, struct err *err)
{
	struct err why;

	if (memory_check(&why) == 0)
		return ran;
	if (ran < 0 && r->ran == RAN_ENDED) {
		err_cause(err, "%s", why.message);
		return -1;
	}
	*err = why;
	if (r->ran == RAN_ENDED)
		err_context(err,
			    "the program did run (%s, status %d), but some of its result is lost",
			    status_name(r->status), result_exit_status(r));
	return -1;
}

/* Starting the program uses up an approval for one run, even if the box then fails. */
static void add_spent_cure(const struct gate *g, struct err *err)
{
	char cure[sizeof(err->cure)];

	if (!g->question.has_approval ||
	    approval_scope_lasts(&g->question.approval.request, g->question.approval.scope))
		return;
	memcpy(cure, err->cure, sizeof(cure));
	err_cure(err, "%.200s%sthen ask again: the approval %s was for one run and is used up",
		 cure, cure[0] ? "; " : "", g->question.approval.id);
}

static int lost_record(const struct sentence *s, int ran, bool did_run, struct err *why,
		       struct err *err)
{
	const struct result *r = s->result;
	const char *lost = r->recorded ? "its output" : "its result";

	memory_check(did_run && ran < 0 ? err : why);
	if (!did_run) {
		char cause[sizeof(err->cause)];
		memcpy(cause, err->cause, sizeof(cause));
		err_cause(err, "%.150s%s%s is not recorded: %.150s", cause,
			  cause[0] ? "; and " : "", lost, why->message);
		return -1;
	}
	if (ran == 0)
		*err = *why;
	err->code = ERR_SYSTEM;
	err_context(err, "the program did run (%s, status %d), but %s is not recorded",
		    status_name(r->status), result_exit_status(r), lost);
	if (!err->cure[0])
		err_cure(err, "check what it did before you run it again; its start is recorded");
	return -1;
}

static void add_cause(struct err *err, const struct err *why)
{
	char cause[sizeof(err->cause)];

	memcpy(cause, err->cause, sizeof(cause));
	err_cause(err, "%.180s%s%.180s", cause, cause[0] ? "; and " : "", why->message);
}

int run_record_result(struct sentence *s, int ran, struct err *err)
{
	struct gate *g = &s->gate;
	struct result *r = s->result;
	struct err why;

	ran = check_memory(r, ran, err);
	if (ran < 0) {
		add_spent_cure(g, err);
		enclose_fail(r, err);
	}
	bool did_run = ran == 0;
	if (gate_expose_late(g, &why) < 0 && ran == 0) {
		*err = why;
		ran = -1;
	}
	size_t effects = g->report->effectc;
	/* After a direct write, its directories are checked however the run ended. */
	if (ran == 0)
		ran = apply_result(g, &s->overlay, r, err);
	if (ran == 0)
		ran = apply_wait(g, &s->overlay, s->bp.workspace, s->sink, effects, err);
	else if (!did_run && apply_collect(g, &s->overlay, &why) < 0)
		add_cause(err, &why);
	if (did_run && ran < 0)
		err_context(err, "the program did run (%s, status %d)", status_name(r->status),
			    result_exit_status(r));
	r->recorded = gate_log_result(g, r, &why) == 0;
	if (r->recorded && ingest_output(g, r, &why) == 0)
		return ran;
	return lost_record(s, ran, did_run, &why, err);
}
