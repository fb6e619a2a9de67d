/* SPDX-License-Identifier: MIT
 *
 * The sentence: request -> scan -> origin -> decide -> (approve) -> box -> result -> effects ->
 * audit. Every door runs a request by this function.
 */
#ifndef CORDON_FLOW_RUN_H
#define CORDON_FLOW_RUN_H

#include "live/launch.h"
#include "model/request.h"
#include "model/result.h"

/* Takes over *BOX, which the caller may have begun, or is LAUNCH_NONE. Always fills *RET, which
 * the caller frees; its status says whether anything ran. */
void flow_run(const struct request *req, struct launch *box, const struct launch_sink *sink,
	      struct result *ret);

#endif
