/* SPDX-License-Identifier: MIT
 *
 * The middle of the sentence: box -> result, for a blueprint that somebody has decided about.
 * Callers are run.c, which has, and the reader of code, which runs a program of ours. No door may
 * call it: that would be a way round the gate (tools/check-layers).
 */
#ifndef CORDON_FLOW_ENCLOSE_PRIVATE_H
#define CORDON_FLOW_ENCLOSE_PRIVATE_H

#include "flow/launch.h"
#include "model/request.h"

/* BOX has begun, BP is made. */
int enclose(struct blueprint *bp, struct launch *box, const struct launch_sink *sink,
	    struct result *ret, struct err *err);
/* The end of it, after the box has given its result. */
void enclose_conclude(const struct blueprint *bp, struct result *ret);
/* A program of our own, from request to result. Always fills *RET. */
void enclose_own(const struct request *req, const struct launch_sink *sink, struct result *ret);
/* What became of a run that ERR ended. */
void enclose_fail(struct result *ret, const struct err *err);

#endif
