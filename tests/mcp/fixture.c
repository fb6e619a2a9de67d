/* SPDX-License-Identifier: MIT
 *
 * The server of cordon mcp with the tools that MCP's conformance suite calls, in place of Cordon's: so the
 * protocol is tested by others' programs. It runs nothing.
 */
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "door/mcp/server.h"

#define NO_ARGUMENTS "{\"type\":\"object\",\"additionalProperties\":false}"
#define STATE "0123456789abcdef0123456789abcdef"

static const unsigned char png[] =
	"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\x90wS\xde\0\0\0\14IDATx\x9c"
	"c\xf8\xcf\xc0\0\0\3\1\1\0\xc9\xfe\x92\xef\0\0\0\0IEND\xae"
	"B`\x82";

static void text(struct mcp_answer *ret, const char *words)
{
	mcp_add_text(ret, words, strlen(words));
}

static void add(struct mcp_answer *ret, json_t *block)
{
	if (!ret->content)
		ret->content = json_array();
	json_array_append_new(ret->content, block);
}

static void simple_text(struct mcp_call *call, struct mcp_answer *ret)
{
	(void)call;
	text(ret, "This is a simple text response for testing.");
}

static void image(struct mcp_call *call, struct mcp_answer *ret)
{
	(void)call;
	mcp_add_image(ret, "image/png", png, sizeof(png) - 1);
}

static void audio(struct mcp_call *call, struct mcp_answer *ret)
{
	(void)call;
	add(ret, json_pack("{s:s, s:s, s:s}", "type", "audio", "data",
			   "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=",
			   "mimeType", "audio/wav"));
}

static void resource(struct mcp_answer *ret, const char *uri, const char *mime, const char *words)
{
	add(ret, json_pack("{s:s, s:{s:s, s:s, s:s}}", "type", "resource", "resource", "uri", uri,
			   "mimeType", mime, "text", words));
}

static void embedded(struct mcp_call *call, struct mcp_answer *ret)
{
	(void)call;
	resource(ret, "test://embedded-resource", "text/plain",
		 "This is an embedded resource content.");
}

static void mixed(struct mcp_call *call, struct mcp_answer *ret)
{
	text(ret, "Multiple content types test:");
	image(call, ret);
	resource(ret, "test://mixed-content-resource", "application/json",
		 "{\"test\":\"data\",\"value\":123}");
}

static void fails(struct mcp_call *call, struct mcp_answer *ret)
{
	(void)call;
	text(ret, "This tool intentionally returns an error for testing");
	ret->is_error = true;
}

static void progress(struct mcp_call *call, struct mcp_answer *ret)
{
	for (int done = 0; done <= 100; done += 50) {
		call->progress(call, done, 100, NULL);
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	}
	text(ret, "done");
}

static const char *const actions[] = {"none", "accept", "decline", "cancel"};

static void say_reply(struct mcp_call *call, struct mcp_answer *ret)
{
	AUTO_FREE char *content =
		call->reply_content ? json_dumps(call->reply_content, JSON_COMPACT) : NULL;
	char words[4096];

	snprintf(words, sizeof(words), "Elicitation completed: action=%s, content=%s",
		 actions[call->reply], content ? content : "{}");
	text(ret, words);
}

/* Asks once, with the schema PROPERTIES, and says the answer. */
static void ask(struct mcp_call *call, struct mcp_answer *ret, const char *message,
		const char *properties)
{
	if (call->reply != REPLY_NONE) {
		say_reply(call, ret);
		return;
	}
	json_t *schema = json_loads(properties, 0, NULL);
	ret->question = json_pack("{s:s, s:o}", "message", message, "requestedSchema", schema);
	memcpy(ret->waits_for, STATE, sizeof(ret->waits_for));
	text(ret, "The client cannot ask a person.");
	ret->is_error = true;
}

static void elicits(struct mcp_call *call, struct mcp_answer *ret)
{
	ask(call, ret, mcp_text(call, "message"),
	    "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\"},"
	    "\"email\":{\"type\":\"string\"}},\"required\":[\"username\",\"email\"]}");
}

static void defaults(struct mcp_call *call, struct mcp_answer *ret)
{
	ask(call, ret, "Please check",
	    "{\"type\":\"object\",\"properties\":{"
	    "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
	    "\"age\":{\"type\":\"integer\",\"default\":30},"
	    "\"score\":{\"type\":\"number\",\"default\":95.5},"
	    "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
	    "\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}}}");
}

