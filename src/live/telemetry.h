/* SPDX-License-Identifier: MIT
 *
 * Reads the audit events that the interpreter of a program reports (runtime/boot/telemetry.py),
 * within limits, and relates them to the calls that the box refused. The input is hostile: the
 * program can send anything.
 */
#ifndef CORDON_LIVE_TELEMETRY_H
#define CORDON_LIVE_TELEMETRY_H

#include "live/sink.h"

enum {
	TELEMETRY_EVENTS_MAX = 10000,  /* events reported of a run */
	TELEMETRY_SECOND_MAX = 1000,   /* and per second */
	TELEMETRY_BYTES_MAX = 8 << 20, /* then the channel is closed */
	TELEMETRY_RECENT = 64,	       /* kept to be compared with refusals */
};

struct telemetry;

/* Takes over FD. NULL: out of memory, and FD stays with the caller. */
struct telemetry *telemetry_new(int fd, const struct launch_sink *sink, struct result *result);
void telemetry_free(struct telemetry *t);
/* The descriptor to poll, or -1 at the end. */
int telemetry_fd(const struct telemetry *t);
/* Reads all that is available, without waiting. */
void telemetry_read(struct telemetry *t);
/* A call was refused: adds an explanation to the result if an event led to it. */
void telemetry_join(struct telemetry *t, const struct wire_denial *denial);

#endif
