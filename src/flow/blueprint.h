/* SPDX-License-Identifier: MIT
 *
 * From a request to a spec: which profile, what is shown of the host, under which limits. Reads
 * the file system and changes nothing that stays.
 */
#ifndef CORDON_FLOW_BLUEPRINT_H
#define CORDON_FLOW_BLUEPRINT_H

#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "flow/given.h"
#include "flow/outside.h"
#include "flow/own_paths.h"
#include "flow/payload.h"
#include "flow/private.h"
#include "flow/pump.h"
#include "model/request.h"
#include "model/spec.h"

struct blueprint {
	struct arena arena; /* owns the spec's strings */
	struct spec spec;
	struct private private; /* the tier without namespaces */
	const struct profile *profile;
	struct payload payload;
	int workspace, input; /* descriptors, or -1 */
	int saved;	      /* the same: what is at spec.saved_path */
	struct own_paths own; /* what it may not be given */
	/* Where what the host gives it really is, each of them in GIVEN; LIBRARY: of an interpreter that is
	 * not the system's, or NULL. */
	const char *venv, *library, *program_at[REQUEST_LIST_MAX];
	struct givens given;
	int input_file;	     /* the file of a directory that the caller named, or -1 */
	bool input_is_fixed; /* its bytes cannot change any more, and this is their hash: */
	uint8_t input_sha256[32];
	bool talks; /* its interpreter reads the code itself first, and waits: see view_boot */
	bool tells; /* it tells what it does, on the same descriptor, when it has started */
	int talk;   /* our end of that, and what the program gets; or -1 */
	int talk_in, parts;
	struct outside outside; /* who connects for it, if it may */
	struct pump pump;	/* to the other end of input */
	struct timespec began;	/* files that are stamped later changed during the run */
	bool hash_later;	/* the payload is a program of its own: hash while it runs */
	struct stat program;	/* how its file was before */
};

/* *P is zeroed memory (calloc): it is large, and clearing it here would touch every page. */
void blueprint_init(struct blueprint *p);
void blueprint_done(struct blueprint *p);
/* The exact bytes that are meant: the code and its input. Nothing is shown of the host yet. POLICY, or NULL,
 * names files with secrets. */
int blueprint_begin(struct blueprint *p, const struct request *req, const struct policy *policy,
		    struct err *err);
/* As after blueprint_begin: to be made once more. */
void blueprint_again(struct blueprint *p);
/* The rest. REQ asks for no more than before. */
int blueprint_make(struct blueprint *p, const struct request *req, struct err *err);

#endif
