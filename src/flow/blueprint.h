/* SPDX-License-Identifier: MIT
 *
 * From a request to a spec: which profile, what is shown of the host, under which limits. Reads
 * the file system and changes nothing that stays.
 */
#ifndef CORDON_FLOW_BLUEPRINT_H
#define CORDON_FLOW_BLUEPRINT_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "flow/conflict.h"
#include "flow/private.h"
#include "flow/pump.h"
#include "model/request.h"
#include "model/spec.h"

struct blueprint {
	struct arena arena; /* owns the spec's strings */
	struct spec spec;
	struct private private;	       /* the tier without namespaces */
	int payload, workspace, input; /* descriptors, or -1 */
	struct pump pump;	       /* to the other end of input */
	struct conflict_mark mark;     /* with --commit: when the run began */
	bool hash_later;	       /* the payload is a program of its own: hash while it runs */
	struct stat program;	       /* how its file was before */
};

/* *P is zeroed memory (calloc): it is large, and clearing it here would touch every page. */
void blueprint_init(struct blueprint *p);
void blueprint_done(struct blueprint *p);
int blueprint_make(struct blueprint *p, const struct request *req, struct err *err);

#endif
