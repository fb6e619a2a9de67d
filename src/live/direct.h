/* SPDX-License-Identifier: MIT
 *
 * A workspace that programs write to directly. Paths that the user's own tools run or obey
 * (protected paths) are read-only in the box. After the run a protected path that it created is
 * moved to the pending changes.
 */
#ifndef CORDON_LIVE_DIRECT_H
#define CORDON_LIVE_DIRECT_H

#include <time.h>

#include "base/arena.h"
#include "model/spec.h"
#include "overlay/overlay.h"

enum {
	DIRECT_ENTRIES_MAX = 200000, /* in such a workspace */
	DIRECT_DEPTH_MAX = 200,
};

/* Before the run: adds the protected paths to the masks. ERR_LIMIT: the workspace is too large. */
int direct_protect(int workspace, struct spec *s, struct arena *a, struct err *err);
/* The protected paths that a run created, moved to the directory NAME of the workspace. */
struct direct_taken {
	int dir; /* -1: there are no such paths */
	char name[40];
};
#define DIRECT_NOTHING ((struct direct_taken){.dir = -1})
/* Right after the run: moves every protected path that is not among the masks, and removes
 * compiled code that was written since BEGAN. Continues after an error and returns the first
 * one. */
int direct_take(int workspace, const struct spec *s, struct timespec began,
		struct direct_taken *ret, struct err *err);
/* Moves those paths to the overlay. On failure they stay in the directory NAME, and the error
 * names it. */
int direct_keep(struct direct_taken *t, int workspace, struct timespec began, struct overlay *o,
		struct err *err);

#endif
