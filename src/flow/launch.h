/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-box, feeds it the spec, and collects what comes back: output, denials, changes
 * and the result.
 */
#ifndef CORDON_FLOW_LAUNCH_H
#define CORDON_FLOW_LAUNCH_H

#include <sys/types.h>

#include "base/err.h"
#include "flow/blueprint.h"
#include "model/result.h"
#include "model/telemetry.h"

/* Told of what happens as it happens; who does not want to know leaves it NULL. */
struct launch_sink {
	/* People are asked, and waited for. */
	void (*pending)(void *ctx, const struct report *report);
	/* It may run, that is on record, and its box is built or let go on. */
	void (*started)(void *ctx, const struct report *report);
	/* STREAM is 0 for standard output, 1 for standard error. */
	void (*output)(void *ctx, int stream, const char *data, size_t len);
	/* What the program's interpreter says of itself. */
	void (*telemetry)(void *ctx, const struct telemetry_event *event);
	/* The first time that this call with this target was refused. */
	void (*denial)(void *ctx, const struct wire_denial *denial);
	void (*probe)(void *ctx, const struct wire_probe *probe);
	void *ctx;
};

struct telemetry;

struct launch {
	pid_t pid; /* 0: none to wait for */
	int socket;
	int out[2]; /* read ends of the program's output */
	bool has_result;
	bool is_gone; /* and nothing is left of the run */
	bool is_own;  /* a program of ours: nobody asks for its output's hash */
	const struct launch_sink *sink;
	struct result *result;
	struct telemetry *telemetry; /* or NULL */
	struct outside *outside;     /* who connects for it, or NULL */
};

#define LAUNCH_NONE ((struct launch){.socket = -1, .out = {-1, -1}})
/* What *L was; *L is none then. */
struct launch launch_take(struct launch *l);

/* Starts cordon-box: its own start goes on while words are read and the blueprint is drawn. It waits for
 * launch_run. */
int launch_begin(struct launch *l, struct err *err);
/* launch_run in steps, for one that talks first (talk.h): starts it, says whether nothing has come of it
 * yet, collects the rest. */
int launch_start(struct launch *l, struct blueprint *p, const struct launch_sink *sink,
		 struct result *ret, struct err *err);
bool launch_is_waiting(struct launch *l);
int launch_finish(struct launch *l, struct blueprint *p, struct err *err);
int launch_run(struct launch *l, struct blueprint *p, const struct launch_sink *sink,
	       struct result *ret, struct err *err);
/* After a failure of either, or instead of the run: ends cordon-box and waits for it. */
void launch_abandon(struct launch *l);
/* After the result: waits until the run's cgroup is gone. cordon-box removes its init by itself, and who
 * ends soon does not wait for that. Who lives on must not: there would be a dead child for every run. */
void launch_leave(struct launch *l);

/* doctor's job. */
int launch_probe(const struct launch_sink *sink, struct err *err);

#endif
