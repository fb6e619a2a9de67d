/* SPDX-License-Identifier: MIT
 *
 * See protocol.h. A method is a row. Nothing that a client says gives it more than the options of the
 * server's own command line.
 */
#include "door/mcp/protocol.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scope.h"
#include "door/mcp/calls.h"
#include "door/mcp/schema.h"

#define META "io.modelcontextprotocol/"
#define MODERN "2026-07-28"
#define NEWEST_LEGACY "2025-11-25"

enum { TOOLS_TTL_MS = 3600000 };

/* The newest first. */
static const char *const versions[] = {MODERN, NEWEST_LEGACY, "2025-06-18", "2025-03-26",
				       "2024-11-05"};
enum { LEGACY_FIRST = 1 };

struct query {
	const struct message *m;
	json_t *meta; /* params._meta, or NULL */
	bool modern;
};

static json_t *version_list(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		json_array_append_new(list, json_string(versions[i]));
	return list;
}

static json_t *capabilities(void)
{
	return json_pack("{s:{}}", "tools");
}

/* ---- the methods; each returns the result, or NULL with *ERR or when the answer comes later ---- */

static json_t *initialize(struct mcp_server *s, const struct query *q, struct rpc_error *err)
{
	const char *wanted = json_string_value(json_object_get(q->m->params, "protocolVersion")),
		   *name = json_string_value(
			   json_object_get(json_object_get(q->m->params, "clientInfo"), "name")),
		   *version = NEWEST_LEGACY;
	const json_t *theirs = json_object_get(q->m->params, "capabilities");

	if (!wanted) {
		rpc_fail(err, RPC_INVALID_PARAMS, "params.protocolVersion must be a string");
		return NULL;
	}
	for (size_t i = LEGACY_FIRST; i < ARRAY_SIZE(versions); i++)
		if (strcmp(wanted, versions[i]) == 0)
			version = versions[i];
	snprintf(s->client, sizeof(s->client), "%s", name ? name : "client");
	/* Before 2025-06-18 there is no elicitation; before 2025-11-25 all of it is by form. */
	const json_t *elicits = json_object_get(theirs, "elicitation");
	s->asks_people =
		elicits && (!json_object_size(elicits) || json_object_get(elicits, "form"));
	return json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", version, "capabilities",
			 capabilities(), "serverInfo", mcp_server_info(), "instructions",
			 s->instructions);
}

static json_t *discover(struct mcp_server *s, const struct query *q, struct rpc_error *err)
{
	(void)q, (void)err;
	return json_pack("{s:o, s:o, s:o, s:s, s:i, s:s}", "supportedVersions", version_list(),
			 "capabilities", capabilities(), "serverInfo", mcp_server_info(),
			 "instructions", s->instructions, "ttlMs", TOOLS_TTL_MS, "cacheScope",
			 "public");
}

static json_t *ping(struct mcp_server *s, const struct query *q, struct rpc_error *err)
{
	(void)s, (void)q, (void)err;
	return json_object();
}

static json_t *describe(const struct mcp_tool *t)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:{s:b, s:b, s:b}}", "name", t->name, "title",
			      t->title, "description", t->description, "inputSchema",
			      json_loads(t->input, 0, NULL), "annotations", "readOnlyHint",
			      t->only_reads, "destructiveHint", !t->only_reads, "openWorldHint",
			      t->reaches_out);

	if (t->output)
		json_object_set_new(o, "outputSchema", json_loads(t->output, 0, NULL));
	return o;
}

static json_t *list_tools(struct mcp_server *s, const struct query *q, struct rpc_error *err)
{
	json_t *list = json_array(), *result = json_pack("{s:o}", "tools", list);

	if (json_object_get(q->m->params, "cursor")) {
		json_decref(result);
		rpc_fail(err, RPC_INVALID_PARAMS, "there is no such cursor: the list has one page");
		return NULL;
	}
	for (size_t i = 0; s->tools[i]; i++)
		json_array_append_new(list, describe(s->tools[i]));
	if (q->modern) {
		json_object_set_new(result, "ttlMs", json_integer(TOOLS_TTL_MS));
		json_object_set_new(result, "cacheScope", json_string("public"));
	}
	return result;
}

