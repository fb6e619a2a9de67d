/* SPDX-License-Identifier: MIT
 *
 * The step "box" of the sentence for a box that lives: it creates the box, or starts one program in it.
 */
#ifndef CORDON_FLOW_LIVE_RUN_H
#define CORDON_FLOW_LIVE_RUN_H

#include "flow/sentence.h"

/* Creates the box. The keeper has it afterwards. */
int live_run_create(struct sentence *s, struct err *err);
/* In place of a new blueprint: the box must have what a start would get now, no more and no less. */
int live_run_check(struct sentence *s, struct err *err);
/* Starts the program, passes on what it prints, and waits until it has ended. Programs that it left
 * behind live on. Typed text starts nothing: the caller passes it on. */
int live_run_start(struct sentence *s, struct err *err);
/* If the conversation has ended, its boxes are stopped. */
int live_run_stop_ended(const struct gate_state *state, const struct conversation *c,
			struct err *err);
/* Creates a box for one program that has a terminal, and ends it with the program. */
int live_run_alone(struct sentence *s, struct err *err);

#endif
