/* SPDX-License-Identifier: MIT
 *
 * Turns a request into a spec: profile, paths of the host that the box shows, limits. Reads the
 * file system and makes no lasting change to it.
 */
#ifndef CORDON_LIVE_BLUEPRINT_H
#define CORDON_LIVE_BLUEPRINT_H

#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "live/direct.h"
#include "live/egress_process.h"
#include "live/host_paths.h"
#include "live/own_paths.h"
#include "live/payload.h"
#include "live/private_path.h"
#include "live/pump.h"
#include "model/request.h"
#include "model/spec.h"

struct blueprint {
	struct arena arena; /* owns the spec's strings */
	struct spec spec;
	struct private_path private; /* the tier without namespaces */
	const struct profile *profile;
	struct payload payload;
	int workspace, input;	   /* descriptors, or -1 */
	int saved;		   /* the directory spec.saved_path, or -1 */
	struct direct_dirs direct; /* what the run may write to directly */
	struct own_paths own;	   /* Cordon's own files, which no box may show */
	/* Real paths, each also in host_paths. LIBRARY: the library of an interpreter outside
	 * /usr, or NULL. */
	const char *venv, *library, *program_at[REQUEST_LIST_MAX], *ro_at[REQUEST_PATHS_MAX],
		*rw_at[REQUEST_RW_MAX];
	struct host_paths host_paths;
	int input_file;	     /* the file that the caller named as standard input, or -1 */
	bool input_is_fixed; /* the input cannot change any more; input_sha256 is its hash */
	uint8_t input_sha256[32];
	bool reads_early;   /* the interpreter reads the code and waits before it runs it: boot.h */
	bool has_telemetry; /* the interpreter reports on the channel what the program does */
	int channel;	    /* our end of the socket to the interpreter, or -1 */
	int channel_in;	    /* the program's end, or -1 */
	int parts;	    /* see struct boot */
	struct egress_process egress;
	struct pump pump;      /* from the caller's input into the pipe INPUT */
	struct timespec began; /* a file with a later time stamp changed during the run */
	bool hash_later;       /* the payload is a program: hash its file while it runs */
	struct stat program;   /* that file before the run */
};

/* The caller passes zeroed memory: *P is large, and clearing it here would touch every page. */
void blueprint_init(struct blueprint *p);
void blueprint_done(struct blueprint *p);
/* Opens and fixes the code and its input. Binds no path of the host yet. POLICY names files with
 * secrets; it may be NULL. */
int blueprint_begin(struct blueprint *p, const struct request *req, const struct policy *policy,
		    struct err *err);
/* Undoes blueprint_make, so that it can be called again. */
void blueprint_again(struct blueprint *p);
/* Builds the spec. REQ must not ask for more than the request of blueprint_begin. */
int blueprint_make(struct blueprint *p, const struct request *req, struct err *err);

#endif
