/* SPDX-License-Identifier: MIT
 *
 * cordon plan: while a conversation is clean, one exact program gets its hosts and secrets for later runs,
 * also of an exposed conversation.
 */
#include <string.h>

#include "base/pages.h"
#include "base/scope.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "flow/plan.h"

int cli_plan(struct cli_call *call)
{
	AUTO_TICKET struct ticket t = {0};
	struct request *r = &call->request;
	char hex[ID_HEX];
	struct err err;

	r->state = call->state;
	r->policy = call->policy;
	r->rulesc = call->rulesc;
	memcpy(r->rules, call->rules, sizeof(r->rules));
	if (call->argc != 1 || !r->conversation) {
		err_set(&err, ERR_USAGE, "which file, and which conversation?");
		err_cure(&err, "cordon plan --conversation ID --net HOST:PORT FILE");
		return gate_fail(call, &err);
	}
	r->file = call->argv[0];
	struct plan_terms terms = {.runs = call->gate.runs ? (uint32_t)call->gate.runs : 1,
				   .for_us =
					   call->gate.ttl_ms ? call->gate.ttl_ms * 1000 : PLAN_US};
	if (plan_make(r, &terms, &t, &err) < 0)
		return gate_fail(call, &err);
	if (call->json)
		jsonval_print(jsonval_object(gate_ticket_fields, &t));
	else
		puts(id_hex(&t.id, hex));
	return 0;
}
