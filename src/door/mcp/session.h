/* SPDX-License-Identifier: MIT
 *
 * What the calls of one client share: a conversation, and a live box in which its commands run. Each call is
 * a process of its own; they agree by a lock on a memory file. The box is made when it is first needed.
 */
#ifndef CORDON_MCP_SESSION_H
#define CORDON_MCP_SESSION_H

#include <limits.h>

#include "flow/run.h"
#include "trust/id.h"

struct mcp_session {
	/* As the options say, with the limits of `cordon exec` and those of `cordon run`. */
	struct request command, snippet;
	const char *workspace; /* its real path */
	/* The words of `cordon box create` with these options, each ended by NUL, without the name. */
	const char *words;
	size_t words_len;
	/* Filled in by session_begin. */
	char conversation[ID_HEX], box[KEEP_NAME_MAX];
	bool is_own; /* the options name no conversation */
	int lock;    /* -1 before */
};

/* Finds the conversation, or begins one for the client of that name. Before the first call. */
int session_begin(struct mcp_session *s, const char *client, struct err *err);
/* Runs REQ, a copy of COMMAND with its code, in the live box. */
void session_start(struct mcp_session *s, const struct request *req, const struct launch_sink *sink,
		   struct result *ret);
/* Runs REQ, a copy of SNIPPET with its code, in a box of its own with the same files. The live box ends
 * first, because only one box at a time has the directory. */
void session_run(struct mcp_session *s, const struct request *req, const struct launch_sink *sink,
		 struct result *ret);
/* Ends the live box and saves its changes. */
int session_end(struct mcp_session *s, struct err *err);

#endif
