/* SPDX-License-Identifier: MIT
 *
 * The effect "write": a conversation's pending changes of a directory, decided path by path and applied.
 */
#ifndef CORDON_FLOW_APPLY_H
#define CORDON_FLOW_APPLY_H

#include "flow/gate.h"
#include "overlay/overlay.h"

/* Before a run with an overlay: opens what earlier runs of the conversation changed, and waits until no
 * other run of it uses the directory. BP is made. */
int apply_open(struct gate *g, struct blueprint *bp, struct overlay *ret, struct err *err);
/* After a run: keeps what it changed, and applies it if the request says so. What is not covered waits. */
int apply_result(struct gate *g, struct overlay *o, struct result *r, struct err *err);
/* Decides and applies what waits for the directory that the gate has looked at (gate_facts). The report has
 * an effect for each path. WORKSPACE is the open directory. *RET_COUNT: how many were written. */
int apply_pending(struct gate *g, int workspace, size_t *ret_count, struct err *err);
/* A person may have cleared the mark while exposed code was writing, or before an apply was finished. */
int apply_mark_again(struct gate *g, struct err *err);

#endif
