/* SPDX-License-Identifier: MIT
 *
 * What the client is told of a program: one number for each event, without a gap.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "door/executor/door.h"

enum { CHUNK_MAX = 512 << 10 };

struct process *process_find(struct door *d, const char *id)
{
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++)
		if (d->process[i].id[0] && strcmp(d->process[i].id, id) == 0)
			return &d->process[i];
	return NULL;
}

/* The oldest output goes first. */
static void keep(struct process *p, struct chunk *c)
{
	if (p->last)
		p->last->next = c;
	else
		p->first = c;
	p->last = c;
	p->kept += c->len;
	while (p->kept > PROCESS_KEPT_MAX && p->first != p->last) {
		struct chunk *old = p->first;
		p->first = old->next;
		p->kept -= old->len;
		free(old);
	}
}

static void say_part(struct door *d, struct process *p, int stream, const char *data, size_t len)
{
	AUTO_FREE char *text = rpc_base64(data, len);
	struct chunk *c = text ? malloc(sizeof(*c) + strlen(text) + 1) : NULL;

	if (!c) { /* no output is left out silently */
		d->ends = true;
		return;
	}
	*c = (struct chunk){.seq = ++p->seq,
			    .stream = p->tty   ? "pty"
				      : stream ? "stderr"
					       : "stdout",
			    .len = len};
	memcpy(c->base64, text, strlen(text) + 1);
	door_notify(d, "process/output",
		    json_pack("{s:s, s:I, s:s, s:s}", "processId", p->id, "seq", (json_int_t)c->seq,
			      "stream", c->stream, "chunk", text));
	keep(p, c);
}

void process_say(struct door *d, struct process *p, int stream, const char *data, size_t len)
{
	for (size_t at = 0; at < len && !p->has_exited; at += CHUNK_MAX)
		say_part(d, p, stream, data + at, len - at < CHUNK_MAX ? len - at : CHUNK_MAX);
	process_answer_reads(d);
}

void process_tell(struct door *d, struct process *p, const char *words, size_t len)
{
	while (p->tty && len) {
		const char *end = memchr(words, '\n', len);
		size_t part = end ? (size_t)(end - words) : len;
		process_say(d, p, 1, words, part);
		if (end)
			process_say(d, p, 1, "\r\n", 2);
		part += end ? 1 : 0;
		words += part;
		len -= part;
	}
	process_say(d, p, 1, words, len);
}

static json_t *make_answer(const struct process *p, const struct waiting_read *r)
{
	json_t *chunks = json_array();
	uint64_t next = p->seq + 1;
	size_t len = 0;

	for (const struct chunk *c = p->first; c; c = c->next) {
		if (c->seq <= r->after)
			continue;
		if (json_array_size(chunks) && len + c->len > r->most) {
			next = c->seq;
			break;
		}
		len += c->len;
		json_array_append_new(chunks,
				      json_pack("{s:I, s:s, s:s}", "seq", (json_int_t)c->seq,
						"stream", c->stream, "chunk", c->base64));
		if (len >= r->most && c->next)
			next = c->seq + 1;
		if (len >= r->most)
			break;
	}
	return json_pack("{s:o, s:I, s:b, s:o, s:b, s:n, s:b}", "chunks", chunks, "nextSeq",
			 (json_int_t)next, "exited", p->has_exited, "exitCode",
			 p->has_exited ? json_integer(p->exit_code) : json_null(), "closed",
			 p->has_exited, "failure", "sandboxDenied", 0);
}

void process_answer_reads(struct door *d)
{
	uint64_t now = io_now_ns();

	for (size_t i = 0; i < DOOR_READS_MAX; i++) {
		struct waiting_read *r = &d->read[i];
		const struct process *p = r->process;
		if (!r->id || (!p->has_exited && p->seq <= r->after && now < r->until_ns))
			continue;
		json_t *id = r->id;
		r->id = NULL;
		door_result(d, id, make_answer(p, r));
		json_decref(id);
	}
}

void process_end(struct door *d, struct process *p, int exit_code)
{
	if (p->has_exited)
		return;
	door_notify(d, "process/exited",
		    json_pack("{s:s, s:I, s:i, s:b}", "processId", p->id, "seq",
			      (json_int_t)++p->seq, "exitCode", exit_code, "sandboxDenied", 0));
	door_notify(d, "process/closed",
		    json_pack("{s:s, s:I}", "processId", p->id, "seq", (json_int_t)++p->seq));
	p->has_exited = true;
	p->exit_code = exit_code;
	json_decref(p->job);
	p->job = NULL;
	scope_close(&p->to.fd);
	lines_out_done(&p->to);
	scope_close(&p->theirs);
	p->until_ns = io_now_ns() + PROCESS_KEPT_MS * 1000000ULL;
	process_answer_reads(d);
}

void process_free(struct door *d, struct process *p)
{
	for (size_t i = 0; i < DOOR_READS_MAX; i++)
		if (d->read[i].id && d->read[i].process == p) {
			json_decref(d->read[i].id);
			d->read[i].id = NULL;
		}
	while (p->first) {
		struct chunk *c = p->first;
		p->first = c->next;
		free(c);
	}
	scope_close(&p->to.fd);
	lines_out_done(&p->to);
	scope_close(&p->theirs);
	json_decref(p->job);
	*p = (struct process){.theirs = -1, .to = {.fd = -1}};
}

void process_type(struct process *p, const char *data, size_t len)
{
	struct err err;

	if (lines_bytes(&p->to, data, len, &err) < 0) {
		scope_close(&p->to.fd);
		lines_out_done(&p->to);
	}
}
