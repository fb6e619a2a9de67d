/* SPDX-License-Identifier: MIT
 *
 * cordon plan: the command line's door to flow/mint.h.
 */
#include <string.h>

#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/verdict.h"
#include "flow/mint.h"
#include "origin/handle.h"

struct told {
	const struct plan *plan;
	const char *token;
	const struct domain *domain;
};

static bool has_rest(const struct plan *p)
{
	static const uint8_t nothing[sizeof(p->rest_sha256)];

	return memcmp(p->rest_sha256, nothing, sizeof(nothing)) != 0;
}

#define TOLD(function, expression) FIELD(function, struct told, expression)
TOLD(told_token, json_string(v->token))
TOLD(told_plan, gate_id_json(&v->plan->id))
TOLD(told_domain, gate_id_json(&v->domain->id))
TOLD(told_epoch, jsonval_number(v->domain->epoch))
TOLD(told_code, gate_hex_json(v->plan->code_sha256, sizeof(v->plan->code_sha256)))
TOLD(told_policy, gate_hex_json(v->plan->policy_sha256, sizeof(v->plan->policy_sha256)))
TOLD(told_lang, json_string(v->plan->lang))
TOLD(told_suffix, json_string(v->plan->suffix))
TOLD(told_caps, gate_set_json(v->plan->caps, cap_name))
TOLD(told_rest, has_rest(v->plan)
			? gate_hex_json(v->plan->rest_sha256, sizeof(v->plan->rest_sha256))
			: json_null())
TOLD(told_runs, jsonval_number(v->plan->runs))
TOLD(told_from, jsonval_number(v->plan->from_us / 1000))
TOLD(told_to, jsonval_number(v->plan->to_us / 1000))
TOLD(told_integrity, json_string(integrity_name(v->plan->least)))
TOLD(told_secrecy, json_string(secrecy_name(v->plan->most)))

const struct cli_field gate_plan_fields[] = {
	{"token", "for cordon run --plan", told_token},
	{"plan", "its id, as the log has it", told_plan},
	{"domain", "in which it is good", told_domain},
	{"epoch", "of the domain", told_epoch},
	{"code_sha256", "the exact bytes", told_code},
	{"policy_sha256", "under which policy", told_policy},
	{"lang", "as which language", told_lang},
	{"suffix", "how the file's name ends in the box", told_suffix},
	{"caps", "what it may ask for at most", told_caps},
	{"rest_sha256", "arguments, environment, programs, hosts, virtual environment; or null",
	 told_rest},
	{"runs", "how often", told_runs},
	{"from", "ms since 1970: not before", told_from},
	{"to", "ms since 1970: not after", told_to},
	{"inputs_integrity", "what its inputs must at least be", told_integrity},
	{"inputs_secrecy", "how secret they may be", told_secrecy},
	{0}};

static int check(const struct cli_call *call, struct err *err)
{
	if (!call->gate.domain)
		err_set(err, ERR_USAGE, "in which conversation? (--domain HANDLE)");
	else if (call->argc != 1)
		err_set(err, ERR_USAGE, "which file? (one)");
	else
		return 0;
	err_cure(err, "cordon plan --domain $(cordon domain new) FILE");
	return -1;
}

static int mint(struct cli_call *call, const struct policy *policy, struct err *err)
{
	const struct cli_gate *g = &call->gate;
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	char token[PLAN_TEXT_MAX];
	struct plan plan;
	struct domain d;
	struct mint_ask ask = {.file = call->argv[0],
			       .lang = call->request.lang,
			       .with = &call->request,
			       .caps = call->request.asks,
			       .runs = g->runs ? (uint32_t)g->runs : MINT_RUNS,
			       .ttl_us = g->ttl_ms ? g->ttl_ms * 1000 : MINT_TTL_US,
			       .least = g->has_integrity ? (enum integrity)g->integrity
							 : INTEGRITY_UNTRUSTED,
			       .most = g->has_secrecy ? (enum secrecy)g->secrecy : SECRECY_SECRET,
			       .policy = policy};

	if (gate_begin(call, GATE_WRITES, &s, err) < 0 ||
	    gate_domain(&s, g->domain, call->request.conversation, &d, err) < 0 ||
	    mint_plan(&s, &d, &ask, &plan, token, err) < 0)
		return -1;
	char id[ID_HEX];
	if (call->json)
		verdict_print(gate_plan_fields, &(struct told){&plan, token, &d},
			      &(struct verdict_said){.origin = origin_name(ORIGIN_PLAN),
						     .ref = "plan",
						     .id = id_hex(&plan.id, id)});
	else
		puts(token);
	return 0;
}

int cli_plan(struct cli_call *call)
{
	struct policy policy = {0};
	struct err err;
	int r = check(call, &err);

	if (r == 0)
		r = policy_open(&policy, call->policy, &err);
	if (r == 0)
		r = mint(call, &policy, &err);
	policy_done(&policy);
	return r == 0 ? 0 : gate_fail(call, &err);
}
