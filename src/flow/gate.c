/* SPDX-License-Identifier: MIT
 *
 * What the gate needs before its first word.
 */
#include "flow/gate.h"

#include <stdlib.h>
#include <string.h>

static int open_policy(struct gate *g, struct err *err)
{
	if (g->req->policy)
		return policy_load(&g->policy, g->req->policy, err);
	return policy_init(&g->policy, POLICY_BALANCED, err);
}

int gate_open(struct gate *g, const struct request *req, struct report *report, struct err *err)
{
	g->req = req;
	g->report = report;
	g->state = (struct gate_state)STATE_CLOSED;
	id_random(&g->run);
	id_hex(&g->run, report->run);
	return open_policy(g, err);
}

int gate_open_state(struct gate *g, struct err *err)
{
	struct gate_state_options o = {.path = g->req->state};

	if (gate_state_open(&g->state, &o, err) == 0)
		return 0;
	err_context(err, "nothing runs without a record");
	return -1;
}

void gate_rest(struct gate *g)
{
	packs_done(&g->rules);
}

void gate_close(struct gate *g)
{
	source_set_done(&g->sources);
	free(g->tie);
	free(g->of_tied);
	approval_done(&g->approval);
	if (g->report) /* it names what was found */
		arena_adopt(&g->report->arena, &g->look.arena);
	look_done(&g->look);
	packs_done(&g->rules);
	policy_done(&g->policy);
	gate_state_close(&g->state);
	arena_done(&g->arena);
}
