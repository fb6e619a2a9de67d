/* SPDX-License-Identifier: MIT
 *
 * The tool that says what has become of requests to people. It tells only those of its own conversation, and
 * nothing in this door can approve one.
 */
#include <string.h>

#include "base/scope.h"
#include "door/mcp/run_answer.h"
#include "door/mcp/tools.h"
#include "show/jsonval.h"

static int open_state(const struct mcp_session *s, bool read_only, struct gate_state *ret,
		      struct err *err)
{
	const struct gate_state_options options = {.path = s->command.state,
						   .read_only = read_only};

	return gate_state_open(ret, &options, err);
}

static int load(const struct mcp_session *s, struct gate_state *state, const char *id,
		struct approval *ret, struct err *err)
{
	if (!approval_id_is_good(id))
		return err_set(err, ERR_INPUT, "approval_id is no id of a request");
	if (approval_load(state->store, id, ret, err) < 0)
		return -1;
	return strcmp(ret->request.conversation, s->conversation) == 0
		       ? 0
		       : err_set(err, ERR_REFUSED, "the request %s belongs to another conversation",
				 id);
}

static json_t *describe(const struct approval *a, uint64_t now)
{
	json_t *o = json_pack("{s:s, s:s, s:o}", "approval_id", a->id, "status",
			      approval_state_name(approval_state_at(a, now)), "summary",
			      run_answer_lines(a, now));

	if (a->status.reason && *a->status.reason)
		json_object_set_new(o, "reason", jsonval_readable(a->status.reason));
	return o;
}

struct listing {
	const struct mcp_session *session;
	struct gate_state *state;
	json_t *list;
};

static int add_one(void *context, const char *id, struct err *err)
{
	AUTO_APPROVAL struct approval a = {0};
	struct listing *l = context;
	struct err ignored;

	(void)err;
	if (load(l->session, l->state, id, &a, &ignored) == 0)
		json_array_append_new(l->list, describe(&a, l->state->keeper.now_us() / 1000));
	return 0;
}

static int find(const struct mcp_call *call, struct gate_state *state, json_t *list,
		struct err *err)
{
	struct listing l = {call->session, state, list};
	AUTO_APPROVAL struct approval a = {0};
	const char *id = mcp_text(call, "approval_id");

	if (open_state(call->session, true, state, err) < 0)
		return -1;
	if (!id)
		return approval_each(state->store, false, add_one, &l, err);
	if (load(call->session, state, id, &a, err) < 0)
		return -1;
	json_array_append_new(list, describe(&a, state->keeper.now_us() / 1000));
	return 0;
}

static void say(struct mcp_answer *ret, const json_t *list)
{
	struct arena a = {0};
	const char *text = json_array_size(list) ? "" : "cordon: no request waits\n";
	json_t *one, *line;
	size_t i, k;

	json_array_foreach (list, i, one) {
		text = arena_printf(&a, "%s%s: %s\n", text,
				    json_string_value(json_object_get(one, "approval_id")),
				    json_string_value(json_object_get(one, "status")));
		json_array_foreach (json_object_get(one, "summary"), k, line)
			text = arena_printf(&a, "%s  %s\n", text, json_string_value(line));
	}
	mcp_add_text(ret, text, strlen(text));
	arena_done(&a);
}

static void status(struct mcp_call *call, struct mcp_answer *ret)
{
	AUTO_STATE struct gate_state state = STATE_CLOSED;
	json_t *list = json_array();
	struct err err;

	if (find(call, &state, list, &err) < 0) {
		json_decref(list);
		mcp_answer_error(ret, &err);
		return;
	}
	say(ret, list);
	ret->structured = json_pack("{s:s, s:o}", "status", "listed", "requests", list);
}

int approval_decline(struct mcp_session *s, const char *id, struct err *err)
{
	AUTO_STATE struct gate_state state = STATE_CLOSED;
	AUTO_APPROVAL struct approval a = {0};
	struct approval_actor actor;

	approval_actor_here(&actor);
	if (open_state(s, false, &state, err) < 0 || load(s, &state, id, &a, err) < 0 ||
	    approval_deny(state.store, &a, &actor, "declined in the MCP client",
			  state.keeper.now_us() / 1000, err) < 0)
		return -1;
	err_set(err, ERR_REFUSED, "not run: a person declined it in the client");
	err_cause(err, "the request %s is denied", id);
	return -1;
}

const struct mcp_tool tool_approval_status = {
	.name = "approval_status",
	.title = "Ask what has become of a request to a person",
	.description =
		"Says whether a person has answered a request of this session; without an id, "
		"lists "
		"those that wait. After an approval, make the call again that was refused. Only a "
		"person can answer, outside of this session.",
	.input = "{\"type\":\"object\",\"properties\":{\"approval_id\":{\"type\":\"string\"}},"
		 "\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{\"status\":{\"type\":\"string\"},"
		  "\"requests\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		  "\"approval_id\":{\"type\":\"string\"},"
		  "\"status\":{\"type\":\"string\",\"description\":\"pending, approved, denied, "
		  "expired or "
		  "used\"},\"reason\":{\"type\":\"string\"},"
		  "\"summary\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}},"
		  "\"error\":{\"type\":\"object\"}},\"required\":[\"status\"]}",
	.only_reads = true,
	.run = status,
};
