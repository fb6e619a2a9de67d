/* SPDX-License-Identifier: MIT
 *
 * The effect "write": decides a conversation's pending changes of a directory path by path, and
 * applies them.
 */
#ifndef CORDON_FLOW_APPLY_H
#define CORDON_FLOW_APPLY_H

#include "gate/gate.h"
#include "live/sink.h"
#include "overlay/overlay.h"

/* Before a run with an overlay: opens the pending changes of the conversation, and waits until no
 * other run of it has the directory. BP is complete. */
int apply_open(struct gate *g, struct blueprint *bp, struct overlay *ret, struct err *err);
/* After a run: keeps its changes, and applies them if the request says so. Changes that nothing
 * covers wait. */
int apply_result(struct gate *g, struct overlay *o, struct result *r, struct err *err);
/* After a run: moves the new protected paths of each directory that it wrote to directly to its
 * pending changes. Closes O before. Continues after an error and returns the first one. */
int apply_collect(struct gate *g, struct overlay *o, struct err *err);
/* With --wait: waits for the answer, then decides by the facts of that moment. Meanwhile other
 * runs of the conversation may use the directory. The report keeps its first EFFECTS effects
 * and those of other directories. */
int apply_wait(struct gate *g, struct overlay *o, int workspace, const struct launch_sink *sink,
	       size_t effects, struct err *err);
/* Decides and applies the pending changes of the directory that gate_facts has judged. The report
 * has an effect for each path. WORKSPACE is the open directory. *RET_COUNT is the number of paths
 * that were written. */
int apply_pending(struct gate *g, int workspace, size_t *ret_count, struct err *err);
/* Marks the directory AT again: a person may have cleared the mark while exposed code was writing, or
 * before an apply was finished. */
int apply_mark_again(struct gate *g, const struct directory_place *at, struct err *err);

#endif
