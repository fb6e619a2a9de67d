/* SPDX-License-Identifier: MIT
 *
 * The server's state: what it knows of its client, and the calls that are not answered yet.
 */
#ifndef CORDON_MCP_SERVER_H
#define CORDON_MCP_SERVER_H

#include <sys/types.h>

#include "door/lines.h"
#include "door/mcp/session.h"
#include "door/mcp/tool.h"

enum {
	SERVER_CALLS_MAX = 32,
	SERVER_NAME_MAX = 64,
	SERVER_WAITING_MAX =
		4 << 20, /* bytes that the client has not taken; then nothing is read */
};

/* A call of a tool that is not answered. */
struct server_call {
	json_t *id; /* NULL: the row is free */
	json_t *token, *arguments;
	const struct mcp_tool *tool;
	bool modern;
	pid_t pid;	      /* of its process; 0: the client asks a person */
	struct lines_in from; /* of that process */
	char *unasked;	      /* the answer, if the person does not answer */
	long question;	      /* the id of the request that asks the client; or 0 */
	char waits_for[REPORT_ID + 1];
};

struct mcp_server {
	const struct mcp_tool *const *tools; /* ended by NULL */
	const char *instructions;
	struct mcp_session *session;
	struct lines_in in;
	struct lines_out out;
	char client[SERVER_NAME_MAX + 1];
	bool asks_people; /* a client of the legacy era can */
	long questions;	  /* the last one's id */
	struct server_call call[SERVER_CALLS_MAX];
};

/* Serves one client on descriptors 0 and 1, until it closes its end or a signal comes. */
int mcp_serve(const struct mcp_tool *const *tools, const char *instructions,
	      struct mcp_session *session, struct err *err);

#endif
