/* SPDX-License-Identifier: MIT
 *
 * cordon plan: makes a ticket for one exact program while the conversation is clean. The ticket
 * gives hosts and secrets to later runs, also after the conversation is exposed.
 */
#include "base/pages.h"
#include "base/scope.h"
#include "conf/name_list.h"
#include "door/cli/open_state.h"
#include "flow/plan.h"
#include "show/ticket_json.h"
#include "trust/ticket.h"

struct options {
	uint64_t runs, ttl_ms; /* 0: the default */
};

CLI_OWN(struct options)

static int run_plan(struct cli_call *call)
{
	AUTO_TICKET struct ticket t = {0};
	struct request *r = &call->request;
	char hex[ID_HEX];
	struct err err;

	if (call->argc != 1 || !r->conversation) {
		err_set(&err, ERR_USAGE, "a file and --conversation are required");
		err_cure(&err, "cordon plan --conversation ID --net HOST:PORT FILE");
		return cli_fail_short(call, &err);
	}
	r->file = call->argv[0];
	struct plan_terms terms = {
		.runs = options_of(call)->runs ? (uint32_t)options_of(call)->runs : 1,
		.for_us = options_of(call)->ttl_ms ? options_of(call)->ttl_ms * 1000 : PLAN_US};
	if (plan_make(r, &terms, &t, &err) < 0)
		return cli_fail_short(call, &err);
	if (call->json)
		jsonval_print(jsonval_object(ticket_fields, &t));
	else
		puts(id_hex(&t.id, hex));
	return 0;
}

static const struct cli_option plan_options[] = {
	CLI_CONVERSATION_ROW,
	{"lang", "L", "else by the file's name", .set = cli_set_lang, .choice = profile_name},
	{"workspace", "DIR", "the directory of its runs", .set = cli_set_workspace},
	CLI_POLICY_ROW,
	{"runs", "N", "the number of runs; default 1", .set = cli_set_runs,
	 .at = offsetof(struct options, runs)},
	{"for", "TIME", "how long it is valid; default 24h, at most 720h", .set = cli_set_validity,
	 .at = offsetof(struct options, ttl_ms)},
	{"rules", "DIR", "a directory of rules; may be repeated; default: the configured ones",
	 .set = cli_set_rules, .may_repeat = true},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc plan_docs[] = {{"plan", ticket_fields}, {0}};

static const struct cli_exit plan_exits[] = {
	{"0", "the ticket's id is printed"},
	{"2", "wrong usage"},
	{"125", "the code, the policy or the state could not be read or written"},
	{"126", "refused: the conversation is exposed, the code is hostile, or clean code may not "
		"have an effect"},
	{"", ""}};

COMMAND(plan) = {
	.name = "plan",
	.order = 160,
	.synopsis = "--conversation ID [options] FILE|- [-- ARG...]",
	.help = "fix a program and its effects while the conversation is clean",
	.example = "P=$(cordon plan --conversation $C --policy policy.yaml --net example.org:443 "
		   "report.py)",
	.options = plan_options,
	.more = cli_code_options,
	.exits = plan_exits,
	.docs = {plan_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_plan,
};
