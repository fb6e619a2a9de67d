/* SPDX-License-Identifier: MIT
 *
 * The methods about programs. process/start is answered at once: the gate, a box or a person is waited for
 * inside, because an interrupt of the user only comes through afterwards.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/scope.h"
#include "door/executor/door.h"

enum { ARGS_MAX = 4096 };

static const char *text_of(const json_t *params, const char *name)
{
	return json_string_value(json_object_get(params, name));
}

/* NULL: the request was answered with an error. */
static const char *id_of(struct door *d, const json_t *id, const json_t *params)
{
	const char *name = text_of(params, "processId");

	if (name && *name && strlen(name) <= PROCESS_ID_MAX)
		return name;
	door_error(d, id, RPC_PARAMS, "missing field `processId`, or it is longer than %d bytes",
		   PROCESS_ID_MAX);
	return NULL;
}

static bool has_words(const json_t *argv)
{
	const json_t *word;
	size_t i;

	json_array_foreach (argv, i, word)
		if (!json_is_string(word))
			return false;
	return i > 0 && i <= ARGS_MAX && *json_string_value(json_array_get(argv, 0));
}

/* What a worker needs of the parameters. The variables that the policy of the client sets come first. */
static json_t *make_job(const json_t *params, const char *cwd)
{
	json_t *job = json_pack("{s:s, s:O, s:s, s:o, s:b}", "kind", "start", "argv",
				json_object_get(params, "argv"), "cwd", cwd, "env", json_object(),
				"tty", json_is_true(json_object_get(params, "tty")));
	json_t *env = json_object_get(job, "env");
	const json_t *set = json_object_get(json_object_get(params, "envPolicy"), "set"),
		     *over = json_object_get(params, "env"),
		     *arg0 = json_object_get(params, "arg0");

	if (json_is_object(set))
		json_object_update(env, (json_t *)set);
	if (json_is_object(over))
		json_object_update(env, (json_t *)over);
	if (json_is_string(arg0))
		json_object_set(job, "arg0", (json_t *)arg0);
	return job;
}

/* Text that is typed to a shell is a program. */
static bool is_shell(const json_t *argv)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh"};
	const char *program = json_string_value(json_array_get(argv, 0)),
		   *slash = strrchr(program, '/');

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (strcmp(slash ? slash + 1 : program, shells[i]) == 0)
			return true;
	return false;
}

/* A row whose program has ended may be taken before its time. */
static struct process *find_row(struct door *d)
{
	struct process *oldest = NULL;

	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++) {
		struct process *p = &d->process[i];
		if (!p->id[0])
			return p;
		if (p->has_exited && (!oldest || p->until_ns < oldest->until_ns))
			oldest = p;
	}
	if (oldest)
		process_free(d, oldest);
	return oldest;
}

static int open_input(struct process *p)
{
	int pair[2];

	if (!p->takes_input)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	p->to.fd = pair[0];
	p->theirs = pair[1];
	return 0;
}

static void begin(struct door *d, const json_t *id, const json_t *params, const char *name,
		  const char *cwd, unsigned wish)
{
	struct process *p = find_row(d);

	if (!p) {
		door_error(d, id, RPC_INVALID, "%d programs run already", DOOR_PROCESSES_MAX);
		return;
	}
	*p = (struct process){.wish = wish, .theirs = -1, .to = {.fd = -1}};
	p->tty = json_is_true(json_object_get(params, "tty"));
	p->takes_input = p->tty || json_is_true(json_object_get(params, "pipeStdin"));
	p->is_shell = is_shell(json_object_get(params, "argv"));
	p->job = make_job(params, cwd);
	if (!p->job || open_input(p) < 0) {
		json_decref(p->job);
		door_error(d, id, RPC_FAILED, "cordon: no memory, or no more descriptors");
		return;
	}
	snprintf(p->id, sizeof(p->id), "%s", name);
	door_result(d, id, json_pack("{s:s, s:s}", "processId", name, "sandboxType", "none"));
}

void process_start(struct door *d, const json_t *id, const json_t *params)
{
	const char *name = id_of(d, id, params);
	AUTO_FREE char *cwd = rpc_path(text_of(params, "cwd"));
	unsigned wish;
	struct err err;

	if (!name)
		return;
	if (!has_words(json_object_get(params, "argv"))) {
		door_error(d, id, RPC_PARAMS,
			   "argv must not be empty, and is a list of at most %d texts", ARGS_MAX);
	} else if (!cwd) {
		door_error(d, id, RPC_PARAMS, "cwd: a file: URI is needed");
	} else if (process_find(d, name)) {
		door_error(d, id, RPC_INVALID, "process %s already exists", name);
	} else if (wish_read(json_object_get(params, "sandbox"), d->options->request->workspace,
			     &wish, &err) < 0) {
		door_error(d, id, RPC_INVALID, "cordon: %s; %s", err.message, err.cure);
	} else {
		begin(d, id, params, name, cwd, wish);
	}
}

