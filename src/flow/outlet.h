/* SPDX-License-Identifier: MIT
 *
 * What a run prints in a conversation is something that is read there, so it is a source before it is
 * shown to anybody. A run that ends soon is one source, when it ends; what one that goes on has printed
 * is committed in pieces, and each is passed on then.
 */
#ifndef CORDON_FLOW_OUTLET_H
#define CORDON_FLOW_OUTLET_H

#include "flow/gate.h"
#include "flow/launch.h"

enum {
	OUTLET_WAIT_MS = 100,	    /* that output waits for the run's end, at first */
	OUTLET_WAIT_MOST_MS = 2000, /* and of one that has gone on for long: */
	OUTLET_WAIT_SHARE = 16,	    /* this part of its time */
	OUTLET_BYTES_MAX = 1 << 20, /* that wait */
	OUTLET_TURNS_MAX = 1024,    /* changes between the streams, while they wait */
	OUTLET_BEFORE =
		256, /* bytes before a piece that are looked at with it: nothing is cut in two */
	OUTLET_WORDS_MAX = 1024, /* of the program's beside its output, that wait */
	OUTLET_WORD = 2,	 /* a turn of theirs: as if they were a stream */
};

/* What a program wanted that it was refused, or says of itself: text of its choice, as its output is. */
struct outlet_word {
	bool is_denial;
	union {
		struct wire_denial denial;
		struct telemetry_event said;
	};
};

struct outlet {
	struct gate *gate;
	const struct launch_sink *sink;
	struct launch_sink in;	     /* who is told of such words first */
	const struct result *result; /* its beginning is what is passed on */
	size_t come[2], shown[2], committed[2];
	size_t turnc;
	struct {
		int stream;
		size_t len;
	} turn[OUTLET_TURNS_MAX]; /* what waits */
	size_t wordc;
	struct outlet_word *word; /* malloc'd; those that wait */
	uint64_t begun_ns, since_ns;
	struct err failed; /* nothing is passed on any more, until all of it is on record */
	bool is_cut;	   /* more words came since than can wait */
};

/* Caller's storage, and stays where it is; outlet_done is due. */
void outlet_init(struct outlet *o, struct gate *g, const struct launch_sink *sink,
		 const struct result *result);
void outlet_done(struct outlet *o);
/* RESULT has got something more on STREAM. */
void outlet_take(struct outlet *o, int stream);
/* Passes on what has waited for long enough. Milliseconds until there is more to do; -1: nothing waits. */
int outlet_wait(struct outlet *o);
/* All of its output is on record: the rest is shown, once its words are too. */
int outlet_release(struct outlet *o, struct err *err);
/* Something is not: what was not shown never is. */
void outlet_drop(struct outlet *o, struct result *r);

#endif
