/* SPDX-License-Identifier: MIT
 *
 * Messages of both eras: every method, every argument of the tools, cancellations, answers, mistakes.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

#define META                                                                                       \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{\"form\":{}}},"          \
	"\"progressToken\":\"t\"}"

static const struct seed seeds[] = {
	SEED("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
	     "\"protocolVersion\":"
	     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"c\","
	     "\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	     "initialized\"}\n"
	     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n"),
	SEED("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"server/discover\",\"params\":{" META "}}\n"
	     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{" META
	     ",\"cursor\":\"x\"}}\n"),
	SEED("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{" META
	     ",\"name\":\"run_command\",\"arguments\":{\"command\":\"ls\",\"env\":{\"K\":\"v\"},"
	     "\"timeout_seconds\":5},\"inputResponses\":{\"approval\":{\"action\":\"accept\"}},"
	     "\"requestState\":\"0123456789abcdef0123456789abcdef\"}}\n"),
	SEED("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/"
	     "call\",\"params\":{\"command\":\"ls\","
	     "\"path\":\"a\",\"first_line\":1,\"encoding\":\"base64\",\"executable\":true}}\n"),
	SEED("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
	     "cancelled\",\"params\":{\"requestId\":4,"
	     "\"reason\":\"r\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"decline\","
	     "\"content\":{}}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}\n"),
	SEED("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n{\"id\":7,\"a\":1,\"a\":2}\n{"
	     "\"id\":"
	     "null}\n\"x\"\n{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\",\"params\":[]}\n"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
