/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-box, feeds it the spec, and collects what comes back: output, denials, changes
 * and the result.
 */
#ifndef CORDON_FLOW_LAUNCH_H
#define CORDON_FLOW_LAUNCH_H

#include "base/err.h"
#include "flow/plan.h"
#include "model/result.h"

/* Told of output as it comes; STREAM is 0 for standard output, 1 for standard error. */
struct launch_sink {
	void (*output)(void *ctx, int stream, const char *data, size_t len);
	void (*probe)(void *ctx, const struct wire_probe *probe);
	void *ctx;
};

int launch_run(const struct plan *p, const struct launch_sink *sink, struct result *ret,
	       struct err *err);

#endif