static const struct mcp_tool *find_tool(struct mcp_server *s, const char *name,
					struct rpc_error *ret)
{
	struct nearest near = nearest_begin(name, strlen(name));
	struct err err;

	for (size_t i = 0; s->tools[i]; i++) {
		if (strcmp(name, s->tools[i]->name) == 0)
			return s->tools[i];
		nearest_try(&near, s->tools[i]->name);
	}
	err_set(&err, ERR_INPUT, "there is no tool \"%.128s\"", name);
	nearest_say(&err, "", near.name);
	rpc_fail(ret, RPC_INVALID_PARAMS, "%.300s", err.message);
	return NULL;
}

/* Wrong arguments are an error of the tool: a model reads that and does better. */
static json_t *check_arguments(const struct mcp_tool *tool, const json_t *arguments, bool modern)
{
	json_t *schema = json_loads(tool->input, 0, NULL);
	struct mcp_answer a = {0};
	struct err err;
	int r = schema_check(schema, arguments, "", &err);

	json_decref(schema);
	if (r == 0)
		return NULL;
	mcp_answer_error(&a, &err);
	return mcp_answer_result(&a, tool, modern);
}

/* In the modern era the client makes the call again, with the person's answer. If that does not
 * answer our question, the person is asked again. */
static int take_reply(const struct query *q, struct call_start *start, struct rpc_error *err)
{
	const json_t *state = json_object_get(q->m->params, "requestState"),
		     *all = json_object_get(q->m->params, "inputResponses"),
		     *ours = json_object_get(all, mcp_question(start->tool));

	if (state && (!json_is_string(state) || !approval_id_is_good(json_string_value(state))))
		return rpc_fail(err, RPC_INVALID_PARAMS, "params.requestState is not one of ours");
	if (all && !json_is_object(all))
		return rpc_fail(err, RPC_INVALID_PARAMS, "params.inputResponses must be an object");
	start->waits_for = json_string_value(state);
	if (!json_is_string(json_object_get(ours, "action")))
		return 0;
	start->reply = reply_of(ours);
	start->reply_content = json_object_get(ours, "content");
	return 0;
}

static bool can_ask(const struct mcp_server *s, const struct query *q)
{
	const json_t *theirs = json_object_get(q->meta, META "clientCapabilities"),
		     *elicits = json_object_get(theirs, "elicitation");

	if (!q->modern)
		return s->asks_people;
	return elicits && (!json_object_size(elicits) || json_object_get(elicits, "form"));
}

static json_t *fail_tool(const struct mcp_tool *tool, const struct err *err, bool modern)
{
	struct mcp_answer a = {0};

	mcp_answer_error(&a, err);
	return mcp_answer_result(&a, tool, modern);
}

static json_t *call_tool(struct mcp_server *s, const struct query *q, struct rpc_error *err)
{
	const char *name = json_string_value(json_object_get(q->m->params, "name"));
	json_t *given = json_object_get(q->m->params, "arguments"), *result;
	struct err why;

	if (!name) {
		rpc_fail(err, RPC_INVALID_PARAMS, "params.name must be a string");
		return NULL;
	}
	const struct mcp_tool *tool = find_tool(s, name, err);
	if (!tool)
		return NULL;
	if (given && !json_is_object(given)) {
		rpc_fail(err, RPC_INVALID_PARAMS, "params.arguments must be an object");
		return NULL;
	}
	json_t *arguments = given ? json_incref(given) : json_object();
	struct call_start start = {.id = q->m->id,
				   .token = json_object_get(q->meta, "progressToken"),
				   .arguments = arguments,
				   .tool = tool,
				   .modern = q->modern,
				   .can_ask = can_ask(s, q)};
	if (q->modern && take_reply(q, &start, err) < 0) {
		json_decref(arguments);
		return NULL;
	}
	result = check_arguments(tool, arguments, q->modern);
	if (!result && s->session && session_begin(s->session, s->client, &why) < 0)
		result = fail_tool(tool, &why, q->modern);
	if (!result)
		call_start(s, &start, err);
	json_decref(arguments);
	return result;
}

