/* SPDX-License-Identifier: MIT
 *
 * What the two halves of making a blueprint share: the steps (blueprint_make.c), and what of the host
 * they show (blueprint_show.c).
 */
#ifndef CORDON_FLOW_BLUEPRINT_PRIVATE_H
#define CORDON_FLOW_BLUEPRINT_PRIVATE_H

#include "conf/profile.h"
#include "flow/blueprint.h"

struct draft {
	struct blueprint *bp;
	const struct request *req;
	const struct profile *profile; /* the blueprint's */
	const char *interpreter;       /* as started, e.g. a virtualenv's */
	const char *real;	       /* the file behind it */
};

/* The real path of PATH; NULL: there is none. */
const char *draft_resolve(struct draft *d, const char *path, struct err *err);
/* One file or link of our own, one path of the host, one program that may be started. */
int draft_file(struct draft *d, struct spec_file file, struct err *err);
int draft_bind(struct draft *d, const char *source, const char *target, unsigned flags,
	       struct err *err);
/* Which one, and all that it needs. */
int draft_interpreter(struct draft *d, struct err *err);
int draft_show(struct draft *d, struct err *err);

#endif
