/* SPDX-License-Identifier: MIT
 *
 * Shared by blueprint_make.c, which builds the spec, and blueprint_show.c, which adds the paths of
 * the host.
 */
#ifndef CORDON_LIVE_BLUEPRINT_PRIVATE_H
#define CORDON_LIVE_BLUEPRINT_PRIVATE_H

#include "conf/profile.h"
#include "live/blueprint.h"

struct draft {
	struct blueprint *bp;
	const struct request *req;
	const struct profile *profile; /* the blueprint's */
	const char *interpreter;       /* the path that is started, e.g. in a virtualenv */
	const char *real;	       /* its real path */
	bool is_dev;		       /* the profile of execution */
	const char *path;	       /* of toolchains, for PATH; or NULL */
};

/* The real path of PATH, or NULL with ERR. */
const char *draft_resolve(struct draft *d, const char *path, struct err *err);
/* Is PATH below the workspace, or below a directory of --ro or --rw? */
bool draft_shows(const struct draft *d, const char *path);
/* Adds a file or link that exists only in the box; adds a path of the host. */
int draft_file(struct draft *d, struct spec_file file, struct err *err);
int draft_bind(struct draft *d, const char *source, const char *target, unsigned flags,
	       struct err *err);
/* Finds the interpreter; adds every path of the host that the run needs. */
int draft_interpreter(struct draft *d, struct err *err);
int draft_show(struct draft *d, struct err *err);
/* Refuses a directory of --rw that the box would show in another way too. All else is there. */
int draft_check_rw(const struct draft *d, struct err *err);

#endif
