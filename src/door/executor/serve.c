/* SPDX-License-Identifier: MIT
 *
 * The loop of the door: one client, until it closes its end or a signal comes. Then every program is killed
 * and every box ended, which saves its changes.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/executor/door.h"
#include "trust/id.h"

enum { STOP_MS = 20000, FDS_MAX = 3 + DOOR_WORKERS_MAX + DOOR_PROCESSES_MAX };

/* True: the door is done. */
static void take_lines(struct door *d)
{
	struct lines_text line;
	enum lines_event event;
	struct err err;

	while (!d->ends && (event = lines_next(&d->in, &line)) != LINES_NONE) {
		if (event == LINES_END) {
			d->ends = true;
		} else if (event == LINES_TOO_LONG) {
			snprintf(err.message, sizeof(err.message), "a line is longer than %d bytes",
				 DOOR_LINE_MAX);
			door_bad_line(d, err.message);
		} else if (event == LINES_HALF) {
			door_bad_line(d, "the input ended within a line");
		} else if (line.len) {
			json_t *message = lines_parse(line, &err);
			if (message)
				door_message(d, message);
			else
				door_bad_line(d, err.message);
			json_decref(message);
		}
	}
}

static struct process *process_of(struct door *d, const struct job_worker *w)
{
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++)
		if (d->process[i].worker == w)
			return &d->process[i];
	return NULL;
}

static void take_frames(struct door *d, struct job_worker *w)
{
	struct frame f;
	const char *data;
	bool is_dead = job_worker_read(w) < 0;

	while (w->pid && job_worker_next(w, &f, &data)) {
		struct process *p = process_of(d, w);
		if (w == &d->worker[0])
			door_clerk_frame(d, &f, data);
		else if (p)
			process_frame(d, p, &f, data);
	}
	if (!is_dead || !w->pid)
		return;
	struct process *p = process_of(d, w);
	if (w == &d->worker[0])
		door_clerk_frame(d, NULL, NULL);
	else if (p)
		process_frame(d, p, NULL, NULL);
	else
		job_worker_end(w);
}

/* What to wait for, and whom it is for. */
struct wanted {
	struct pollfd fd[FDS_MAX];
	void *whose[FDS_MAX];
	size_t count, workers, end;
};

static void want(struct wanted *w, struct pollfd fd, void *whose)
{
	if (fd.fd < 0)
		return;
	w->fd[w->count] = fd;
	w->whose[w->count++] = whose;
}

/* While the client does not read, nothing more is read of programs, and they wait. */
static void find_wanted(struct door *d, int signals, struct wanted *w)
{
	bool is_full = lines_waiting(&d->out) > DOOR_WAITING_MAX;

	w->count = 0;
	want(w, (struct pollfd){.fd = signals, .events = POLLIN}, &d->ends);
	want(w,
	     (struct pollfd){.fd = is_full || d->callc >= DOOR_CALLS_MAX / 2 ? -1 : d->in.fd,
			     .events = POLLIN},
	     &d->in);
	want(w, lines_wants(&d->out), &d->out);
	w->workers = w->count;
	for (size_t i = 0; i < DOOR_WORKERS_MAX; i++)
		if (d->worker[i].pid && !is_full)
			want(w, (struct pollfd){.fd = d->worker[i].socket, .events = POLLIN},
			     &d->worker[i]);
	w->end = w->count;
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++)
		if (d->process[i].id[0])
			want(w, lines_wants(&d->process[i].to), &d->process[i]);
}

static void turn(struct door *d, int signals, struct wanted *w)
{
	processes_go_on(d);
	int wait_ms = process_deadline(d);

	find_wanted(d, signals, w);
	if (poll(w->fd, w->count, wait_ms) <= 0)
		return;
	for (size_t i = 0; i < w->count; i++) {
		struct err err;
		if (!w->fd[i].revents)
			continue;
		if (i >= w->end)
			lines_flush(&((struct process *)w->whose[i])->to);
		else if (i >= w->workers)
			take_frames(d, w->whose[i]);
		else if (w->whose[i] == &d->out)
			lines_flush(&d->out);
		else if (w->whose[i] == &d->in && lines_read(&d->in, &err) == 0)
			take_lines(d);
		else
			d->ends = true;
	}
	d->ends = d->ends || d->out.fd < 0;
}

/* The boxes end one after the other, in the first worker. */
static void stop(struct door *d, struct wanted *w)
{
	uint64_t until = io_now_ns() + STOP_MS * 1000000ULL;

	for (size_t i = 1; i < DOOR_WORKERS_MAX; i++)
		job_worker_end(&d->worker[i]);
	door_drop_calls(d);
	for (unsigned i = 0; i < WISHES; i++)
		if (d->box[i] != BOX_NONE)
			door_call(d, CALL_STOP, i, json_pack("{s:s}", "kind", "stop"), NULL, NULL);
	while ((d->now || d->first) && d->worker[0].pid && io_now_ns() < until) {
		w->fd[0] = (struct pollfd){.fd = d->worker[0].socket, .events = POLLIN};
		if (poll(w->fd, 1, STOP_MS) > 0)
			take_frames(d, &d->worker[0]);
	}
	job_worker_end(&d->worker[0]);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int executor_serve(const struct executor_options *o, struct err *err)
{
	AUTO_PAGES struct door *d = pages_new(sizeof(*d));
	AUTO_PAGES struct wanted *w = pages_new(sizeof(*w));
	AUTO_CLOSE int signals = open_signals();
	struct id id;

	if (!d || !w)
		return err_memory(err);
	if (signals < 0)
		return err_errno(err, ERR_SYSTEM, "waiting for signals");
	d->options = o;
	d->in = (struct lines_in){.fd = o->in, .max = DOOR_LINE_MAX};
	d->out.fd = o->out;
	id_random(&id);
	id_hex(&id, d->session);
	if (o->request->conversation)
		snprintf(d->conversation, sizeof(d->conversation), "%s", o->request->conversation);
	while (!d->ends)
		turn(d, signals, w);
	lines_flush(&d->out);
	stop(d, w);
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++)
		process_free(d, &d->process[i]);
	door_drop_calls(d);
	lines_in_done(&d->in);
	lines_out_done(&d->out);
	return 0;
}
