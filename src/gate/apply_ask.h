/* SPDX-License-Identifier: MIT
 *
 * Asks a person about pending changes: each path with its state before and after, and the text of
 * both sides. People see exactly the bytes that would be written.
 */
#ifndef CORDON_GATE_APPLY_ASK_H
#define CORDON_GATE_APPLY_ASK_H

#include "gate/gate.h"
#include "overlay/overlay.h"

enum { APPLY_SHOWN_MAX = 256 << 10 }; /* bytes of one side of a file that are shown to people */

/* Asks about the changes whose OUTCOME is OUTCOME_WAITS. 1: a person has approved exactly these
 * changes, and the gate holds the approval. 0: they wait; the report has the request's id.
 * ERR_CONFLICT: a file changed meanwhile. */
int apply_ask(struct gate *g, const struct overlay *o, int workspace, const struct overlay_diff *d,
	      const enum outcome *outcome, bool exposed, struct err *err);

#endif
