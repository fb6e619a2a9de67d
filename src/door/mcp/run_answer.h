/* SPDX-License-Identifier: MIT
 *
 * The result of a run as the answer of a tool: only what a model needs, because each word of it costs.
 */
#ifndef CORDON_MCP_RUN_ANSWER_H
#define CORDON_MCP_RUN_ANSWER_H

#include "door/mcp/session.h"
#include "door/mcp/tool.h"

/* The JSON Schema of the structured part. */
extern const char run_answer_schema[];

void run_answer(struct mcp_call *call, const struct result *r, struct mcp_answer *ret);
/* What an approver sees first. */
json_t *run_answer_lines(const struct approval *a, uint64_t now);
/* The request waits for a person: its first lines, and the question for them. */
int run_answer_waits(struct mcp_session *s, const char *approval, struct mcp_answer *ret,
		     struct err *err);

#endif
