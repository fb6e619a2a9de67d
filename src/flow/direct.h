/* SPDX-License-Identifier: MIT
 *
 * A directory that programs write to directly. Paths that the user's own tools run or obey are read-only in
 * the box. Such a path that appears during a run is taken away at its end and waits in the pending diff.
 */
#ifndef CORDON_FLOW_DIRECT_H
#define CORDON_FLOW_DIRECT_H

#include <time.h>

#include "base/arena.h"
#include "model/spec.h"
#include "overlay/overlay.h"

enum {
	DIRECT_ENTRIES_MAX = 200000, /* of a directory that is written directly */
	DIRECT_DEPTH_MAX = 200,
};

/* Before the run: adds what is protected to the masks. ERR_LIMIT: there is too much to look at. */
int direct_protect(int workspace, struct spec *s, struct arena *a, struct err *err);
/* What a run left that is protected, under its own path in a directory of the workspace. */
struct direct_taken {
	int dir; /* -1: nothing */
	char name[40];
};
#define DIRECT_NOTHING ((struct direct_taken){.dir = -1})
/* After the run, before anything else: renames every protected path that is not among the masks, and removes
 * compiled code that was written since BEGAN. It goes on after an error. */
int direct_take(int workspace, const struct spec *s, struct timespec began,
		struct direct_taken *ret, struct err *err);
/* Moves what was taken to the overlay. What cannot be kept stays where it is, and the error names it. */
int direct_keep(struct direct_taken *t, int workspace, struct timespec began, struct overlay *o,
		struct err *err);

#endif
