/* SPDX-License-Identifier: MIT
 *
 * The directories that programs write to directly: the workspace with :rw, and those of --rw. Paths
 * that the user's own tools run or obey (protected paths) are read-only in the box. After the run a
 * protected path that it created is moved to the pending changes of its directory.
 */
#ifndef CORDON_LIVE_DIRECT_H
#define CORDON_LIVE_DIRECT_H

#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "model/request.h"
#include "model/spec.h"
#include "overlay/overlay.h"

enum {
	DIRECT_ENTRIES_MAX = 200000, /* in such a directory */
	DIRECT_DEPTH_MAX = 200,
	DIRECT_DIRS_MAX = 1 + REQUEST_RW_MAX,
	DIRECT_WORKSPACE = -1,
};

struct direct_dir {
	int fd;
	const char *path; /* absolute, without links */
	int rw;		  /* its number among those of --rw, or DIRECT_WORKSPACE */
};

struct direct_dirs {
	size_t count;
	struct direct_dir at[DIRECT_DIRS_MAX];
};

/* Opens the directory PATH, which must be ST. */
int direct_open(struct direct_dirs *all, const char *path, const struct stat *st, int rw,
		struct err *err);
void direct_close(struct direct_dirs *all);

/* Before the run: adds the protected paths to the masks. ERR_LIMIT: the workspace is too large. */
int direct_protect(const struct direct_dir *d, struct spec *s, struct arena *a, struct err *err);
/* The protected paths that a run created, moved to the directory NAME of the same directory. */
struct direct_taken {
	int dir; /* -1: there are no such paths */
	char name[40];
};
#define DIRECT_NOTHING ((struct direct_taken){.dir = -1})
/* Right after the run: moves every protected path that is not among the masks, and removes
 * compiled code that was written since BEGAN. Continues after an error and returns the first
 * one. */
int direct_take(const struct direct_dir *d, const struct spec *s, struct timespec began,
		struct direct_taken *ret, struct err *err);
/* Moves those paths to the overlay. On failure they stay in the directory NAME, and the error
 * names it. */
int direct_keep(struct direct_taken *t, const struct direct_dir *d, struct timespec began,
		struct overlay *o, struct err *err);

#endif
