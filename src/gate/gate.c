/* SPDX-License-Identifier: MIT
 *
 * Opens and closes what every step of the gate needs: the policy, the rules and the state.
 */
#include "gate/gate.h"

#include <stdlib.h>
#include <string.h>

int gate_open(struct gate *g, const struct request *req, struct report *report, struct err *err)
{
	g->req = req;
	g->report = report;
	g->state = (struct gate_state)STATE_CLOSED;
	id_random(&g->run);
	id_hex(&g->run, report->run);
	return policy_open(&g->policy, req->policy, err);
}

/* On an error the previous policy stays: the record of the failure names it. */
int gate_policy_again(struct gate *g, struct err *err)
{
	struct policy now = {0};

	if (policy_open(&now, g->req->policy, err) < 0) {
		policy_done(&now);
		return -1;
	}
	policy_done(&g->policy);
	g->policy = now;
	return 0;
}

int gate_open_state(struct gate *g, struct err *err)
{
	struct gate_state_options o = {.path = g->req->state};

	if (g->session && g->session->state.store) {
		g->state = g->session->state;
		return 0;
	}
	if (gate_state_open(&g->state, &o, err) == 0)
		return 0;
	err_context(err, "nothing runs without a record");
	return -1;
}

/* A state that failed is opened again by the next run. */
static void lend_back(struct gate *g)
{
	struct gate_session *s = g->session;

	if (g->state.store)
		s->state = g->state;
	g->state = (struct gate_state)STATE_CLOSED;
}

void gate_session_prepare(struct gate_session *s)
{
	if (s->reader && view_ready_is_over(s->reader)) {
		view_ready_free(s->reader);
		s->reader = NULL;
	}
	if (!s->reader)
		s->reader = view_ready_new();
}

void gate_session_close(struct gate_session *s)
{
	view_ready_free(s->reader);
	packs_done(&s->rules);
	arena_done(&s->arena);
	gate_state_close(&s->state);
}

void gate_close(struct gate *g)
{
	if (g->session)
		lend_back(g);
	for (size_t i = 0; i < g->facts.ticketc; i++)
		ticket_done(&g->facts.ticket[i]);
	directories_done(&g->facts.directories);
	source_set_done(&g->facts.sources);
	free(g->origin.tie);
	approval_done(&g->question.approval);
	if (g->report) /* the report points into the inspection's memory */
		arena_adopt(&g->report->arena, &g->inspection.arena);
	inspection_done(&g->inspection);
	packs_done(&g->own.rules);
	arena_done(&g->own.arena);
	policy_done(&g->policy);
	gate_state_close(&g->state);
	gate_drop_attachments(g);
	arena_done(&g->arena);
}
