/* SPDX-License-Identifier: MIT
 *
 * The sentence: request -> origin -> scan -> decide -> (approve) -> box -> result -> effects -> audit.
 * Every front door speaks it through this one function.
 */
#ifndef CORDON_FLOW_RUN_H
#define CORDON_FLOW_RUN_H

#include "flow/launch.h"
#include "model/request.h"
#include "model/result.h"

/* Takes *BOX if one was begun ahead; else it is LAUNCH_NONE. Always fills *RET; its status says whether
 * anything ran. The caller frees it. */
void flow_run(const struct request *req, struct launch *box, const struct launch_sink *sink,
	      struct result *ret);

#endif
