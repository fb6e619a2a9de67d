/* SPDX-License-Identifier: MIT
 *
 * Did somebody else change in the workspace what the program changed in its copy of it?
 */
#ifndef CORDON_FLOW_CONFLICT_H
#define CORDON_FLOW_CONFLICT_H

#include <time.h>

#include "base/err.h"
#include "model/result.h"

/* When the run began: by the clock of the workspace's file system, and by ours. */
struct conflict_mark {
	struct timespec start;
	uint64_t boot_ns;
};

/* Before the program runs. Every change after it is stamped later, or at the same time. */
int conflict_mark(int workspace, struct conflict_mark *ret, struct err *err);

/* Looks at every change of R without a note. Those in conflict get one, and it fails: nothing of
 * the program's work is to be written then. */
int conflict_check(struct result *r, int workspace, const struct conflict_mark *mark,
		   struct err *err);

#endif
