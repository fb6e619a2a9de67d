/* SPDX-License-Identifier: MIT
 *
 * The sentence: request -> scan -> origin -> decide -> (approve) -> box -> result -> effects ->
 * audit. Every door calls flow_run, and no other code starts a box for a request. If any step
 * fails, the run is an error with a reason, never half a success.
 */
#include "flow/run.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"
#include "flow/apply.h"
#include "flow/early.h"
#include "flow/live_run.h"
#include "flow/retry.h"
#include "flow/run_record.h"
#include "flow/sentence.h"
#include "live/enclose.h"

/* If possible, the interpreter that will run the code parses it. Otherwise a box of its own
 * does. */
static int scan(struct sentence *s, struct err *err)
{
	struct code_view view = {0};

	if (s->is_early && gate_rules(&s->gate, err) < 0) /* while the interpreter starts */
		return -1;
	int has_view = early_view(s, &view, err);
	int r = has_view < 0 ? -1 : gate_scan(&s->gate, has_view ? &view : NULL, err);
	code_view_done(&view);
	return r;
}

static void announce_start(const struct sentence *s)
{
	s->result->ran = RAN_PERHAPS;
	s->result->executes_any = s->bp.spec.flags & SPEC_DEV;
	if (s->sink->started)
		s->sink->started(s->sink->ctx, s->result->report);
}

/* Starts cordon-egress if the run may connect. */
static int open_network(struct sentence *s, struct err *err)
{
	const struct request *r = &s->gate.decision.confined;
	struct egress_process *egress = &s->bp.egress;

	if (!request_connects(r))
		return 0;
	if (s->kept && kept_box_egress(s->kept, egress, err) < 0)
		return -1;
	return egress_process_open(egress, &s->gate.policy, r, err) < 0
		       ? -1
		       : secrets_add_env(egress, &s->bp.spec, err);
}

/* Uses the early box if it is ready and has the spec that was decided on. Otherwise starts a new
 * one. */
static int box(struct sentence *s, struct err *err)
{
	if (memory_is_out())
		return err_memory(err);
	if (s->starts_in_box) {
		announce_start(s);
		return live_run_start(s, err);
	}
	if (early_is_ready(s)) {
		announce_start(s);
		return early_finish(s, err);
	}
	if (s->is_early && (early_drop(s, err) < 0 || retry_prepare_box(s, err) < 0))
		return -1;
	if (own_paths_make(&s->bp.own, &s->bp.spec, err) < 0 || open_network(s, err) < 0)
		return -1;
	announce_start(s);
	if (s->kept)
		return live_run_create(s, err);
	if (s->req->rows)
		return live_run_alone(s, err);
	return enclose(&s->bp, &s->box, s->sink, s->result, err);
}

static int speak(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	/* request */
	if (early_begin_box(s, err) < 0 || gate_open(g, s->req, s->result->report, err) < 0 ||
	    blueprint_begin(&s->bp, s->req, &g->policy, err) < 0 ||
	    payload_hash(&s->bp.payload, err) < 0 || early_begin(s, err) < 0 ||
	    gate_open_state(g, err) < 0)
		return -1;
	/* scan */
	if (gate_facts(g, &s->bp, err) < 0 || scan(s, err) < 0)
		return run_record_refusal(s, -1, err);
	/* origin, decide, (approve) */
	int asked = retry_decide(s, err);
	if (asked)
		return run_record_refusal(s, asked, err);
	/* box, result */
	int ran = box(s, err);
	/* effects, audit */
	return run_record_result(s, ran, err);
}

static void run(const struct request *req, struct launch *box, struct kept_box *kept,
		struct gate_session *session, const struct launch_sink *sink, struct result *ret)
{
	AUTO_PAGES struct sentence *s = pages_new(sizeof(*s));
	struct err err;

	result_init(ret);
	ret->report = calloc(1, sizeof(*ret->report));
	if (!s || !ret->report) {
		err_memory(&ret->err);
		return;
	}
	s->req = req;
	s->sink = sink;
	s->result = ret;
	s->box = box ? launch_take(box) : LAUNCH_NONE;
	s->kept = kept;
	s->starts_in_box = kept && !req->creates_box;
	s->gate.state.dir = -1;
	s->gate.session = session;
	s->overlay = (struct overlay)OVERLAY_CLOSED;
	blueprint_init(&s->bp);
	if (speak(s, &err) < 0) {
		struct err lost;
		if (memory_check(&lost) < 0 && ret->ran == RAN_NOT)
			err = lost;
		enclose_fail(ret, &err);
	}
	if (req->conversation)
		overlay_close(&s->overlay);
	else
		overlay_close_last(&s->overlay, s->gate.state.dir, s->bp.workspace);
	gate_close(&s->gate);
	blueprint_done(&s->bp);
	if (s->box.has_result)
		launch_leave(&s->box);
	else
		launch_abandon(&s->box);
}

void flow_begin_box(struct launch *box)
{
	struct err untold; /* flow_run begins a box again and reports the error */

	if (launch_begin(box, &untold) < 0)
		launch_abandon(box);
}

void flow_drop_box(struct launch *box)
{
	launch_abandon(box);
}

void flow_run(const struct request *req, struct launch *box, const struct launch_sink *sink,
	      struct result *ret)
{
	run(req, box, NULL, NULL, sink, ret);
}

void flow_run_live(const struct request *req, struct kept_box *kept, struct gate_session *session,
		   const struct launch_sink *sink, struct result *ret)
{
	run(req, NULL, kept, session, sink, ret);
}
