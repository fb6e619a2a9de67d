/* SPDX-License-Identifier: MIT
 *
 * Cordon's own directories and files: state with keys and log, cache, rules, configuration. No box shows or
 * changes them, whatever it is given: a file or directory in one of them is refused, and one that is
 * below a given directory is masked. They are known by device and inode, so that neither a link nor
 * a second mount makes a difference.
 */
#ifndef CORDON_FLOW_OWN_PATHS_H
#define CORDON_FLOW_OWN_PATHS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/spec.h"

enum { OWN_PATHS_MAX = REQUEST_LIST_MAX + 16 };

struct own_path {
	const char *what; /* for messages: "state" */
	const char *path; /* absolute */
	bool make;	  /* when it is missing: Cordon would use it if the box made it */
};

struct own_paths {
	struct arena *arena; /* owns the strings, and those of masks */
	size_t count;
	struct own_path at[OWN_PATHS_MAX];
};

/* The user's, the system's, and what REQ names. Nothing is made. */
void own_paths_find(struct own_paths *ret, const struct request *req, struct arena *arena);
/* Refuses the open file or directory FD, called NAME, if it lies in one of them. */
int own_paths_refuse(const struct own_paths *own, int fd, const char *name, struct err *err);
/* The directory DIR, called NAME, is shown at TARGET in the box: SPEC masks what lies below it. What is
 * missing there is made first, so that the box cannot make it. */
int own_paths_mask(const struct own_paths *own, int dir, const char *name, const char *target,
		   struct spec *spec, struct err *err);

#endif
