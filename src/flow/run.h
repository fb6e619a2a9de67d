/* SPDX-License-Identifier: MIT
 *
 * The sentence: request -> scan -> origin -> decide -> (approve) -> box -> result -> effects ->
 * audit. Every door runs a request by this function.
 */
#ifndef CORDON_FLOW_RUN_H
#define CORDON_FLOW_RUN_H

#include "gate/gate.h"
#include "live/kept_box.h"
#include "model/request.h"
#include "model/result.h"

/* Takes over *BOX, which the caller may have begun, or is LAUNCH_NONE. Always fills *RET, which
 * the caller frees; its status says whether anything ran. */
void flow_run(const struct request *req, struct launch *box, const struct launch_sink *sink,
	      struct result *ret);
/* The same with a box that cordon-keeper holds. If REQ is a live box, creates it: KEPT is connected and
 * has a name. Else starts a program in the box KEPT, which is in use, under the request that the box was
 * created with. SESSION may be NULL. */
void flow_run_live(const struct request *req, struct kept_box *kept, struct gate_session *session,
		   const struct launch_sink *sink, struct result *ret);

#endif
