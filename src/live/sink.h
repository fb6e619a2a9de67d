/* SPDX-License-Identifier: MIT
 *
 * What a caller hears of a run while it runs.
 */
#ifndef CORDON_LIVE_SINK_H
#define CORDON_LIVE_SINK_H

#include "model/result.h"
#include "model/telemetry_event.h"

/* Called for each event when it happens. Any function may be NULL. */
struct launch_sink {
	/* The run waits for a person to approve it. */
	void (*pending)(void *ctx, const struct report *report);
	/* The run is allowed and recorded. The box starts now. */
	void (*started)(void *ctx, const struct report *report);
	/* STREAM is 0 for standard output, 1 for standard error. */
	void (*output)(void *ctx, int stream, const char *data, size_t len);
	/* The program's interpreter reported this event. */
	void (*telemetry)(void *ctx, const struct telemetry_event *event);
	/* This call with this target was refused for the first time. */
	void (*denial)(void *ctx, const struct wire_denial *denial);
	/* The program has this terminal; its master end. */
	void (*terminal)(void *ctx, int master);
	void (*probe)(void *ctx, const struct wire_probe *probe);
	void *ctx;
	/* A pipe: each byte is the number of a signal for the program; or 0. In a live box SIGKILL is for
	 * all processes of the start. */
	int signals;
};

#endif
