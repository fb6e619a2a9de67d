/* SPDX-License-Identifier: MIT
 *
 * The tools of the server, in the order in which clients show them.
 */
#include "door/mcp/tools.h"

const struct mcp_tool *const mcp_tools[] = {
	&tool_run_command, &tool_run_code, &tool_read_file,	  &tool_write_file,
	&tool_list_files,  &tool_scan,	   &tool_approval_status, NULL};
