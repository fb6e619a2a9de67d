/* SPDX-License-Identifier: MIT
 *
 * The calls that are not answered: their processes, their questions to people, their end.
 */
#ifndef CORDON_MCP_CALLS_H
#define CORDON_MCP_CALLS_H

#include "door/mcp/message.h"
#include "door/mcp/server.h"

/* The parameters of tools/call, checked. */
struct call_start {
	json_t *id, *token, *arguments; /* TOKEN may be NULL */
	const struct mcp_tool *tool;
	bool modern, can_ask;
	enum mcp_reply reply;
	const json_t *reply_content;
	const char *waits_for;
};

int call_start(struct mcp_server *s, const struct call_start *start, struct rpc_error *err);
/* Kills its process, and with that what it runs. The call is not answered. */
void call_cancel(struct mcp_server *s, const json_t *id);
/* The client has answered question NUMBER. */
void call_reply(struct mcp_server *s, long number, const json_t *result);
/* The process of C has said something, or has ended. */
void call_read(struct mcp_server *s, struct server_call *c);
bool calls_are_open(const struct mcp_server *s);
void calls_end(struct mcp_server *s);
void server_send(struct mcp_server *s, json_t *message);
/* One of MCP's three words; all others cancel. */
enum mcp_reply reply_of(const json_t *result);

#endif
