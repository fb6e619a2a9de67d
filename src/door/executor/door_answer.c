/* SPDX-License-Identifier: MIT
 *
 * The shape of every message to the client.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "door/executor/door.h"

static void send(struct door *d, json_t *message)
{
	struct err err;

	/* A message that is lost would leave the client waiting. */
	if (lines_send(&d->out, message, &err) < 0)
		d->ends = true;
}

void door_answer(struct door *d, const json_t *id, const json_t *answer)
{
	json_t *message = json_object(), *value;
	const char *name;

	if (json_object_set(message, "id", (json_t *)id) < 0)
		d->ends = true;
	json_object_foreach ((json_t *)answer, name, value)
		if ((strcmp(name, "result") == 0 || strcmp(name, "error") == 0) &&
		    json_object_set(message, name, value) < 0)
			d->ends = true;
	send(d, message);
}

void door_result(struct door *d, const json_t *id, json_t *result)
{
	json_t *answer = json_pack("{s:o}", "result", result);

	door_answer(d, id, answer);
	json_decref(answer);
}

void door_error(struct door *d, const json_t *id, int code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_t *answer = rpc_error_object(code, text);
	door_answer(d, id, answer);
	json_decref(answer);
}

void door_notify(struct door *d, const char *method, json_t *params)
{
	send(d, json_pack("{s:s, s:o}", "method", method, "params", params));
}

/* No request can be named: the number is that of Codex's own server. */
void door_bad_line(struct door *d, const char *why)
{
	json_t *id = json_integer(-1);

	door_error(d, id, RPC_INVALID, "failed to parse JSON-RPC message: %s", why);
	json_decref(id);
}
