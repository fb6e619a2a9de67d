/* SPDX-License-Identifier: MIT
 *
 * The methods of the executor, a row each, and the shape of every message. Words and codes of errors are
 * those of Codex's own server, because the client acts on them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/version.h"
#include "door/executor/door.h"

static json_t *environment(const struct door *d)
{
	AUTO_FREE char *uri = rpc_uri(d->options->request->workspace);

	return json_pack("{s:{s:s, s:s}, s:s, s:s, s:s, s:s}", "shell", "name", "bash", "path",
			 "/bin/bash", "executorVersion", "cordon " CORDON_VERSION, "cwd",
			 uri ? uri : "", "userHomeDir", "file:///home", "platformOs", "linux");
}

static void initialize(struct door *d, const json_t *id, const json_t *params)
{
	const char *resumed = json_string_value(json_object_get(params, "resumeSessionId"));

	if (d->was_greeted) {
		door_error(d, id, RPC_INVALID, "initialize may only be sent once per connection");
		return;
	}
	if (resumed) {
		door_error(d, id, RPC_INVALID, "unknown session id %.100s", resumed);
		return;
	}
	d->was_greeted = true;
	door_result(d, id,
		    json_pack("{s:s, s:o}", "sessionId", d->session, "environmentInfo",
			      environment(d)));
}

static void environment_info(struct door *d, const json_t *id, const json_t *params)
{
	(void)params;
	door_result(d, id, environment(d));
}

static void environment_status(struct door *d, const json_t *id, const json_t *params)
{
	(void)params;
	door_result(d, id, json_pack("{s:s}", "status", "ready"));
}

/* Files need no network. Without a sandbox a read is one of the client's own. */
static void file_method(struct door *d, const json_t *id, const char *method, const json_t *params)
{
	unsigned wish = 0;
	struct err err;

	if (wish_read(json_object_get(params, "sandbox"), d->options->request->workspace, &wish,
		      &err) < 0) {
		door_error(d, id, RPC_INVALID, "%s", err.message);
		return;
	}
	door_call(d, CALL_FILE, wish | WISH_NO_NET,
		  json_pack("{s:s, s:s, s:O}", "kind", "file", "method", method, "params", params),
		  id, NULL);
}

static const struct method {
	const char *name;
	const char
		*what; /* for the error before the client is initialized; NULL: it may come then */
	void (*run)(struct door *d, const json_t *id, const json_t *params); /* NULL: for files */
} methods[] = {
	{"initialize", NULL, initialize},
	{"environment/info", "environment info", environment_info},
	{"environment/status", "environment status", environment_status},
	{"process/start", "process", process_start},
	{"process/read", "process", process_read},
	{"process/write", "process", process_write},
	{"process/signal", "process", process_signal},
	{"process/terminate", "process", process_terminate},
	{"fs/getMetadata", "filesystem", NULL},
	{"fs/readFile", "filesystem", NULL},
	{"fs/writeFile", "filesystem", NULL},
	{"fs/createDirectory", "filesystem", NULL},
	{"fs/remove", "filesystem", NULL},
	{"fs/canonicalize", "filesystem", NULL},
	{"fs/walk", "filesystem", NULL},
	{"fs/readDirectory", "filesystem", NULL},
	{"fs/copy", "filesystem", NULL},
	{"fs/open", "filesystem", NULL},
	{"fs/readBlock", "filesystem", NULL},
	{"fs/close", "filesystem", NULL},
};

static void request(struct door *d, const json_t *id, const char *name, const json_t *params)
{
	const struct method *m = methods;

	while (m < methods + ARRAY_SIZE(methods) && strcmp(m->name, name) != 0)
		m++;
	if (m == methods + ARRAY_SIZE(methods))
		door_error(d, id, RPC_NO_METHOD, "cordon executor does not serve `%.100s`", name);
	else if (m->what && !d->is_open)
		door_error(d, id, RPC_INVALID, "client must %s before using %s methods",
			   d->was_greeted ? "send initialized" : "call initialize", m->what);
	else if (m->run)
		m->run(d, id, params);
	else if (!json_is_object(params))
		door_error(d, id, RPC_PARAMS, "params must be an object");
	else
		file_method(d, id, m->name, params);
}

/* The reference server closes the connection on a notification that it does not know. */
static void notification(struct door *d, const char *name)
{
	if (strcmp(name, "initialized") == 0 && d->was_greeted)
		d->is_open = true;
	else
		d->ends = true;
}

void door_message(struct door *d, json_t *message)
{
	const json_t *id = json_object_get(message, "id"),
		     *params = json_object_get(message, "params");
	const char *name = json_string_value(json_object_get(message, "method"));

	if (!name || (id && !json_is_integer(id) && !json_is_string(id)))
		door_bad_line(d, name ? "the id is no number and no string" : "it has no method");
	else if (id)
		request(d, id, name, params);
	else
		notification(d, name);
}
