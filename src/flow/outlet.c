/* SPDX-License-Identifier: MIT
 *
 * See outlet.h. Only the first part of a stream is passed on while the program runs (the capture's
 * head), so that is where the bytes are; here is only how far they went. A durable write for each
 * piece: few of them, whatever the program prints and however long it runs.
 */
#include "flow/outlet.h"

#include "base/io.h"

static uint64_t ms_since(uint64_t ns)
{
	return (io_now_ns() - ns) / 1000000U;
}

/* Nobody reads it before the end, or it is read where nobody knows what was read before. */
static bool is_open(const struct outlet *o)
{
	return !o->gate->has_domain;
}

static void show(struct outlet *o)
{
	for (size_t i = 0; i < o->turnc; i++) {
		int stream = o->turn[i].stream;
		o->sink->output(o->sink->ctx, stream,
				o->result->out[stream].head + o->shown[stream], o->turn[i].len);
		o->shown[stream] += o->turn[i].len;
	}
	o->turnc = 0;
}

/* What is too little to be recognised is shown, and is a source with what follows. */
static int commit(struct outlet *o, int stream, struct err *err)
{
	size_t done = o->committed[stream], all = o->come[stream];
	size_t from = done > OUTLET_BEFORE ? done - OUTLET_BEFORE : 0;

	if (all == done || all - from < INDEX_PIECE_MIN)
		return 0;
	struct text piece = {o->result->out[stream].head + from, all - from};
	if (gate_ingest_output(o->gate, stream, piece, err) < 0)
		return -1;
	o->committed[stream] = all;
	return 0;
}

static void pass_on(struct outlet *o)
{
	if (commit(o, 0, &o->failed) == 0 && commit(o, 1, &o->failed) == 0)
		show(o);
}

static void wait_turn(struct outlet *o, int stream, size_t len)
{
	bool goes_on = o->turnc && o->turn[o->turnc - 1].stream == stream;

	if (!o->turnc)
		o->since_ns = io_now_ns();
	if (!goes_on)
		o->turn[o->turnc++].stream = stream;
	o->turn[o->turnc - 1].len = (goes_on ? o->turn[o->turnc - 1].len : 0) + len;
}

void outlet_take(struct outlet *o, int stream)
{
	size_t len = o->result->out[stream].head_len - o->come[stream];

	if (!o->sink->output || !len)
		return;
	o->come[stream] += len;
	if (!o->begun_ns)
		o->begun_ns = io_now_ns();
	if (o->failed.code)
		return;
	wait_turn(o, stream, len);
	size_t waiting = o->come[0] - o->shown[0] + o->come[1] - o->shown[1];
	if (is_open(o))
		show(o);
	else if (waiting >= OUTLET_BYTES_MAX || o->turnc == OUTLET_TURNS_MAX)
		pass_on(o);
}

int outlet_wait(struct outlet *o)
{
	if (!o->turnc || o->failed.code)
		return -1;
	uint64_t due = ms_since(o->begun_ns) / OUTLET_WAIT_SHARE, age = ms_since(o->since_ns);
	due = due < OUTLET_WAIT_MS ? OUTLET_WAIT_MS : due;
	due = due > OUTLET_WAIT_MOST_MS ? OUTLET_WAIT_MOST_MS : due;
	if (age < due)
		return (int)(due - age);
	pass_on(o);
	return -1;
}

void outlet_release(struct outlet *o)
{
	if (!o->failed.code)
		show(o);
}

void outlet_drop(struct outlet *o, struct result *r)
{
	if (is_open(o))
		return;
	for (int i = 0; i < 2; i++) {
		struct capture *c = &r->out[i];
		if (c->head_len + c->tail_len < INDEX_PIECE_MIN)
			continue; /* it would be no source */
		c->head_len = o->shown[i];
		c->tail_len = 0;
	}
}
