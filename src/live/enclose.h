/* SPDX-License-Identifier: MIT
 *
 * Runs a blueprint in the box and gives the result. It knows no gate. Its callers are flow/run.c,
 * after the decision, and those that run a program of Cordon's own: the reader of code and the
 * doctor. No door may call it: that would bypass the gate (tools/check-layers).
 */
#ifndef CORDON_LIVE_ENCLOSE_H
#define CORDON_LIVE_ENCLOSE_H

#include "live/launch.h"
#include "model/request.h"

/* After launch_begin and blueprint_make. */
int enclose(struct blueprint *bp, struct launch *box, const struct launch_sink *sink,
	    struct result *ret, struct err *err);
/* Completes *RET, after the box has sent its result. */
void enclose_conclude(const struct blueprint *bp, struct result *ret);
/* Runs a program of Cordon's own, without a gate. Always fills *RET. */
void enclose_own(const struct request *req, const struct launch_sink *sink, struct result *ret);
/* Sets *RET for a run that ERR ended. */
void enclose_fail(struct result *ret, const struct err *err);

#endif
