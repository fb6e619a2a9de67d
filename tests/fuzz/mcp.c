/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for the MCP server's messages: each line of the input is one of the client's. What is
 * refused has a reason; arguments are checked by the schemas of all tools, and no tool is called. A broken
 * promise aborts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "door/mcp/message.h"
#include "door/mcp/protocol.h"
#include "door/mcp/schema.h"
#include "door/mcp/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_arguments(const json_t *arguments)
{
	for (size_t i = 0; mcp_tools[i]; i++) {
		json_t *schema = json_loads(mcp_tools[i]->input, 0, NULL);
		struct err err = {0};
		must(schema != NULL);
		must(schema_check(schema, arguments, "", &err) == 0 || err.message[0]);
		json_decref(schema);
	}
}

static void check_message(struct lines_text line)
{
	AUTO_MESSAGE struct message m = {0};
	struct rpc_error err = {0};

	if (message_read(line, &m, &err) < 0) {
		must(err.code && err.words[0]);
		json_t *answer = message_error(m.id, &err);
		must(json_object_get(answer, "error") != NULL);
		json_decref(answer);
		return;
	}
	must(m.kind != MESSAGE_NONE && (m.kind == MESSAGE_ANSWER) == !m.method);
	must(m.kind == MESSAGE_NOTIFICATION ? !m.id
					    : json_is_string(m.id) || json_is_integer(m.id));
	must(!m.params || json_is_object(m.params));
	if (m.params)
		check_arguments(m.params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct mcp_tool *const none[] = {NULL};
	struct mcp_server s = {
		.tools = none, .instructions = "", .in = {.fd = -1}, .out = {.fd = -1}};

	for (size_t at = 0, end; at < len; at = end + 1) {
		const uint8_t *newline = memchr(data + at, '\n', len - at);
		end = newline ? (size_t)(newline - data) : len;
		/* In a buffer of its exact size, so that the sanitizer sees a read past the end. */
		AUTO_FREE char *copy = malloc(end - at + !(end - at));
		must(copy != NULL);
		memcpy(copy, data + at, end - at);
		struct lines_text line = {copy, end - at};
		check_message(line);
		protocol_take(&s, line);
	}
	return 0;
}
