/* SPDX-License-Identifier: MIT
 *
 * The methods of MCP, in two eras: that of initialize (up to 2025-11-25), and the stateless one
 * (2026-07-28), whose every request says its version and its client's capabilities.
 */
#ifndef CORDON_MCP_PROTOCOL_H
#define CORDON_MCP_PROTOCOL_H

#include "door/mcp/server.h"

/* One line of the client, which is answered at once or by a call. */
void protocol_take(struct mcp_server *s, struct lines_text line);
/* A line that was too long, or that the end of the input cut. */
void protocol_refuse(struct mcp_server *s, const char *words);

#endif
