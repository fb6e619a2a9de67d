/* SPDX-License-Identifier: MIT
 *
 * The sentence: request -> origin -> scan -> decide -> (approve) -> box -> result -> audit. Every
 * door speaks it, and there is no other way to a box. A run that cannot be prepared, decided,
 * recorded, started or concluded is an error with a reason, never half a success.
 */
#include "flow/run.h"

#include <stdlib.h>
#include <time.h>

#include "base/pages.h"
#include "base/scope.h"
#include "flow/enclose_private.h"
#include "flow/gate.h"

struct sentence {
	const struct request *req;
	const struct launch_sink *sink;
	struct gate gate;
	struct blueprint bp;
	struct launch box;
	struct result *result;
};

/* Until they have answered. -1: they said no, or nothing in time; whether they said yes to this is
 * looked up again. */
static int wait_for_people(struct gate *g, struct err *err)
{
	struct timespec pause = {.tv_nsec = GATE_WAIT_MS * 1000000L};
	enum approval_state state = APPROVAL_PENDING;

	while (state == APPROVAL_PENDING) {
		AUTO_APPROVAL struct approval a = {0};
		nanosleep(&pause, NULL);
		if (approval_load(g->state.store, g->report->approval, &a, err) < 0)
			return -1;
		state = approval_state_at(&a, g->state.keeper.now_us() / 1000);
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

/* 0: it may start, and its record says so. 1: people are asked. ERR_CONFLICT: the world has moved
 * on, and all of it is to be asked again. */
static int decide_once(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	if (gate_origin(g, err) < 0 || gate_decide(g, err) < 0)
		return -1;
	/* People are shown all that is to be seen. */
	if (g->quick && g->decision.verdict < VERDICT_CONTAINED) {
		g->quick = false;
		return gate_scan(g, err) < 0 ? -1 : decide_once(s, err);
	}
	int asked = gate_approve(g, err);
	if (asked)
		return asked;
	return gate_log_start(g, err);
}

/* What was known may have changed since it was read. */
static int decide_again(struct sentence *s, struct err *err)
{
	*err = (struct err){0};
	return gate_facts(&s->gate, &s->bp, err) < 0 ? -1 : decide_once(s, err);
}

static int decide(struct sentence *s, struct err *err)
{
	int r = decide_once(s, err);

	for (int i = 1; i <= GATE_TRIES_MAX; i++) {
		if (r == 1 && s->req->wait)
			r = wait_for_people(&s->gate, err) < 0 ? -1 : decide_again(s, err);
		if (r >= 0 || err->code != ERR_CONFLICT || i == GATE_TRIES_MAX)
			return r;
		r = decide_again(s, err);
	}
	return r;
}

/* What does not run is recorded too; that it could not be is one more reason. */
static int stop(struct sentence *s, int asked, struct err *err)
{
	struct err why;

	if (s->gate.state.store && s->bp.profile &&
	    gate_log_refusal(&s->gate, asked > 0 ? NULL : err, &why) < 0 && asked > 0) {
		*err = why;
		return -1;
	}
	if (asked > 0)
		s->result->status = STATUS_PENDING;
	return asked > 0 ? 0 : -1;
}

/* The interpreter reads its own code while it starts, and waits for us before it runs it. 0: it has
 * run. 1: what was read changes something, and all of it is to be decided again. */
static int talk(struct sentence *s, struct err *err)
{
	AUTO_FREE char *answer = NULL;
	struct scan_ready ready = {0};
	size_t len = 0;

	s->bp.talks = true;
	if (blueprint_make(&s->bp, &s->gate.confined, err) < 0 ||
	    launch_start(&s->box, &s->bp, s->sink, s->result, err) < 0)
		return -1;
	int heard = launch_hear(&s->box, &s->bp, &answer, &len, err);
	if (heard < 0)
		return -1;
	if (heard == 0) {
		if (view_answer(answer, len, &ready.view, &ready.why) == 0)
			ready.why = (struct err){0};
		int agrees = gate_agrees(&s->gate, &ready, err);
		view_done(&ready.view);
		if (agrees <= 0)
			return agrees < 0 ? -1 : 1;
		launch_let(&s->bp);
	} else if (!s->box.has_result && s->box.socket >= 0) {
		s->gate.quick = false; /* then it is read elsewhere */
		return gate_scan(&s->gate, err) < 0 ? -1 : 1;
	}
	if (launch_finish(&s->box, &s->bp, err) < 0)
		return -1;
	return enclose_conclude(&s->gate.confined, &s->bp, s->result, err);
}

/* Another box, for the same bytes. The first start is on record and may have changed the domain. */
static int begin_again(struct sentence *s, struct err *err)
{
	struct report *report = s->result->report;

	launch_abandon(&s->box);
	s->box = (struct launch){.socket = -1, .out = {-1, -1}};
	s->result->report = NULL;
	result_done(s->result);
	result_init(s->result);
	s->result->report = report;
	blueprint_again(&s->bp);
	return launch_begin(&s->box, err) < 0 ? -1 : gate_facts(&s->gate, &s->bp, err);
}

static int speak(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	/* Another program takes longer to start than all of this: both at the same time. */
	if (launch_begin(&s->box, err) < 0 || blueprint_begin(&s->bp, s->req, err) < 0 ||
	    gate_open(g, s->req, s->result->report, err) < 0)
		return -1;
	g->quick = blueprint_can_talk(&s->bp, s->req);
	if (gate_facts(g, &s->bp, err) < 0 || gate_scan(g, err) < 0)
		return stop(s, -1, err);
	int asked = decide(s, err), ran = 1;
	if (asked == 0 && g->quick) {
		ran = talk(s, err);
		if (ran == 1)
			asked = begin_again(s, err) < 0 ? -1 : decide(s, err);
	}
	if (asked)
		return stop(s, asked, err);
	if (ran == 1) {
		ran = blueprint_make(&s->bp, &g->confined, err);
		if (ran == 0)
			ran = enclose(&g->confined, &s->bp, &s->box, s->sink, s->result, err);
	}
	if (ran < 0)
		enclose_fail(s->result, err);
	return gate_log_result(g, s->result, err) < 0 ? -1 : ran;
}

void flow_run(const struct request *req, const struct launch_sink *sink, struct result *ret)
{
	AUTO_PAGES struct sentence *s = pages_new(sizeof(*s));
	struct err err;

	result_init(ret);
	ret->report = calloc(1, sizeof(*ret->report));
	if (!s || !ret->report) {
		err_set(&ret->err, ERR_SYSTEM, "out of memory");
		return;
	}
	s->req = req;
	s->sink = sink;
	s->result = ret;
	s->box = (struct launch){.socket = -1, .out = {-1, -1}};
	s->gate.state.dir = -1;
	blueprint_init(&s->bp);
	if (speak(s, &err) < 0)
		enclose_fail(ret, &err);
	if (s->box.has_result)
		launch_leave(&s->box);
	else
		launch_abandon(&s->box);
	gate_close(&s->gate);
	blueprint_done(&s->bp);
}
