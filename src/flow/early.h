/* SPDX-License-Identifier: MIT
 *
 * Speculation: the box that the code would get without a finding is started before the decision.
 * Its interpreter parses the code and waits for one byte before it runs it. If the decision
 * requires another box, the early one is ended and has run nothing.
 */
#ifndef CORDON_FLOW_EARLY_H
#define CORDON_FLOW_EARLY_H

#include "flow/sentence.h"

/* Starts cordon-box if the caller has not. It initialises while the request is prepared. */
int early_begin_box(struct sentence *s, struct err *err);
/* Sends the spec to that box, if the decision can be guessed. */
int early_begin(struct sentence *s, struct err *err);
/* 1: *RET is the interpreter's view of the code. 0: there is no view, and the early box has
 * ended. */
int early_view(struct sentence *s, struct code_view *ret, struct err *err);
/* After the decision: makes the blueprint, unless the early box has the same one. */
int early_blueprint(struct sentence *s, struct err *err);
/* Ends the early box if there is one, and starts a new cordon-box. */
int early_drop(struct sentence *s, struct err *err);
/* Does the early box wait for its byte, with enough of its time left? */
bool early_is_ready(struct sentence *s);
/* Lets the early box run the code, and collects its result. */
int early_finish(struct sentence *s, struct err *err);

#endif
