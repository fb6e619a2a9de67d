/* SPDX-License-Identifier: MIT
 *
 * A plan token says that this code was fixed before anything untrusted was read. What comes to the code
 * later comes as data: so the token holds only as long as nothing else than that code is run. Whether
 * that is so is asked again at each run, and any doubt is an answer: without its token the code is what
 * it would be anyway, with the reason in words.
 */
#include "base/scope.h"
#include "flow/gate.h"

/* All that could be made code of: what a run reads, fetches or is told. */
static bool is_given_something(const struct gate *g)
{
	unsigned caps = policy_caps_of(g->req) | g->req->asks;

	return caps & ~CAP_BIT(CAP_COMPUTE) || gate_has_input(g);
}

static bool makes_code_of_it(const struct gate *g)
{
	enum makes makes = g->makes_as_plan.makes;

	return makes == MAKES_CODE || (makes == MAKES_UNKNOWN && is_given_something(g));
}

/* The token is good: does the run keep to it? */
static enum plan_answer check_run(const struct gate *g)
{
	const struct {
		bool wrong;
		enum plan_answer answer;
	} checks[] = {
		{g->plan_is_spent, PLAN_SPENT},
		{g->has_modules, PLAN_MODULES},
		{makes_code_of_it(g), PLAN_MAKES_CODE},
		{g->runs_marked || g->programc, PLAN_PROGRAMS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].wrong)
			return checks[i].answer;
	return PLAN_GOOD;
}

/* What nobody knows is untrusted. */
static struct label inputs_of(const struct gate *g, unsigned caps)
{
	struct label l = g->has_inputs ? g->inputs : label_top(), unknown = label_unknown();

	if (gate_reads_unknown(g, g->req) || caps & (CAP_BIT(CAP_NET) | CAP_BIT(CAP_HOST)))
		label_join(&l, &unknown);
	return l;
}

int gate_check_plan(struct gate *g, struct err *err)
{
	unsigned caps = policy_caps_of(g->req) | g->req->asks;
	struct label inputs = inputs_of(g, caps);
	uint8_t rest[KEEPER_SHA256];
	struct plan_use use = {.code_sha256 = g->bp->payload.sha256,
			       .policy_sha256 = g->policy.sha256,
			       .rest_sha256 = rest,
			       .lang = g->bp->profile->name,
			       .suffix = g->bp->payload.suffix,
			       .caps = caps,
			       .inputs = &inputs,
			       .domain = &g->domain,
			       .now_us = g->state.keeper.now_us()};

	g->plan_answer = PLAN_NONE;
	g->plan_why = NULL;
	if (!g->req->plan)
		return 0;
	plan_rest(g->req, rest);
	if (g->bp->payload.is_program)
		return err_set(err, ERR_USAGE, "--plan is for code, not for a program in a file");
	g->plan_answer = plan_check(g->state.keeper.key.public, g->req->plan, &use, &g->plan);
	if (g->plan_answer == PLAN_GOOD)
		g->plan_answer = check_run(g);
	if (g->plan_answer == PLAN_MAKES_CODE)
		g->plan_why = g->makes_as_plan.why;
	return 0;
}
