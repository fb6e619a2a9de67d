/* SPDX-License-Identifier: MIT
 *
 * Cordon's own directories and files: state with keys and log, cache, rules, configuration,
 * secrets of the policy, for the caller and every account of the machine. No box may show or
 * change them. A path inside one of them is refused; one that lies below a directory of the run is
 * masked. Each is identified by its place in a file system, so links and other mounts of it do not
 * hide it. If it cannot be looked up, Cordon assumes that it exists and refuses every directory
 * that would show it.
 */
#ifndef CORDON_LIVE_OWN_PATHS_H
#define CORDON_LIVE_OWN_PATHS_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/spec.h"
#include "policy/policy.h"

enum { OWN_PATHS_MAX = REQUEST_LIST_MAX + POLICY_SECRETS_MAX + REQUEST_RESERVED_MAX + 16 };

struct own_path {
	const char *what; /* for messages, such as "state" */
	const char *path; /* absolute */
	bool whole;	  /* all files in it are Cordon's too */
	bool make;	  /* if it is missing: Cordon would use it if a box created it */
	bool is_public;	  /* every account may read it, so only a writable directory masks it */
};

struct own_paths {
	struct arena *arena; /* also of the masks; NULL: there are no own paths */
	size_t count;
	struct own_path at[OWN_PATHS_MAX];
	/* Set when the first file or directory is checked. */
	struct mount *mounts;
	bool has_accounts;
	struct own_place *first, **end;
	struct own_missing *missing;
};

/* A directory that the box shows at TARGET. WRITABLE: changes to it stay on the host. */
struct own_shown {
	const char *name, *target;
	bool writable;
};

/* Lists the paths of the caller, the system, REQ and POLICY, which may be NULL. Opens none of them
 * yet. */
void own_paths_find(struct own_paths *ret, const struct request *req, const struct policy *policy,
		    struct arena *arena);
/* Refuses the open file or directory FD if it lies in an own path. NAME is for the error. */
int own_paths_refuse(struct own_paths *own, int fd, const char *name, struct err *err);
/* Adds masks to SPEC for the own paths below the directory DIR, also in mounts below it. */
int own_paths_mask(struct own_paths *own, int dir, const struct own_shown *shown, struct spec *spec,
		   struct err *err);
/* Adds a mask for the file or directory ST at PATH in the box. */
int own_paths_add_mask(struct spec *spec, const char *path, const struct stat *st, struct err *err);
/* Creates and masks own paths that are missing in writable directories, so that the box cannot
 * create them. Call it only for a run that is allowed. */
int own_paths_make(const struct own_paths *own, struct spec *spec, struct err *err);

#endif
