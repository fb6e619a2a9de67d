/* SPDX-License-Identifier: MIT
 *
 * What the gate needs before its first word.
 */
#include "flow/gate.h"

#include <sodium.h>
#include <stdlib.h>
#include <time.h>

void gate_pause(int tries)
{
	uint32_t most_ms = 1U << (tries < GATE_PAUSE_DOUBLES ? tries : GATE_PAUSE_DOUBLES);
	struct timespec pause = {.tv_nsec = (1 + randombytes_uniform(most_ms)) * 1000000L};

	nanosleep(&pause, NULL);
}

int gate_open(struct gate *g, const struct request *req, struct report *report, struct err *err)
{
	g->req = req;
	g->report = report;
	g->state = (struct gate_state)STATE_CLOSED;
	id_random(&g->run);
	id_hex(&g->run, report->run);
	return policy_open(&g->policy, req->policy, err);
}

/* If it cannot be read any more, the old one is what the record of that names. */
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

	if (gate_state_open(&g->state, &o, err) == 0)
		return 0;
	err_context(err, "nothing runs without a record");
	return -1;
}

void gate_close(struct gate *g)
{
	for (size_t i = 0; i < g->ticketc; i++)
		ticket_done(&g->ticket[i]);
	directories_done(&g->directories);
	source_set_done(&g->sources);
	free(g->tie);
	approval_done(&g->approval);
	if (g->report) /* it names what was found */
		arena_adopt(&g->report->arena, &g->look.arena);
	look_done(&g->look);
	packs_done(&g->rules);
	policy_done(&g->policy);
	gate_state_close(&g->state);
	arena_done(&g->arena);
}
