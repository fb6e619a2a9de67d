/* SPDX-License-Identifier: MIT
 *
 * The sentence: request -> origin -> scan -> decide -> (approve) -> box -> result -> effects -> audit. Every
 * door speaks it, and there is no other way to a box. A run that cannot be prepared, decided,
 * recorded, started or concluded is an error with a reason, never half a success.
 */
#include "flow/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/scope.h"
#include "flow/apply.h"
#include "flow/enclose_private.h"
#include "flow/gate.h"
#include "flow/talk.h"

struct sentence {
	const struct request *req;
	const struct launch_sink *sink;
	struct gate gate;
	struct blueprint bp;
	struct launch box;
	struct overlay overlay; /* what earlier runs of the conversation changed */
	struct request guess;	/* what it is confined to if nothing is found in it */
	bool waits;		/* a box for GUESS was begun before the decision, at BEGUN_NS */
	uint64_t begun_ns;
	struct result *result;
};

/* An expired request is denied, with a record. Another process may do the same at once: try again. */
static int load_settled(struct gate *g, struct approval *ret, struct err *err)
{
	for (int i = 1; i <= GATE_TRIES_MAX; i++) {
		approval_done(ret);
		if (approval_load(g->state.store, g->report->approval, ret, err) < 0)
			return -1;
		if (approval_settle(g->state.store, ret, g->state.keeper.now_us() / 1000, err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
		gate_pause(i);
	}
	err_set(err, ERR_CONFLICT,
		"not run: the request %s was changed %d times while it was looked at",
		g->report->approval, GATE_TRIES_MAX);
	err_cure(err, "cordon approvals show %s; then run it again", g->report->approval);
	return -1;
}

/* Until they have answered. -1: they said no, or nothing in time; whether they said yes to this is
 * looked up again. */
static int wait_for_people(struct gate *g, struct err *err)
{
	struct timespec pause = {.tv_nsec = GATE_WAIT_MS * 1000000L};
	enum approval_state state = APPROVAL_PENDING;

	while (state == APPROVAL_PENDING) {
		AUTO_APPROVAL struct approval a = {0};
		nanosleep(&pause, NULL);
		if (load_settled(g, &a, err) < 0)
			return -1;
		state = (enum approval_state)a.status.state;
		if (state == APPROVAL_DENIED || state == APPROVAL_EXPIRED) {
			err_set(err, ERR_REFUSED, "not run: the request %s is %s", a.id,
				approval_state_name(state));
			if (a.status.reason && *a.status.reason)
				err_cause(err, "%.300s", a.status.reason);
			return -1;
		}
	}
	return 0;
}

static int begin_box(struct sentence *s, struct err *err)
{
	return s->box.pid ? 0 : launch_begin(&s->box, err);
}

/* Another box, for the same bytes: the one that waits is dropped. */
static int begin_again(struct sentence *s, struct err *err)
{
	struct report *report = s->result->report;

	launch_abandon(&s->box);
	s->box = LAUNCH_NONE;
	s->waits = false;
	s->result->report = NULL;
	result_done(s->result);
	result_init(s->result);
	s->result->report = report;
	blueprint_again(&s->bp);
	return begin_box(s, err);
}

/* Starts the box that code without a finding would get, which is what most code is: its interpreter
 * reads the code and then waits for a word from us. We stay out of the way until that starts, because
 * the box takes two cores to build; afterwards there is more than enough time. */
static int begin_early(struct sentence *s, struct err *err)
{
	struct timespec pause = {.tv_nsec = GATE_START_US * 1000L};
	struct err ignored;

	/* The conversation's changes of a workspace are not known yet. */
	bool has_changes = s->req->workspace && s->req->conversation;
	if (has_changes || !talk_can(&s->bp, s->req) || !gate_guess(&s->gate, &s->guess))
		return 0;
	s->bp.talks = true;
	s->waits = blueprint_make(&s->bp, &s->guess, &ignored) == 0 && !s->bp.own.missing &&
		   launch_start(&s->box, &s->bp, s->sink, s->result, &ignored) == 0;
	if (!s->waits)
		return begin_again(s, err);
	s->begun_ns = io_now_ns();
	nanosleep(&pause, NULL);
	return 0;
}

/* Any doubt about what it says, and nothing was heard. */
static bool hear(struct sentence *s, struct code_view *ret)
{
	AUTO_FREE char *answer = NULL;
	size_t len = 0;
	struct err ignored;

	return talk_hear(&s->box, &s->bp, &answer, &len) == 0 &&
	       view_answer(answer, len, ret, &ignored) == 0 && ret->state == CODE_VIEW_WHOLE;
}

/* scan: code is read by the interpreter that will run it, if that can be; else in a box of its own. */
static int scan(struct sentence *s, struct err *err)
{
	struct code_view view = {0};

	if (s->waits && gate_rules(&s->gate, err) < 0) /* there is time now */
		return -1;
	bool heard = s->waits && hear(s, &view);
	int r = s->waits && !heard ? begin_again(s, err) : 0;
	if (r == 0)
		r = gate_scan(&s->gate, heard ? &view : NULL, err);
	view_done(&view);
	return r;
}

/* Before a person is asked or a ticket is used: a run that cannot be prepared costs nothing, and what
 * people agree to is what is open here. */
static int draw(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	if (!s->waits || !policy_confined_alike(&s->guess, &g->confined)) {
		if (s->waits && begin_again(s, err) < 0)
			return -1;
		blueprint_again(&s->bp);
		if (blueprint_make(&s->bp, &g->confined, err) < 0)
			return -1;
	}
	return gate_check_given(g, err) < 0 ? -1 : apply_open(g, &s->bp, &s->overlay, err);
}

/* 0: it may start, and its record says so. 1: a person is asked. ERR_CONFLICT: the conversation or a
 * directory has changed, and all of it is to be decided again. */
static int decide_once(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	if (gate_origin(g, err) < 0 || gate_decide(g, err) < 0 || draw(s, err) < 0)
		return -1;
	int asked = gate_approve(g, err);
	if (asked)
		return asked;
	if (g->has_approval && draw(s, err) < 0) /* with what was agreed to */
		return -1;
	return gate_log_start(g, err);
}

/* What was known may have changed since it was read. */
static int decide_again(struct sentence *s, struct err *err)
{
	*err = (struct err){0};
	return gate_facts(&s->gate, &s->bp, err) < 0 ? -1 : decide_once(s, err);
}

/* What the store says is about one of its items. */
static int too_busy(struct err *err)
{
	err_set(err, ERR_CONFLICT,
		"not run: this conversation changed %d times while it was decided on",
		GATE_TRIES_MAX);
	err_cause(err, "something is read, run or approved in it all the time");
	err_cure(err, "try again when it is quiet; one that has read less is decided on faster");
	return -1;
}

/* Each answer was for a request that had changed meanwhile. */
static int asked_too_often(struct err *err)
{
	err_set(err, ERR_CONFLICT, "not run: people were asked %d times", GATE_TRIES_MAX);
	err_cause(err, "what they agreed to was no longer the same when they had answered: its "
		       "workspace, the policy, or what was read in its conversation");
	err_cure(err,
		 "let nothing change while people are asked; or run it without --wait, and again "
		 "when they have agreed");
	return -1;
}

/* Waits for the answer. A waiting box is dropped first: its clock runs. */
static int ask(struct sentence *s, struct err *err)
{
	if (s->sink->pending)
		s->sink->pending(s->sink->ctx, s->result->report);
	if ((s->waits && begin_again(s, err) < 0) || wait_for_people(&s->gate, err) < 0)
		return -1;
	if (gate_policy_again(&s->gate, err) < 0)
		return -1;
	own_paths_find(&s->bp.own, s->req, &s->gate.policy, &s->bp.arena);
	return 0;
}

/* decide, (approve) */
static int decide(struct sentence *s, struct err *err)
{
	int r = decide_once(s, err), asked = 0, moved = 0;

	for (;; r = decide_again(s, err)) {
		if (r == 1 && s->req->wait) {
			if (++asked == GATE_TRIES_MAX)
				return asked_too_often(err);
			if (ask(s, err) < 0)
				return -1;
			moved = 0;
		} else if (r < 0 && err->code == ERR_CONFLICT) {
			if (++moved == GATE_TRIES_MAX)
				return too_busy(err);
			gate_pause(moved);
		} else {
			return r;
		}
	}
}

/* A run that the policy allowed but another check refused is reported as denied. */
static void report_refusal(struct report *r, const struct err *err)
{
	if (err->code != ERR_REFUSED || !r->has_verdict || r->verdict == VERDICT_DENY)
		return;
	r->verdict = VERDICT_DENY;
	report_reason(r, arena_printf(&r->arena, "refused: %s", err->message));
}

/* A run that is refused is recorded too. If recording fails, that is added to the error. */
static int stop(struct sentence *s, int asked, struct err *err)
{
	bool is_known = s->gate.state.store && s->bp.profile;
	struct err why;

	/* What was decided without some of the facts is not a verdict. */
	if (asked < 0 && memory_check(err) < 0)
		s->result->report->has_verdict = false;
	if (asked < 0)
		report_refusal(s->result->report, err);
	s->result->recorded =
		is_known && gate_log_refusal(&s->gate, asked > 0 ? NULL : err, &why) == 0;
	/* A rule may end the conversation, or take its grants. */
	if (s->result->recorded && asked < 0)
		gate_carry_out(&s->gate, err);
	if (is_known && !s->result->recorded) {
		if (asked > 0)
			*err = why;
		else
			err_cause(err, "and it is on no record: %.100s: %.200s", why.message,
				  why.cause);
		s->result->report->run[0] = '\0';
		return -1;
	}
	if (asked > 0)
		s->result->status = STATUS_PENDING;
	return asked > 0 ? 0 : -1;
}

/* Its clocks run, and the program's time is the program's. Interpreter and reader are two at most. */
static bool has_time(const struct sentence *s)
{
	uint64_t gone_ms = (io_now_ns() - s->begun_ns) / 1000000U;
	const uint64_t *limit = s->bp.spec.limit;

	return gone_ms * GATE_TIME_SHARE <= limit[LIMIT_TIME] &&
	       (!limit[LIMIT_CPU_TIME] || 2 * gone_ms * GATE_TIME_SHARE <= limit[LIMIT_CPU_TIME]);
}

static void say_started(const struct sentence *s)
{
	s->result->ran = RAN_PERHAPS;
	if (s->sink->started)
		s->sink->started(s->sink->ctx, s->result->report);
}

/* box: the one that waits, if it does; another was drawn if that is not the one decided on. */
static int enclosed(struct sentence *s, struct err *err)
{
	if (memory_is_out())
		return err_memory(err);
	if (s->waits && has_time(s) && launch_is_waiting(&s->box)) {
		say_started(s);
		talk_let(&s->bp);
		if (launch_finish(&s->box, &s->bp, err) < 0)
			return -1;
		enclose_conclude(&s->bp, s->result);
		return 0;
	}
	if (s->waits && (begin_again(s, err) < 0 || draw(s, err) < 0))
		return -1;
	if (own_paths_make(&s->bp.own, &s->bp.spec, err) < 0 ||
	    gate_open_outside(&s->gate, &s->bp.outside, err) < 0 ||
	    secrets_name(&s->bp.outside, &s->bp.spec, err) < 0)
		return -1;
	say_started(s);
	return enclose(&s->bp, &s->box, s->sink, s->result, err);
}

/* If memory ran out meanwhile, that is why it did not run; or what it printed, changed or was refused
 * may not be all there. What a write back says of itself stays. */
static int tell_memory(const struct result *r, int ran, struct err *err)
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
		err_context(
			err,
			"the program did run (%s, status %d), but not all of its result is known",
			status_name(r->status), result_exit_status(r));
	return -1;
}

/* An approval for one run is used up before the program starts, even if the box then fails. Say so in the
 * cure. */
static void tell_spent(const struct gate *g, struct err *err)
{
	char cure[sizeof(err->cure)];

	if (!g->has_approval || g->approval.scope != SCOPE_ONCE)
		return;
	memcpy(cure, err->cure, sizeof(cure));
	err_cure(err, "%.200s%sthen ask again: the approval %s was for one run and is used up",
		 cure, cure[0] ? "; " : "", g->approval.id);
}

/* effects, audit. A run whose result could not be recorded is an error, and not "refused": the program did
 * run. */
static int record(struct sentence *s, int ran, struct err *err)
{
	struct gate *g = &s->gate;
	struct result *r = s->result;
	bool did_run = ran == 0;
	struct err why;

	if (gate_expose_late(g, &why) < 0 && ran == 0) {
		*err = why;
		ran = -1;
	}
	/* What a program wrote to the directory itself is looked at, however its run ended. */
	if (ran == 0)
		ran = apply_result(g, &s->overlay, r, err);
	else if (g->confined.workspace_mode == WORKSPACE_RW)
		(void)!apply_result(g, &s->overlay, r, &why);
	r->recorded = gate_log_result(g, r, &why) == 0;
	if (r->recorded && gate_ingest_output(g, r, &why) == 0)
		return ran;
	memory_check(did_run && ran < 0 ? err : &why);
	const char *lost = r->recorded ? "what it printed" : "its result";
	if (!did_run) {
		char cause[sizeof(err->cause)];
		memcpy(cause, err->cause, sizeof(cause));
		err_cause(err, "%.150s%s%s is on no record: %.150s", cause,
			  cause[0] ? "; and " : "", lost, why.message);
		return -1;
	}
	if (ran == 0)
		*err = why;
	err->code = ERR_SYSTEM;
	err_context(err, "the program did run (%s, status %d), but %s is on no record",
		    status_name(r->status), result_exit_status(r), lost);
	if (!err->cure[0])
		err_cure(err, "look at what it did before it runs again; its start is on record");
	return -1;
}

static int speak(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	/* Start cordon-box first; it initialises while we prepare the request. */
	if (begin_box(s, err) < 0 || gate_open(g, s->req, s->result->report, err) < 0 ||
	    blueprint_begin(&s->bp, s->req, &g->policy, err) < 0 ||
	    payload_know(&s->bp.payload, err) < 0)
		return -1;
	if (begin_early(s, err) < 0 || gate_open_state(g, err) < 0)
		return -1;
	if (gate_facts(g, &s->bp, err) < 0 || scan(s, err) < 0)
		return stop(s, -1, err);
	int asked = decide(s, err);
	if (asked)
		return stop(s, asked, err);
	int ran = tell_memory(s->result, enclosed(s, err), err);
	if (ran < 0) {
		tell_spent(g, err);
		enclose_fail(s->result, err);
	}
	return record(s, ran, err);
}

void flow_run(const struct request *req, struct launch *box, const struct launch_sink *sink,
	      struct result *ret)
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
	s->box = launch_take(box);
	s->gate.state.dir = -1;
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