static const struct mcp_method {
	const char *name;
	bool legacy, modern;
	json_t *(*answer)(struct mcp_server *s, const struct query *q, struct rpc_error *err);
} methods[] = {{"initialize", true, false, initialize},
	       {"ping", true, false, ping},
	       {"server/discover", false, true, discover},
	       {"tools/list", true, true, list_tools},
	       {"tools/call", true, true, call_tool}};

/* ---- the two eras ---- */

static int check_version(const char *version, struct rpc_error *err)
{
	if (strcmp(version, MODERN) == 0)
		return 0;
	rpc_fail(err, RPC_UNSUPPORTED_VERSION, "the version %.32s is not supported", version);
	err->data = json_pack("{s:o, s:s}", "supported", version_list(), "requested", version);
	return -1;
}

/* A request of the modern era carries its version. */
static int find_era(struct query *q, struct rpc_error *err)
{
	q->meta = json_object_get(q->m->params, "_meta");
	if (q->meta && !json_is_object(q->meta))
		return rpc_fail(err, RPC_INVALID_PARAMS, "params._meta must be an object");
	const json_t *version = json_object_get(q->meta, META "protocolVersion"),
		     *theirs = json_object_get(q->meta, META "clientCapabilities"),
		     *token = json_object_get(q->meta, "progressToken");
	if (token && !json_is_string(token) && !json_is_integer(token))
		return rpc_fail(err, RPC_INVALID_PARAMS,
				"params._meta.progressToken must be a string or an integer");
	if (!version && !theirs)
		return 0;
	q->modern = true;
	if (!json_is_string(version))
		return rpc_fail(err, RPC_INVALID_PARAMS,
				"params._meta lacks " META "protocolVersion, a string");
	if (check_version(json_string_value(version), err) < 0)
		return -1;
	return json_is_object(theirs)
		       ? 0
		       : rpc_fail(err, RPC_INVALID_PARAMS,
				  "params._meta lacks " META "clientCapabilities, an object");
}

static const struct mcp_method *find_method(const struct query *q, struct rpc_error *err)
{
	const struct mcp_method *other = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		const struct mcp_method *m = &methods[i];
		if (strcmp(q->m->method, m->name) != 0)
			continue;
		if (q->modern ? m->modern : m->legacy)
			return m;
		other = m;
	}
	if (other && !q->modern)
		rpc_fail(err, RPC_INVALID_PARAMS,
			 "%s needs " META "protocolVersion and " META
			 "clientCapabilities in params._meta",
			 other->name);
	else
		rpc_fail(err, RPC_NO_METHOD, "there is no method \"%.128s\"", q->m->method);
	return NULL;
}

static void take_request(struct mcp_server *s, const struct message *m)
{
	struct query q = {.m = m};
	struct rpc_error err = {0};
	json_t *result = NULL;

	if (find_era(&q, &err) == 0) {
		const struct mcp_method *method = find_method(&q, &err);
		if (method)
			result = method->answer(s, &q, &err);
	}
	if (err.code)
		server_send(s, message_error(m->id, &err));
	else if (result)
		server_send(s, message_result(m->id, mcp_finish(result, q.modern)));
}

/* Notifications are never answered, not even unknown ones. */
static void take_notification(struct mcp_server *s, const struct message *m)
{
	if (strcmp(m->method, "notifications/cancelled") == 0)
		call_cancel(s, json_object_get(m->params, "requestId"));
}

void protocol_refuse(struct mcp_server *s, const char *words)
{
	struct rpc_error err;

	rpc_fail(&err, RPC_INVALID_REQUEST, "%s", words);
	server_send(s, message_error(NULL, &err));
}

static bool is_blank(struct lines_text line)
{
	size_t i = 0;

	while (i < line.len && strchr(" \t\r", line.data[i]) && line.data[i])
		i++;
	return i == line.len;
}

void protocol_take(struct mcp_server *s, struct lines_text line)
{
	AUTO_MESSAGE struct message m = {0};
	struct rpc_error err;

	if (is_blank(line))
		return;
	if (message_read(line, &m, &err) < 0)
		server_send(s, message_error(m.id, &err));
	else if (m.kind == MESSAGE_REQUEST)
		take_request(s, &m);
	else if (m.kind == MESSAGE_NOTIFICATION)
		take_notification(s, &m);
	else if (json_is_integer(m.id))
		call_reply(s, (long)json_integer_value(m.id), m.result);
}
