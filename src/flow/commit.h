/* SPDX-License-Identifier: MIT
 *
 * Writes the changes of an overlay workspace back to the user's directory.
 */
#ifndef CORDON_FLOW_COMMIT_H
#define CORDON_FLOW_COMMIT_H

#include "flow/conflict.h"
#include "model/spec.h"

/* WORKSPACE is the user's directory, MARK is when the run began; SPEC has the most that may be written, and
 * the masks. A change that is not written back gets its reason as note. */
int commit_changes(struct result *r, int workspace, const struct conflict_mark *mark,
		   const struct spec *spec, struct err *err);

#endif
