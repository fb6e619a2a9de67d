/* SPDX-License-Identifier: MIT
 *
 * See job.h.
 */
#include "door/executor/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"

static const struct {
	const char *kind;
	void (*run)(struct desk *d, const json_t *job);
} kinds[] = {{"start", start_job},
	     {"create", box_job_create},
	     {"stop", box_job_stop},
	     {"file", file_job},
	     {"input", input_job}};

static json_t *receive(struct desk *d)
{
	AUTO_FREE char *text = NULL;
	size_t len = 0, count = 1;

	if (io_recv_fds(d->socket, &len, sizeof(len), &d->input, &count) != sizeof(len))
		return NULL;
	if (!count)
		d->input = -1;
	text = malloc(len + 1);
	if (!text || io_read_full(d->socket, text, len) != (ssize_t)len)
		return NULL;
	return json_loadb(text, len, 0, NULL);
}

void jobs_do(const struct executor_options *o, int socket, int signals)
{
	struct desk d = {.options = o,
			 .socket = socket,
			 .signals = signals,
			 .input = -1,
			 .session = GATE_SESSION_CLOSED};
	struct err ignored;
	json_t *job;

	/* Before they are needed; each job reports a failure. */
	(void)desk_open(&d, &ignored);
	(void)gate_session_rules(&d.session, o->request, &ignored);
	while ((job = receive(&d))) {
		const char *kind = job_text(job, "kind");
		for (size_t i = 0; kind && i < ARRAY_SIZE(kinds); i++)
			if (strcmp(kinds[i].kind, kind) == 0)
				kinds[i].run(&d, job);
		json_decref(job);
		scope_close(&d.input);
		if (d.runs_programs)
			gate_session_prepare(&d.session);
		/* A worker without memory must decide nothing more. */
		if (memory_is_out())
			break;
	}
	gate_session_close(&d.session);
}
