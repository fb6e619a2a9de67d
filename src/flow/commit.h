/* SPDX-License-Identifier: MIT
 *
 * Writes the changes of an overlay workspace back to the user's directory.
 */
#ifndef CORDON_FLOW_COMMIT_H
#define CORDON_FLOW_COMMIT_H

#include "flow/conflict.h"

/* WORKSPACE is the user's directory, MARK is when the run began, DISK the most that may be written.
 * A change that is not written back gets its reason as note. */
int commit_changes(struct result *r, int workspace, const struct conflict_mark *mark, uint64_t disk,
		   struct err *err);

#endif
