/* SPDX-License-Identifier: MIT
 *
 * Listens to what a program's interpreter says of itself (runtime/boot/telemetry.py), as far as there is
 * room for it, and joins it with what the kernel refused. What comes is taken as hostile.
 */
#ifndef CORDON_FLOW_TELEMETRY_H
#define CORDON_FLOW_TELEMETRY_H

#include "flow/launch.h"

enum {
	TELEMETRY_TOLD_MAX = 10000,    /* events that are told of a run */
	TELEMETRY_SECOND_MAX = 1000,   /* and in a second */
	TELEMETRY_BYTES_MAX = 8 << 20, /* then nobody listens any more */
	TELEMETRY_RECENT = 64,	       /* that refusals are compared with */
};

struct telemetry;

/* Owns FD from now on, unless it is NULL: out of memory. */
struct telemetry *telemetry_new(int fd, const struct launch_sink *sink, struct result *result);
void telemetry_free(struct telemetry *t);
/* To wait for; -1: it will say nothing more. */
int telemetry_fd(const struct telemetry *t);
/* What is there now, without waiting. */
void telemetry_read(struct telemetry *t);
/* A call was refused: which word of the program's that was goes to the result, if there is one. */
void telemetry_join(struct telemetry *t, const struct wire_denial *denial);

#endif
