/* SPDX-License-Identifier: MIT
 *
 * Small documents of every shape: one event, a list, lines; every key, every kind of value.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 60000;

static const struct seed seeds[] = {
	SEED("{\"type\":\"tool_call\",\"content\":\"ls "
	     "\\u00e9\\ud83d\\ude00\\n\",\"fields\":{\"tool_name\":"
	     "\"shell\",\"tool_args\":\"\",\"odd\":null},\"metadata\":{\"odd\":[1,2]},"
	     "\"sessionId\":"
	     "\"s\","
	     "\"agentId\":\"a\",\"timestamp\":\"2026-01-02T03:04:05.678+01:00\"}"),
	SEED("[{\"type\":\"llm_input\",\"content\":\"a\"},{\"content\":\"b\",\"scanContext\":"
	     "\"skill\"},"
	     "{}]"),
	SEED("{\"content\":\"a\"}\n\n{\"metrics\":{\"rate\":1.5e3,\"n\":-0},\"timestamp\":"
	     "1767323045678}"
	     "\r\n"
	     "{\"type\":\"else\"}\n"),
	SEED("{\"trace\":{\"trace_id\":\"t\",\"spans\":[{\"id\":1,\"span.kind\":\"TOOL\","
	     "\"attributes\":"
	     "{\"a.b\":true,\"c\":{\"d\":[null,false]}}},{\"kind\":\"READ\"}]}}"),
	SEED("// c\n{a: 'it\\'s', \"a\": \"\\ud800\\x41\\u\", /* */ \"b\": [0x1, +.5,],}"),
	SEED("[1\0,2]"),
	SEED("[[[[{\"a\":{\"b\":[{},[],\"\\\\\\\"\",0.1]}}]]]]"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
