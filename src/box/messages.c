/* SPDX-License-Identifier: MIT
 *
 * The messages of init and of the program's process to the supervisor: one row for each, with its size and
 * the time when it may come. Any other message, or one at another time, ends the run.
 */
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/supervise.h"
#include "box/sys.h"
#include "model/egress_message.h"

union message {
	uint32_t kind;
	struct wire_error error;
	struct wire_ended ended;
	struct wire_limit limit;
	struct wire_listener listener;
	struct wire_done done;
	struct wire_change change;
};

/* A message, and the descriptor that came with it, or -1. */
struct received {
	union message m;
	size_t len;
	int fd;
};

/* Inside the new root the process could not look at the host: the supervisor adds the cause. */
static void explain_outside(struct err *err)
{
	err_sanitise(err);
	for (int l = 0; l < LAYER_COUNT; l++)
		if (strcmp(err->layer, layer_row((enum layer)l)->name) == 0 &&
		    (!err->cause[0] || l == LAYER_LANDLOCK))
			diagnose_layer(err, (enum layer)l);
}

void run_receive_error(struct run *r, struct err *err)
{
	struct pollfd socket = {.fd = r->box->ctl, .events = POLLIN};
	struct wire_error m;
	AUTO_CLOSE int fd = -1;

	if (socket.fd < 0 || poll(&socket, 1, 0) <= 0 || !(socket.revents & POLLIN) ||
	    io_recv(socket.fd, &m, sizeof(m), &fd) != sizeof(m) || m.kind != WIRE_ERROR)
		return;
	explain_outside(&m.err);
	*err = m.err;
}

static void on_error(struct run *r, struct received *h)
{
	explain_outside(&h->m.error.err);
	run_fail(r, &h->m.error.err);
}

static void on_listener(struct run *r, struct received *h)
{
	r->listener.fd = scope_take_fd(&h->fd);
	r->box->layers |= h->m.listener.layers;
}

/* The socket at which the program asks for names goes to cordon-egress. */
static void on_resolver(struct run *r, struct received *h)
{
	uint32_t kind = EGRESS_RESOLVE;
	struct err err;

	if (io_send(EGRESS_FD, &kind, sizeof(kind), h->fd) == 0)
		return;
	err_errno(&err, ERR_SYSTEM, "talking to cordon-egress");
	run_fail(r, &err);
}

/* Comes before the programs are killed, so that their ends name the limit. */
static void on_limit(struct run *r, struct received *h)
{
	run_reached(&r->result, h->m.limit.limit, true);
	starts_note_end(r);
}

static void on_ended(struct run *r, struct received *h)
{
	const struct wire_ended *m = &h->m.ended;
	struct err err;

	if (!r->started) {
		err_set(&err, ERR_SYSTEM, "the program's process ended before its start (%s %d)",
			WIFSIGNALED(m->wait_status) ? "signal" : "status",
			WIFSIGNALED(m->wait_status) ? WTERMSIG(m->wait_status)
						    : WEXITSTATUS(m->wait_status));
		run_fail(r, &err);
		return;
	}
	r->ended = true;
	r->listing = false;
	r->done = r->changes_sent = m->last;
	r->ended_ns = io_now_ns();
	r->result.wait_status = m->wait_status;
	r->box->layers |= m->layers;
	run_reached(&r->result, m->limit, m->limit_ended);
	r->result.cpu_ms = m->cpu_ms;
	r->result.memory_peak = m->memory_peak;
	r->result.pids_peak = m->pids_peak;
	listener_note_lost(&r->listener, m->lost);
	run_arm(r, RUN_GRACE_MS * 10ULL); /* reading a large overlay takes a while */
}

/* Passed on to the caller unchanged. */
static void on_change(struct run *r, struct received *h)
{
	(void)r;
	io_send(RESULT_FD, &h->m, h->len, h->fd);
}

static void on_done(struct run *r, struct received *h)
{
	if (!r->ended) { /* of a live box, which goes on */
		r->listing = false;
		on_change(r, h);
		return;
	}
	r->done = r->changes_sent = true;
	r->result.changes_cut = h->m.done.cut;
	r->result.no_memory = h->m.done.no_memory;
}

static bool has_no_listener(const struct run *r)
{
	return r->listener.fd < 0;
}

#define SIZE(type) sizeof(type), sizeof(type)

static const struct message_row {
	uint32_t kind;
	size_t least, most;
	bool before, after;		       /* the program's end */
	bool (*expected)(const struct run *r); /* or NULL: always */
	void (*handle)(struct run *r, struct received *h);
} rows[] = {
	{WIRE_ERROR, SIZE(struct wire_error), true, false, NULL, on_error},
	{WIRE_LISTENER, SIZE(struct wire_listener), true, false, has_no_listener, on_listener},
	{WIRE_RESOLVER, SIZE(uint32_t), true, false, run_has_network, on_resolver},
	{WIRE_LIMIT, SIZE(struct wire_limit), true, false, run_is_live, on_limit},
	{WIRE_ENDED, SIZE(struct wire_ended), true, false, NULL, on_ended},
	{WIRE_CHANGE, offsetof(struct wire_change, path), sizeof(struct wire_change), false, true,
	 NULL, on_change},
	{WIRE_UPPER, SIZE(uint32_t), false, true, NULL, on_change},
	{WIRE_DONE, SIZE(struct wire_done), false, true, NULL, on_done},
};

/* While a live box lists its changes, both kinds of messages come. */
static bool is_time(const struct run *r, const struct message_row *w)
{
	return (w->after && (r->ended || r->listing)) || (w->before && !r->ended);
}

static const struct message_row *find(const struct run *r, const struct received *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct message_row *w = &rows[i];
		if (w->kind == h->m.kind && h->len >= w->least && h->len <= w->most &&
		    is_time(r, w) && (!w->expected || w->expected(r)))
			return w;
	}
	return NULL;
}

/* In a v2 cgroup the kernel may kill init when the memory limit is reached. */
static bool out_of_memory(struct run *r)
{
	struct cgroup_usage u;

	if (!r->box->cgroup.ops || r->ended)
		return false;
	cgroup_measure(&r->box->cgroup, &u);
	if (u.memory_hit)
		r->result.wait_status = SIGKILL;
	return u.memory_hit;
}

static void on_silence(struct run *r)
{
	struct err err;

	r->done = true;
	if (r->started && out_of_memory(r))
		return;
	err_set(&err, ERR_SYSTEM, "the box's init died");
	if (!r->started || (!r->ended && !r->killing))
		run_fail(r, &err);
}

static void handle(struct run *r, struct received *h)
{
	const struct message_row *w = find(r, h);
	struct err err;

	if (w) {
		w->handle(r, h);
		return;
	}
	err_set(&err, ERR_SYSTEM, "an unexpected message from the box (%u)", h->m.kind);
	run_fail(r, &err);
}

void run_receive(struct run *r)
{
	struct received h = {.fd = -1};
	ssize_t n = io_recv(r->box->ctl, &h.m, sizeof(h.m), &h.fd);

	h.len = n > 0 ? (size_t)n : 0;
	if (h.len < sizeof(h.m.kind))
		on_silence(r);
	else
		handle(r, &h);
	scope_close(&h.fd); /* unless a handler has taken it */
}
