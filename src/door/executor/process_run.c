/* SPDX-License-Identifier: MIT
 *
 * A program and its worker, from the start to the end. Whatever happens to the worker or the box, the client
 * is told that the program has ended.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "door/executor/door.h"

enum { TRIES_MAX = 2, KILLED = 137, FAILED = 125 };

/* One that is idle, or a new one. */
static struct job_worker *find_worker(struct door *d, struct err *err)
{
	struct job_worker *none = NULL;

	for (size_t i = 1; i < DOOR_WORKERS_MAX; i++) {
		struct job_worker *w = &d->worker[i];
		if (w->pid && !w->is_busy)
			return w;
		if (!w->pid && !none)
			none = w;
	}
	if (!none)
		err_set(err, ERR_LIMIT, "%d programs run already", DOOR_WORKERS_MAX - 1);
	return none && job_worker_begin(none, d->options, err) == 0 ? none : NULL;
}

static void fail(struct door *d, struct process *p, const char *why)
{
	char line[600];
	int len = snprintf(line, sizeof(line), "cordon: not run: %s\n", why);

	process_tell(d, p, line, (size_t)len);
	process_end(d, p, FAILED);
}

/* When its box is there. */
static void give(struct door *d, struct process *p)
{
	struct err err;

	if (!door_needs_box(d, p->wish))
		return;
	struct job_worker *w = find_worker(d, &err);
	if (!w) {
		fail(d, p, err.message);
		return;
	}
	door_name_box(d, p->job, p->wish);
	if (job_worker_give(w, p->job, p->theirs, &err) < 0) {
		job_worker_end(w);
		fail(d, p, err.message);
		return;
	}
	p->worker = w;
}

/* Once, because otherwise a person would look for changes that are not there. */
static void tell_proposal(struct door *d, struct process *p)
{
	char line[3 * PATH_MAX];

	if (d->has_told || !door_proposes(d, p->wish))
		return;
	d->has_told = true;
	int len = snprintf(
		line, sizeof(line),
		"cordon: this agent does not write to %s itself: its changes are proposals\n"
		"cordon:   try: cordon diff --conversation %s %s\n",
		d->options->request->workspace, d->conversation, d->options->request->workspace);
	process_tell(d, p, line, (size_t)len);
}

/* The worker has no job any more. */
static void leave_worker(struct door *d, struct process *p)
{
	size_t idle = 0;

	if (!p->worker)
		return;
	p->worker->is_busy = false;
	for (size_t i = 1; i < DOOR_WORKERS_MAX; i++)
		idle += d->worker[i].pid && !d->worker[i].is_busy;
	if (idle > DOOR_IDLE_WORKERS)
		job_worker_end(p->worker);
	p->worker = NULL;
}

static void take_answer(struct door *d, struct process *p, const struct frame *f, const char *data)
{
	json_t *answer = json_loadb(data, f->len, 0, NULL);
	const json_t *code = json_object_get(answer, "exitCode");

	leave_worker(d, p);
	if (!code && json_is_true(json_object_get(answer, "noBox")) && p->tries++ < TRIES_MAX)
		door_lost_box(d, p->wish);
	else if (!code)
		fail(d, p, "the box of this conversation has ended");
	else {
		tell_proposal(d, p);
		process_end(d, p, (int)json_integer_value(code));
	}
	json_decref(answer);
}

void process_frame(struct door *d, struct process *p, const struct frame *f, const char *data)
{
	if (!f) {
		job_worker_end(p->worker);
		p->worker = NULL;
		if (p->is_killed)
			process_end(d, p, KILLED);
		else
			fail(d, p, "a worker has died, and the program with it");
		return;
	}
	if (f->kind == FRAME_STARTED) {
		p->has_started = true;
		json_decref(p->job);
		p->job = NULL;
		scope_close(&p->theirs);
	} else if (f->kind == FRAME_ANSWER) {
		take_answer(d, p, f, data);
	} else if (f->kind == FRAME_ERROR && p->tty) { /* its own output is one stream */
		process_tell(d, p, data, f->len);
	} else {
		process_say(d, p, f->kind == FRAME_ERROR, data, f->len);
	}
}

/* What has not been let through yet is not; what runs is killed with all that it started. */
void process_kill(struct door *d, struct process *p)
{
	p->is_killed = true;
	if (p->has_started) {
		job_worker_signal(p->worker, SIGKILL);
		if (!p->until_ns)
			p->until_ns = io_now_ns() + PROCESS_KILL_MS * 1000000ULL;
		return;
	}
	if (p->worker) {
		job_worker_end(p->worker);
		p->worker = NULL;
	}
	process_end(d, p, KILLED);
}

void processes_go_on(struct door *d)
{
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++)
		if (d->process[i].id[0] && d->process[i].job && !d->process[i].worker)
			give(d, &d->process[i]);
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int process_deadline(struct door *d)
{
	uint64_t now = io_now_ns(), next = UINT64_MAX;

	process_answer_reads(d);
	for (size_t i = 0; i < DOOR_READS_MAX; i++)
		if (d->read[i].id)
			next = sooner(next, d->read[i].until_ns);
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++) {
		struct process *p = &d->process[i];
		if (!p->id[0] || !p->until_ns)
			continue;
		if (p->until_ns > now)
			next = sooner(next, p->until_ns);
		else if (p->has_exited)
			process_free(d, p);
		else if (p->worker)
			process_frame(d, p, NULL, NULL);
	}
	return next == UINT64_MAX ? -1 : next > now ? (int)((next - now) / 1000000) + 1 : 0;
}
