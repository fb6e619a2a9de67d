/* SPDX-License-Identifier: MIT
 *
 * The MCP server's messages and schemas: what is refused and in which words; and that every tool's schemas
 * are JSON and hold for each other.
 */
#include "door/mcp/message.h"
#include "door/mcp/schema.h"
#include "door/mcp/tools.h"

#include <string.h>

#include "base/scope.h"
#include "conf/profile.h"
#include "detect/scan.h"
#include "tap.h"

static const struct {
	const char *line;
	enum rpc_code code; /* 0: it is good */
	const char *words;  /* of the error; or the method */
	const char *id;	    /* as JSON */
} messages[] = {
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}", 0, "m", "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"m\"}", 0, "m", "\"\""},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}", 0, "m", NULL},
	{"{\"jsonrpc\":\"2.0\",\"id\":-9223372036854775808,\"result\":{}}", 0, NULL,
	 "-9223372036854775808"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", 0, NULL, "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}", RPC_INVALID_REQUEST,
	 "no method", "1"},
	{"{\"jsonrpc\":\"2.0\",\"result\":{}}", RPC_INVALID_REQUEST, "no method", NULL},
	{"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", RPC_INVALID_REQUEST, "\"2.0\"", "1"},
	{"{\"jsonrpc\":2,\"id\":1,\"method\":\"m\"}", RPC_INVALID_REQUEST, "\"2.0\"", "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", RPC_INVALID_REQUEST, "id must",
	 NULL},
	{"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}", RPC_INVALID_REQUEST, "id must",
	 NULL},
	{"{\"jsonrpc\":\"2.0\",\"id\":1e0,\"method\":\"m\"}", RPC_INVALID_REQUEST, "id must", NULL},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}", RPC_INVALID_REQUEST, "must be a string",
	 "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":null}", RPC_INVALID_PARAMS,
	 "must be an object", "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}", RPC_INVALID_REQUEST,
	 "duplicate", "2"},
	{"{\"id\":3,\"a\":\"\\u0000\"}", RPC_INVALID_REQUEST, "u0000", "3"},
	{"[]", RPC_INVALID_REQUEST, "batches", NULL},
	{"1", RPC_INVALID_REQUEST, "not JSON", NULL},
	{"", RPC_PARSE, "not JSON", NULL},
	{"{", RPC_PARSE, "not JSON", NULL},
	{"{} {}", RPC_PARSE, "not JSON", NULL},
	{"{\"a\":99999999999999999999}", RPC_PARSE, "not JSON", NULL},
};

static void test_messages(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		AUTO_MESSAGE struct message m = {0};
		struct rpc_error err = {0};
		const char *line = messages[i].line, *words = messages[i].words;
		int r = message_read((struct lines_text){line, strlen(line)}, &m, &err);
		bool has_words = r < 0 ? words && strstr(err.words, words) : !words == !m.method;
		AUTO_FREE char *id = m.id ? json_dumps(m.id, JSON_ENCODE_ANY) : NULL;
		ok((r < 0 ? err.code : 0) == messages[i].code && has_words &&
			   (id && messages[i].id ? strcmp(id, messages[i].id) == 0
						 : !id == !messages[i].id),
		   "%s%s%s", line, r < 0 ? ": " : "", r < 0 ? err.words : "");
	}
}

static void test_id_length(void)
{
	for (int more = 0; more < 2; more++) {
		AUTO_MESSAGE struct message m = {0};
		struct rpc_error err;
		char line[512];
		int n = snprintf(line, sizeof(line),
				 "{\"jsonrpc\":\"2.0\",\"id\":\"%0*d\",\"method\":\"m\"}",
				 MESSAGE_ID_MAX + more, 0);
		int r = message_read((struct lines_text){line, (size_t)n}, &m, &err);
		ok((r < 0) == more, "an id of %d bytes", MESSAGE_ID_MAX + more);
	}
}

#define SCHEMA                                                                                     \
	"{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"maxLength\":3},"     \
	"\"number\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},"                           \
	"\"word\":{\"enum\":[\"one\",\"two\"]},\"flag\":{\"type\":\"boolean\"},"                   \
	"\"either\":{\"type\":[\"string\",\"null\"]},"                                             \
	"\"list\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                           \
	"\"map\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}},"           \
	"\"required\":[\"text\"],\"additionalProperties\":false}"

