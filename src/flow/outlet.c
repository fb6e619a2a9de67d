/* SPDX-License-Identifier: MIT
 *
 * See outlet.h. Only the first part of a stream is passed on while the program runs (the capture's
 * head), so that is where the bytes are; here is only how far they went. A durable write for each
 * piece: few of them, whatever the program prints and however long it runs.
 */
#include "flow/outlet.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "store/buf.h"

static uint64_t ms_since(uint64_t ns)
{
	return (io_now_ns() - ns) / 1000000U;
}

/* Nobody reads it before the end, or it is read where nobody knows what was read before. */
static bool is_open(const struct outlet *o)
{
	return !o->gate->has_domain;
}

static void show_word(const struct outlet *o, const struct outlet_word *w)
{
	if (w->is_denial)
		o->sink->denial(o->sink->ctx, &w->denial);
	else
		o->sink->telemetry(o->sink->ctx, &w->said);
}

/* What waits, in its order; how many of the words that was. */
static size_t show_turns(struct outlet *o)
{
	size_t words = 0;

	for (size_t i = 0; i < o->turnc; i++) {
		int stream = o->turn[i].stream;
		for (size_t n = 0; stream == OUTLET_WORD && n < o->turn[i].len; n++)
			show_word(o, &o->word[words++]);
		if (stream == OUTLET_WORD)
			continue;
		o->sink->output(o->sink->ctx, stream,
				o->result->out[stream].head + o->shown[stream], o->turn[i].len);
		o->shown[stream] += o->turn[i].len;
	}
	o->turnc = 0;
	return words;
}

static void show(struct outlet *o)
{
	show_turns(o);
	o->wordc = 0;
}

/* What came since nothing could be passed on any more: nobody has kept its order. */
static void show_rest(struct outlet *o)
{
	for (size_t words = show_turns(o); words < o->wordc; words++)
		show_word(o, &o->word[words]);
	for (int i = 0; i < 2; i++) {
		if (o->come[i] > o->shown[i])
			o->sink->output(o->sink->ctx, i, o->result->out[i].head + o->shown[i],
					o->come[i] - o->shown[i]);
		o->shown[i] = o->come[i];
	}
	o->wordc = 0;
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

static int commit_words(struct outlet *o, struct err *err)
{
	AUTO_BUF struct buf text = {.most = OUTLET_BYTES_MAX};

	for (size_t i = 0; i < o->wordc; i++) {
		const struct outlet_word *w = &o->word[i];
		if (w->is_denial)
			buf_line(&text, w->denial.target, sizeof(w->denial.target));
		else
			buf_line(&text, w->said.args, sizeof(w->said.args));
	}
	if (text.failed)
		return err_memory(err);
	return gate_ingest_output(o->gate, OUTLET_WORD,
				  (struct text){(const char *)text.data, text.len}, err);
}

static void pass_on(struct outlet *o)
{
	if (commit(o, 0, &o->failed) == 0 && commit(o, 1, &o->failed) == 0 &&
	    commit_words(o, &o->failed) == 0)
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

static void take_word(struct outlet *o, const struct outlet_word *w)
{
	if (is_open(o))
		show_word(o, w);
	if (is_open(o))
		return;
	if (o->wordc == OUTLET_WORDS_MAX) {
		o->is_cut = true;
		return;
	}
	if (!o->word && !(o->word = calloc(OUTLET_WORDS_MAX, sizeof(*o->word)))) {
		err_memory(&o->failed);
		o->is_cut = true;
		return;
	}
	if (!o->begun_ns)
		o->begun_ns = io_now_ns();
	o->word[o->wordc++] = *w;
	if (o->failed.code)
		return;
	wait_turn(o, OUTLET_WORD, 1);
	if (o->wordc == OUTLET_WORDS_MAX || o->turnc == OUTLET_TURNS_MAX)
		pass_on(o);
}

static void take_denial(void *ctx, const struct wire_denial *denial)
{
	struct outlet_word w = {.is_denial = true, .denial = *denial};

	take_word(ctx, &w);
}

static void take_said(void *ctx, const struct telemetry_event *event)
{
	struct outlet_word w = {.said = *event};

	take_word(ctx, &w);
}

void outlet_init(struct outlet *o, struct gate *g, const struct launch_sink *sink,
		 const struct result *result)
{
	outlet_done(o);
	*o = (struct outlet){.gate = g, .sink = sink, .result = result};
	o->in = (struct launch_sink){.denial = sink->denial ? take_denial : NULL,
				     .telemetry = sink->telemetry ? take_said : NULL,
				     .ctx = o};
}

void outlet_done(struct outlet *o)
{
	free(o->word);
	o->word = NULL;
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

int outlet_release(struct outlet *o, struct err *err)
{
	if (commit_words(o, err) < 0)
		return -1;
	show_rest(o);
	if (!o->is_cut)
		return 0;
	*err = o->failed;
	return -1;
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
	result_forget_words(r);
}
