/* SPDX-License-Identifier: MIT
 *
 * See calls.h. No call waits for another one, nor the server for any.
 */
#include "door/mcp/calls.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/scope.h"
#include "door/mcp/child.h"

/* A line of a call's process; the largest has a picture in base64. */
enum { LINE_MAX_BYTES = 64 << 20 };

void server_send(struct mcp_server *s, json_t *message)
{
	struct err err;

	if (lines_send(&s->out, message, &err) < 0)
		s->out.fd = -1; /* a message is lost, so the client must not go on */
}

static void relay(struct mcp_server *s, const char *text, size_t len)
{
	struct err err;

	if (lines_put(&s->out, text, len, &err) < 0)
		s->out.fd = -1;
}

static void stop_process(struct server_call *c)
{
	if (c->pid) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	c->pid = 0;
	scope_close(&c->from.fd);
	lines_in_done(&c->from);
}

static void forget(struct server_call *c)
{
	stop_process(c);
	json_decref(c->id);
	json_decref(c->token);
	json_decref(c->arguments);
	free(c->unasked);
	*c = (struct server_call){.from = {.fd = -1}};
}

static struct server_call *find(struct mcp_server *s, const json_t *id)
{
	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		if (s->call[i].id && json_equal(s->call[i].id, id))
			return &s->call[i];
	return NULL;
}

static struct server_call *find_free(struct mcp_server *s)
{
	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		if (!s->call[i].id)
			return &s->call[i];
	return NULL;
}

static int begin(struct mcp_server *s, struct server_call *c, const struct call_start *start,
		 struct err *err)
{
	struct child_job job = {.tool = start->tool,
				.session = s->session,
				.id = start->id,
				.token = start->token,
				.arguments = start->arguments,
				.modern = start->modern,
				.can_ask = start->can_ask,
				.reply = start->reply,
				.reply_content = start->reply_content,
				.waits_for = start->waits_for};

	c->from = (struct lines_in){.fd = -1, .max = LINE_MAX_BYTES};
	return child_start(&job, &c->pid, &c->from.fd, err);
}

int call_start(struct mcp_server *s, const struct call_start *start, struct rpc_error *ret)
{
	struct server_call *c = find_free(s);
	struct err err;

	if (find(s, start->id))
		return rpc_fail(ret, RPC_INVALID_REQUEST,
				"another request with this id is not answered yet");
	if (!c)
		return rpc_fail(ret, RPC_BUSY,
				"%d calls are not answered yet; wait for one of them",
				SERVER_CALLS_MAX);
	if (begin(s, c, start, &err) < 0)
		return rpc_fail(ret, RPC_INTERNAL, "%.300s", err.message);
	c->id = json_incref(start->id);
	c->token = json_incref(start->token);
	c->arguments = json_incref(start->arguments);
	c->tool = start->tool;
	c->modern = start->modern;
	return 0;
}

void call_cancel(struct mcp_server *s, const json_t *id)
{
	struct server_call *c = id ? find(s, id) : NULL;

	if (!c)
		return;
	if (c->question) {
		json_t *params = json_pack("{s:i, s:s}", "requestId", (int)c->question, "reason",
					   "the call was cancelled");
		server_send(s, message_call("notifications/cancelled", NULL, params));
	}
	forget(c);
}

static void fail(struct mcp_server *s, struct server_call *c, const char *words)
{
	struct rpc_error err;

	rpc_fail(&err, RPC_INTERNAL, "%s", words);
	server_send(s, message_error(c->id, &err));
	forget(c);
}

static void ask(struct mcp_server *s, struct server_call *c, const char *text, size_t len)
{
	json_t *all = json_loadb(text, len, 0, NULL);
	const char *waits_for = json_string_value(json_object_get(all, "waits_for"));

	stop_process(c);
	if (waits_for && strlen(waits_for) < sizeof(c->waits_for)) {
		strncpy(c->waits_for, waits_for, sizeof(c->waits_for) - 1);
		c->question = ++s->questions;
		json_t *id = json_integer(c->question);
		server_send(s, message_call("elicitation/create", id,
					    json_incref(json_object_get(all, "params"))));
		json_decref(id);
	} else {
		fail(s, c, "the call's process sent a wrong question");
	}
	json_decref(all);
}

/* True: the row is free, or waits for a person. */
static bool take_line(struct mcp_server *s, struct server_call *c, struct lines_text line)
{
	const char *text = line.data + 1;
	size_t len = line.len ? line.len - 1 : 0;

	switch (line.len ? line.data[0] : 0) {
	case CHILD_MESSAGE:
		relay(s, text, len);
		return false;
	case CHILD_ANSWER:
		relay(s, text, len);
		forget(c);
		return true;
	case CHILD_UNASKED:
		free(c->unasked);
		c->unasked = strndup(text, len);
		return false;
	case CHILD_QUESTION:
		ask(s, c, text, len);
		return true;
	default:
		fail(s, c, "the call's process sent a wrong line");
		return true;
	}
}

void call_read(struct mcp_server *s, struct server_call *c)
{
	struct lines_text line;
	struct err err;
	int fd = c->from.fd;

	if (lines_read(&c->from, &err) < 0) {
		fail(s, c, err.message);
		return;
	}
	for (;;) {
		enum lines_event e = lines_next(&c->from, &line);
		if (e == LINES_NONE)
			return;
		if (e == LINES_LINE) {
			if (take_line(s, c, line))
				return;
			continue;
		}
		c->from.fd = fd; /* to close it */
		fail(s, c,
		     e == LINES_TOO_LONG ? "the answer is too large"
					 : "the call's process died; what it ran has ended");
		return;
	}
}

enum mcp_reply reply_of(const json_t *result)
{
	const char *action = json_string_value(json_object_get(result, "action"));

	return action && strcmp(action, "accept") == 0	  ? REPLY_ACCEPT
	       : action && strcmp(action, "decline") == 0 ? REPLY_DECLINE
							  : REPLY_CANCEL;
}

/* An accept only means that the person may have answered. The call is made again, and looks for the
 * approval. */
void call_reply(struct mcp_server *s, long number, const json_t *result)
{
	struct server_call *c = NULL;
	struct err err;

	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		if (s->call[i].id && s->call[i].question == number)
			c = &s->call[i];
	if (!c)
		return;
	c->question = 0;
	struct call_start again = {.id = c->id,
				   .token = c->token,
				   .arguments = c->arguments,
				   .tool = c->tool,
				   .modern = c->modern,
				   .reply = reply_of(result),
				   .reply_content = json_object_get(result, "content"),
				   .waits_for = c->waits_for};
	if (again.reply == REPLY_CANCEL && c->unasked) {
		relay(s, c->unasked, strlen(c->unasked));
		forget(c);
	} else if (begin(s, c, &again, &err) < 0) {
		fail(s, c, err.message);
	}
}

bool calls_are_open(const struct mcp_server *s)
{
	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		if (s->call[i].id && s->call[i].pid)
			return true;
	return false;
}

void calls_end(struct mcp_server *s)
{
	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		if (s->call[i].id)
			forget(&s->call[i]);
}