static const struct {
	const char *value, *words; /* WORDS NULL: it fits */
} values[] = {
	{"{\"text\":\"abc\",\"number\":1,\"word\":\"two\",\"flag\":false,\"either\":null,\"list\":["
	 "\"\"],"
	 "\"map\":{\"a\":\"b\"}}",
	 NULL},
	{"{}", "arguments lacks the member \"text\""},
	{"[]", "arguments must be of the type object"},
	{"{\"text\":\"abcd\"}", "text has more than 3 bytes"},
	{"{\"text\":1}", "text must be of the type string"},
	{"{\"text\":\"\",\"number\":0}", "number must be at least 1"},
	{"{\"text\":\"\",\"number\":10}", "number must be at most 9"},
	{"{\"text\":\"\",\"number\":1.0}", "number must be of the type integer"},
	{"{\"text\":\"\",\"word\":\"twoo\"}", "word must be one of: one, two; did you mean two?"},
	{"{\"text\":\"\",\"word\":1}", "word must be one of: one, two"},
	{"{\"text\":\"\",\"flag\":\"true\"}", "flag must be of the type boolean"},
	{"{\"text\":\"\",\"either\":1}", "either must be of the type string or null"},
	{"{\"text\":\"\",\"list\":[\"\",1]}", "list must be of the type string"},
	{"{\"text\":\"\",\"map\":{\"key\":1}}", "map.key must be of the type string"},
	{"{\"txt\":\"\"}", "arguments has no member \"txt\"; did you mean text?"},
};

static void test_schemas(void)
{
	json_t *schema = json_loads(SCHEMA, 0, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		json_t *value = json_loads(values[i].value, 0, NULL);
		struct err err = {0};
		int r = schema_check(schema, value, "", &err);
		ok(r < 0 ? values[i].words && strcmp(err.message, values[i].words) == 0
			 : !values[i].words,
		   "%s%s%s", values[i].value, r < 0 ? ": " : "", err.message);
		json_decref(value);
	}
	json_decref(schema);
}

static void test_tools(void)
{
	for (size_t i = 0; mcp_tools[i]; i++) {
		const struct mcp_tool *t = mcp_tools[i];
		json_t *in = json_loads(t->input, JSON_REJECT_DUPLICATES, NULL),
		       *out = t->output ? json_loads(t->output, JSON_REJECT_DUPLICATES, NULL)
					: NULL;
		struct mcp_answer a = {0};
		struct err err;

		ok(in && json_is_false(json_object_get(in, "additionalProperties")),
		   "%s: its input schema is strict", t->name);
		ok(!t->output || out, "%s: its output schema is JSON", t->name);
		err_set(&err, ERR_REFUSED, "refused");
		err_cause(&err, "because");
		err_cure(&err, "cure");
		mcp_answer_error(&a, &err);
		ok(!out || schema_check(out, a.structured, "", &err) == 0,
		   "%s: an error fits its output schema", t->name);
		mcp_answer_done(&a);
		json_decref(in);
		json_decref(out);
	}
}

static bool has_word(const struct mcp_tool *tool, const char *name, const char *word)
{
	json_t *schema = json_loads(tool->input, 0, NULL), *one;
	json_t *list = json_object_get(json_object_get(json_object_get(schema, "properties"), name),
				       "enum");
	bool has = false;
	size_t i;

	json_array_foreach (list, i, one)
		has |= strcmp(json_string_value(one), word) == 0;
	json_decref(schema);
	return has;
}

/* The schemas are texts: a new language and a new kind must be in them. */
static void test_tables(void)
{
	const char *kind;

	for (unsigned i = 0; profile_at(i); i++)
		ok(has_word(&tool_run_code, "language", profile_at(i)->name) ==
			   (profile_at(i)->interpreter != NULL),
		   "run_code: %s", profile_at(i)->name);
	for (unsigned i = 0; (kind = scan_kind_name(i)); i++)
		ok(has_word(&tool_scan, "kind", kind) == (i != KIND_EVENTS), "scan: %s", kind);
}

int main(void)
{
	test_tables();
	test_messages();
	test_id_length();
	test_schemas();
	test_tools();
	return tap_done();
}