void process_read(struct door *d, const json_t *id, const json_t *params)
{
	const char *name = id_of(d, id, params);
	struct process *p = name ? process_find(d, name) : NULL;
	json_int_t wait_ms = json_integer_value(json_object_get(params, "waitMs")),
		   after = json_integer_value(json_object_get(params, "afterSeq"));
	const json_t *most = json_object_get(params, "maxBytes");

	if (!name)
		return;
	if (!p) {
		door_error(d, id, RPC_INVALID, "unknown process id %s", name);
		return;
	}
	for (size_t i = 0; i < DOOR_READS_MAX; i++) {
		struct waiting_read *r = &d->read[i];
		if (r->id)
			continue;
		if (wait_ms < 0 || wait_ms > 24 * 3600 * 1000)
			wait_ms = 0;
		*r = (struct waiting_read){.id = json_incref((json_t *)id),
					   .process = p,
					   .after = after > 0 ? (uint64_t)after : 0,
					   .until_ns = io_now_ns() + (uint64_t)wait_ms * 1000000,
					   .most = json_is_integer(most) &&
								   json_integer_value(most) >= 0
							   ? (size_t)json_integer_value(most)
							   : SIZE_MAX};
		process_answer_reads(d);
		return;
	}
	door_error(d, id, RPC_INVALID, "more than %d calls wait for output", DOOR_READS_MAX);
}

/* A client that connects again may send the same text twice. */
static bool is_repeated(struct process *p, const char *write_id)
{
	uint8_t sha256[DIGEST_BYTES];
	uint64_t key;

	digest_of(sha256, write_id, strlen(write_id));
	memcpy(&key, sha256, sizeof(key));
	for (size_t i = 0; i < PROCESS_WRITES_MAX && i < p->writec; i++)
		if (p->write[i] == key)
			return true;
	p->write[p->writec++ % PROCESS_WRITES_MAX] = key;
	return false;
}

void process_write(struct door *d, const json_t *id, const json_t *params)
{
	const char *name = id_of(d, id, params), *write_id = text_of(params, "writeId");
	struct process *p = name ? process_find(d, name) : NULL;
	const json_t *chunk = json_object_get(params, "chunk");
	size_t len = 0;

	if (!name)
		return;
	AUTO_FREE char *data = rpc_bytes(json_string_value(chunk), json_string_length(chunk), &len);
	if (!data || !write_id) {
		door_error(d, id, RPC_PARAMS,
			   data ? "missing field `writeId`" : "chunk is no base64");
		return;
	}
	const char *status = !p ? "unknownProcess" : !p->takes_input ? "stdinClosed" : "accepted";
	if (p && p->takes_input && !p->has_exited && !is_repeated(p, write_id)) {
		if (lines_waiting(&p->to) + len > PROCESS_INPUT_MAX) {
			door_error(d, id, RPC_INVALID,
				   "the program has not read %d MB of its input",
				   PROCESS_INPUT_MAX >> 20);
			return;
		}
		door_call(d, CALL_INPUT, p->wish,
			  json_pack("{s:s, s:O, s:b}", "kind", "input", "text", chunk, "shell",
				    p->is_shell),
			  NULL, name);
	}
	door_result(d, id, json_pack("{s:s}", "status", status));
}

void process_signal(struct door *d, const json_t *id, const json_t *params)
{
	const char *name = id_of(d, id, params), *sig = text_of(params, "signal");
	struct process *p = name ? process_find(d, name) : NULL;

	if (!name)
		return;
	if (!sig || strcmp(sig, "interrupt") != 0) {
		door_error(d, id, RPC_PARAMS, "signal: only \"interrupt\"");
		return;
	}
	if (p && !p->has_exited) {
		if (p->has_started)
			job_worker_signal(p->worker, SIGINT);
		else
			process_kill(d, p);
	}
	door_result(d, id, json_object());
}

void process_terminate(struct door *d, const json_t *id, const json_t *params)
{
	const char *name = id_of(d, id, params);
	struct process *p = name ? process_find(d, name) : NULL;

	if (!name)
		return;
	door_result(d, id, json_pack("{s:b}", "running", p && !p->has_exited));
	if (p && !p->has_exited)
		process_kill(d, p);
}