static void enums(struct mcp_call *call, struct mcp_answer *ret)
{
	ask(call, ret, "Please choose",
	    "{\"type\":\"object\",\"properties\":{"
	    "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]"
	    "},"
	    "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":"
	    "\"First "
	    "Option\"},{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\","
	    "\"title\":\"Third Option\"}]},"
	    "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
	    "\"enumNames\":["
	    "\"Option One\",\"Option Two\",\"Option Three\"]},"
	    "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":["
	    "\"option1\","
	    "\"option2\",\"option3\"]}},"
	    "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\","
	    "\"title\":\"First Choice\"},{\"const\":\"value2\",\"title\":\"Second Choice\"},"
	    "{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}}}");
}

static void name(struct mcp_call *call, struct mcp_answer *ret)
{
	const char *given = json_string_value(json_object_get(call->reply_content, "name"));
	char words[128];

	if (given) {
		snprintf(words, sizeof(words), "Hello, %.64s!", given);
		text(ret, words);
		return;
	}
	call->reply = REPLY_NONE;
	ask(call, ret, "What is your name?",
	    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":"
	    "[\"name\"]}");
}

static void state(struct mcp_call *call, struct mcp_answer *ret)
{
	if (call->reply != REPLY_NONE)
		text(ret, "state-ok");
	else
		ask(call, ret, "Please confirm",
		    "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}},"
		    "\"required\":"
		    "[\"ok\"]}");
}

#define SIMPLE(tool_name, function)                                                                \
	&(const struct mcp_tool)                                                                   \
	{                                                                                          \
		.name = tool_name, .title = tool_name, .description = "A tool of the suite.",      \
		.input = NO_ARGUMENTS, .only_reads = true, .run = (function),                      \
	}
#define ASKING(tool_name, function, key)                                                           \
	&(const struct mcp_tool)                                                                   \
	{                                                                                          \
		.name = tool_name, .title = tool_name, .description = "A tool of the suite.",      \
		.input = NO_ARGUMENTS, .only_reads = true, .run = (function), .question = key,     \
	}

static const struct mcp_tool *const tools[] = {
	SIMPLE("test_simple_text", simple_text),
	SIMPLE("test_image_content", image),
	SIMPLE("test_audio_content", audio),
	SIMPLE("test_embedded_resource", embedded),
	SIMPLE("test_multiple_content_types", mixed),
	SIMPLE("test_error_handling", fails),
	SIMPLE("test_tool_with_progress", progress),
	SIMPLE("test_elicitation_sep1034_defaults", defaults),
	SIMPLE("test_elicitation_sep1330_enums", enums),
	SIMPLE("test_logging_tool", simple_text),
	ASKING("test_streaming_elicitation", name, "name"),
	ASKING("test_input_required_result_capabilities", name, "name"),
	&(const struct mcp_tool){
		.name = "json_schema_2020_12_tool",
		.title = "json_schema_2020_12_tool",
		.description = "A tool of the suite.",
		.input = "{\"$schema\":\"https://json-schema.org/draft/2020-12/"
			 "schema\",\"type\":\"object\","
			 "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\","
			 "\"properties\":{"
			 "\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
			 "\"properties\":{"
			 "\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/"
			 "address\"}},"
			 "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":["
			 "\"email\"]}]}],"
			 "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
			 "\"required\":[\"contactMethod\"]},"
			 "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"
			 "\"additionalProperties\":false}",
		.only_reads = true,
		.run = simple_text,
	},
	ASKING("test_input_required_result_elicitation", name, "user_name"),
	ASKING("test_input_required_result_request_state", state, "confirm"),
	ASKING("test_input_required_result_tampered_state", state, "confirm"),
	&(const struct mcp_tool){
		.name = "test_elicitation",
		.title = "test_elicitation",
		.description = "A tool of the suite.",
		.input = "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},"
			 "\"required\":[\"message\"],\"additionalProperties\":false}",
		.only_reads = true,
		.run = elicits,
	},
	NULL};

int main(void)
{
	struct err err;

	return mcp_serve(tools, "The tools of the conformance suite.", NULL, &err) < 0;
}
