/* SPDX-License-Identifier: MIT
 *
 * The tools of the server.
 */
#ifndef CORDON_MCP_TOOLS_H
#define CORDON_MCP_TOOLS_H

#include "door/mcp/tool.h"

extern const struct mcp_tool tool_run_command, tool_run_code, tool_read_file, tool_write_file,
	tool_list_files, tool_scan, tool_approval_status;
/* Ended by NULL. */
extern const struct mcp_tool *const mcp_tools[];

/* A person said no in the client: denies the request ID of this conversation. */
int approval_decline(struct mcp_session *s, const char *id, struct err *err);

#endif
