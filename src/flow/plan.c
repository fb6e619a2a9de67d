/* SPDX-License-Identifier: MIT
 *
 * See plan.h. The program is hashed by the code that checks later runs against the plan.
 */
#include "flow/plan.h"

#include <string.h>

#include "base/pages.h"
#include "base/scope.h"
#include "gate/gate.h"

static int check_clean(const struct gate *g, struct err *err)
{
	if (!g->facts.exposed)
		return 0;
	err_set(err, ERR_REFUSED, "a plan is made while the conversation is clean");
	err_cause(err, "exposed by: %s", g->facts.cause);
	err_cure(err, "plan before anything untrusted is read; or ask a person for a grant");
	return -1;
}

/* For exposed code a plan has exact names: with a pattern the code could choose the host. */
static int check_hosts(const struct gate *g, struct ticket *t, struct err *err)
{
	for (size_t i = 0; i < g->decision.confined.netc; i++) {
		struct policy_net net;
		if (policy_net_parse(g->decision.confined.net[i], true, &t->arena, &net, err) < 0)
			return -1;
		const char *kind = policy_net_many(&net);
		if (kind)
			return err_set(err, ERR_USAGE,
				       "--net %.64s: a plan names one host and one port, and this "
				       "is %s",
				       g->decision.confined.net[i], kind);
	}
	return 0;
}

/* A plan gives only what clean code may have now. */
static int check_effects(const struct gate *g, struct err *err)
{
	const struct report *r = g->report;

	for (size_t i = 0; i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		if (e->outcome >= OUTCOME_POLICY)
			continue;
		err_set(err, ERR_REFUSED, "no plan: clean code may not have %s %.200s",
			cap_name(e->cap), e->object);
		if (e->command)
			err_cure(err, "--policy FILE that allows it; or ask a person: %s",
				 e->command);
		else
			err_cause(err, "%s", e->reason);
		return -1;
	}
	return 0;
}

static int fill(struct gate *g, const struct plan_terms *terms, struct ticket *t, struct err *err)
{
	const struct request *r = g->req;

	if (r->netc > TICKET_LIST_MAX || r->secretc > TICKET_LIST_MAX)
		return err_set(err, ERR_LIMIT, "at most %d hosts and secrets", TICKET_LIST_MAX);
	if (check_hosts(g, t, err) < 0)
		return -1;
	t->giver = TICKET_PLAN;
	t->by = arena_dup(&t->arena, g->state.principal);
	t->has_conversation = t->has_program = true;
	t->conversation = g->facts.conversation.id;
	memcpy(t->program, g->facts.program, sizeof(t->program));
	for (size_t i = 0; i < g->decision.confined.netc; i++)
		t->list[CAP_NET][t->count[CAP_NET]++] =
			arena_dup(&t->arena, g->decision.confined.net[i]);
	for (size_t i = 0; i < g->decision.confined.secretc; i++)
		t->list[CAP_SECRET][t->count[CAP_SECRET]++] =
			arena_dup(&t->arena, g->decision.confined.secret[i]);
	if (r->workspace && r->workspace_mode == WORKSPACE_RW)
		t->list[CAP_WRITE][t->count[CAP_WRITE]++] = ".";
	for (size_t i = 0; i < r->rwc; i++)
		t->list[CAP_WRITE][t->count[CAP_WRITE]++] =
			arena_dup(&t->arena, g->facts.rw_at[i]->path);
	t->sent_max = r->limit[LIMIT_NET_OUT] ? r->limit[LIMIT_NET_OUT] : TICKET_SENT_DEFAULT;
	t->from_us = g->state.keeper.now_us();
	t->to_us = t->from_us + terms->for_us;
	t->runs = terms->runs;
	return t->arena.failed ? err_memory(err) : 0;
}

static int make(struct gate *g, struct blueprint *bp, const struct plan_terms *terms,
		struct ticket *ret, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	if (blueprint_begin(bp, g->req, &g->policy, err) < 0 ||
	    payload_hash(&bp->payload, err) < 0 || gate_open_state(g, err) < 0 ||
	    gate_facts(g, bp, err) < 0 || check_clean(g, err) < 0 || gate_scan(g, NULL, err) < 0 ||
	    gate_origin(g, err) < 0 || gate_decide(g, err) < 0 || check_effects(g, err) < 0 ||
	    fill(g, terms, ret, err) < 0)
		return -1;
	conversation_expect(&g->facts.conversation, &tx);
	directories_expect(&g->facts.directories, &tx);
	return ticket_give(&g->state.keeper, ret, &tx, err);
}

int plan_make(const struct request *req, const struct plan_terms *terms, struct ticket *ret,
	      struct err *err)
{
	AUTO_PAGES struct gate *g = pages_new(sizeof(*g));
	AUTO_PAGES struct blueprint *bp = pages_new(sizeof(*bp));
	AUTO_FREE struct report *report = calloc(1, sizeof(*report));

	if (!g || !bp || !report)
		return err_memory(err);
	blueprint_init(bp);
	g->state.dir = -1;
	g->decision.plans = true;
	int r = gate_open(g, req, report, err);
	if (r == 0)
		r = make(g, bp, terms, ret, err);
	gate_close(g);
	blueprint_done(bp);
	report_done(report);
	return r;
}
