/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-box, sends it the spec, and collects the output, denials, changes and result of a
 * run.
 */
#ifndef CORDON_LIVE_LAUNCH_H
#define CORDON_LIVE_LAUNCH_H

#include <sys/types.h>

#include "base/err.h"
#include "live/blueprint.h"
#include "live/sink.h"
#include "model/keep.h"
#include "model/result.h"

/* The next signal for the program; or 0. */
int launch_next_signal(const struct launch_sink *sink);

struct telemetry;

struct launch {
	pid_t pid; /* cordon-box; 0: no child to wait for */
	int socket;
	int out[2]; /* read ends of the program's output */
	bool has_result;
	bool is_gone; /* cordon-box has removed all that was left of the run */
	bool is_kept; /* the socket leads to cordon-keeper */
	bool is_own;  /* a program of Cordon's: its output is not hashed */
	const struct launch_sink *sink;
	struct result *result;
	struct telemetry *telemetry;   /* or NULL */
	struct egress_process *egress; /* or NULL */
};

#define LAUNCH_NONE ((struct launch){.socket = -1, .out = {-1, -1}})
/* Moves *L to the result and sets *L to LAUNCH_NONE. */
struct launch launch_take(struct launch *l);

/* Starts cordon-box, which initialises while the caller parses options and builds the blueprint,
 * and then waits for launch_start. */
int launch_begin(struct launch *l, struct err *err);
/* Sends the spec; launch_finish collects the result. Between the two an early reader works
 * (early_reader.h). launch_is_waiting: the box has sent neither output nor a message. */
int launch_start(struct launch *l, struct blueprint *p, const struct launch_sink *sink,
		 struct result *ret, struct err *err);
bool launch_is_waiting(struct launch *l);
int launch_finish(struct launch *l, struct blueprint *p, struct err *err);
/* After a failure, or instead of the run: ends cordon-box and waits for it. */
void launch_abandon(struct launch *l);
/* After the result: waits until the run's cgroup is removed, but not until cordon-box has exited.
 * Only for a process that exits soon: in any other, each run would leave a zombie; call
 * launch_abandon there. */
void launch_leave(struct launch *l);

/* For live.c: the messages of cordon-box. */
union launch_message {
	uint32_t kind;
	struct wire_error error;
	struct wire_denial denial;
	struct wire_change change;
	struct wire_probe probe;
	struct wire_result result;
	struct wire_done done;
	struct wire_started started;
	struct wire_exited exited;
	struct wire_closed closed;
	struct wire_opened opened;
	struct keep_done kept;
	struct keep_row row;
};
/* Adds what M says to the result. *FD: the descriptor that came with it; taken if it is needed. */
void launch_take_message(struct launch *l, union launch_message *m, size_t len, int *fd);
/* The socket has ended without a result. Always -1: *ERR says why. */
int launch_explain_end(struct launch *l, struct err *err);

/* Runs cordon-probe, for "cordon doctor". */
int launch_probe(const struct launch_sink *sink, struct err *err);

#endif
