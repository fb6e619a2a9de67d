/* SPDX-License-Identifier: MIT
 *
 * See message.h. A message with a repeated key is refused, because another reader could take the other value.
 */
#include "door/mcp/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rpc_fail(struct rpc_error *err, enum rpc_code code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	err->data = NULL;
	va_start(ap, fmt);
	vsnprintf(err->words, sizeof(err->words), fmt, ap);
	va_end(ap);
	return -1;
}

static bool is_id(const json_t *id)
{
	return json_is_integer(id) ||
	       (json_is_string(id) && json_string_length(id) <= MESSAGE_ID_MAX);
}

/* So that the client learns which of its requests was wrong. */
static void find_id(struct message *m)
{
	json_t *id = json_object_get(m->whole, "id");

	m->id = is_id(id) ? id : NULL;
}

/* A message of which LINES cannot make an object may still have an id. */
static int explain(struct lines_text line, struct message *ret, const struct err *why,
		   struct rpc_error *err)
{
	json_error_t error;

	if (why->code == ERR_LIMIT)
		return rpc_fail(err, RPC_INVALID_REQUEST, "%s", why->message);
	ret->whole = json_loadb(line.data, line.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
	find_id(ret);
	if (json_is_array(ret->whole))
		return rpc_fail(err, RPC_INVALID_REQUEST,
				"batches are no part of the protocol: send one message a line");
	return rpc_fail(err, ret->whole ? RPC_INVALID_REQUEST : RPC_PARSE, "%.300s", why->message);
}

static int take_params(struct message *m, struct rpc_error *err)
{
	json_t *params = json_object_get(m->whole, "params");

	if (params && !json_is_object(params))
		return rpc_fail(err, RPC_INVALID_PARAMS, "params must be an object");
	m->params = params;
	return 0;
}

static int take_answer(struct message *m, struct rpc_error *err)
{
	json_t *result = json_object_get(m->whole, "result");

	if (!m->id || !result == !json_object_get(m->whole, "error"))
		return rpc_fail(err, RPC_INVALID_REQUEST, "the message has no method");
	m->kind = MESSAGE_ANSWER;
	m->result = result;
	return 0;
}

int message_read(struct lines_text line, struct message *ret, struct rpc_error *err)
{
	struct err why;

	*ret = (struct message){.whole = lines_parse(line, &why)};
	if (!ret->whole)
		return explain(line, ret, &why, err);
	json_t *id = json_object_get(ret->whole, "id"),
	       *version = json_object_get(ret->whole, "jsonrpc"),
	       *method = json_object_get(ret->whole, "method");
	find_id(ret);
	if (id && !ret->id)
		return rpc_fail(err, RPC_INVALID_REQUEST,
				"the id must be an integer, or a string of at most %d bytes",
				MESSAGE_ID_MAX);
	if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0)
		return rpc_fail(err, RPC_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
	if (!method)
		return take_answer(ret, err);
	if (!json_is_string(method))
		return rpc_fail(err, RPC_INVALID_REQUEST, "the method must be a string");
	ret->method = json_string_value(method);
	ret->kind = id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
	return take_params(ret, err);
}

void message_done(struct message *m)
{
	json_decref(m->whole);
	*m = (struct message){0};
}

json_t *message_result(json_t *id, json_t *result)
{
	return json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

json_t *message_error(json_t *id, struct rpc_error *err)
{
	json_t *e = json_pack("{s:i, s:s, s:o*}", "code", (int)err->code, "message", err->words,
			      "data", err->data);

	err->data = NULL;
	return json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, "error", e);
}

json_t *message_call(const char *method, json_t *id, json_t *params)
{
	return json_pack("{s:s, s:O*, s:s, s:o*}", "jsonrpc", "2.0", "id", id, "method", method,
			 "params", params);
}
