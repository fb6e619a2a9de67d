/* SPDX-License-Identifier: MIT
 *
 * What all jobs share. See job.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "door/executor/job.h"
#include "door/executor/rpc.h"
#include "show/run_summary.h"

/* Of a dead door there is nothing to tell. */
void desk_send(struct desk *d, enum frame_kind kind, const void *data, size_t len)
{
	const struct frame head = {(uint32_t)kind, (uint32_t)len};

	if (io_write_all(d->socket, &head, sizeof(head)) < 0 ||
	    io_write_all(d->socket, data, len) < 0)
		_exit(0);
}

void desk_answer(struct desk *d, json_t *answer)
{
	AUTO_FREE char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;

	json_decref(answer);
	if (!text || strlen(text) > WORKER_FRAME_MAX)
		_exit(125); /* the door reports a worker that died */
	desk_send(d, FRAME_ANSWER, text, strlen(text));
}

void desk_error(struct desk *d, int code, const char *fmt, ...)
{
	char message[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	desk_answer(d, rpc_error_object(code, message));
}

int desk_open(struct desk *d, struct err *err)
{
	const struct gate_state_options o = {.path = d->options->request->state};

	return d->session.state.store ? 0 : gate_state_open(&d->session.state, &o, err);
}

const char *job_text(const json_t *job, const char *name)
{
	return json_string_value(json_object_get(job, name));
}

/* The summary of cordon exec, which goes to standard error. */
char *desk_words(const struct result *r, const struct request *req)
{
	AUTO_CLOSE int words = memfd_create("words", MFD_CLOEXEC), old = dup(STDERR_FILENO);
	char *text = NULL;

	if (words < 0 || old < 0 || dup2(words, STDERR_FILENO) < 0)
		return NULL;
	run_summary_print(r, req, false);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	off_t len = lseek(words, 0, SEEK_END);
	text = len < 0 ? NULL : calloc(1, (size_t)len + 1);
	if (text && pread(words, text, (size_t)len, 0) != len) {
		free(text);
		text = NULL;
	}
	return text;
}
