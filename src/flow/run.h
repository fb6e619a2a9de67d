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

/* Starts cordon-box, which initialises while the caller reads its options. An error is reported by
 * flow_run. flow_drop_box ends a box that did not become flow_run's. */
void flow_begin_box(struct launch *box);
void flow_drop_box(struct launch *box);
/* Takes over *BOX: of flow_begin_box, or LAUNCH_NONE. Always fills *RET, which
 * the caller frees; its status says whether anything ran. */
void flow_run(const struct request *req, struct launch *box, const struct launch_sink *sink,
	      struct result *ret);
/* The same with a box that cordon-keeper holds. If REQ creates a box, KEPT is connected and has a
 * name. Otherwise this starts a program in the box KEPT, which is in use; REQ is the request that the box was
 * created with, and the program. SESSION may be NULL. */
void flow_run_live(const struct request *req, struct kept_box *kept, struct gate_session *session,
		   const struct launch_sink *sink, struct result *ret);

#endif
