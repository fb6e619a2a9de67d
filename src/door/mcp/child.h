/* SPDX-License-Identifier: MIT
 *
 * The process of one call. What it has to say goes as lines to the server, which passes them on: so a line
 * is written as a whole, and a call that was cancelled says nothing more.
 */
#ifndef CORDON_MCP_CHILD_H
#define CORDON_MCP_CHILD_H

#include <sys/types.h>

#include "door/mcp/tool.h"

/* The first byte of a line; a message for the client follows, or a part of one. */
enum child_line {
	CHILD_MESSAGE = 'm', /* a notification */
	CHILD_ANSWER = 'a',  /* the answer of the call */
	CHILD_QUESTION =
		'q', /* params of elicitation/create; the answer without it has come before */
	CHILD_UNASKED = 'u', /* the answer if the question gets none */
};

struct child_job {
	const struct mcp_tool *tool;
	struct mcp_session *session;
	json_t *id, *token; /* TOKEN: for progress, or NULL */
	json_t *arguments;  /* checked */
	bool modern;	    /* the era */
	bool can_ask;	    /* the client asks people, and has not asked for this call */
	enum mcp_reply reply;
	const json_t *reply_content;
	const char *waits_for; /* what the reply is about */
};

/* Starts the process. *RET_FROM: the read end of its lines. */
int child_start(const struct child_job *job, pid_t *ret_pid, int *ret_from, struct err *err);

#endif
