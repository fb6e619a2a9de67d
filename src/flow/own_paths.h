/* SPDX-License-Identifier: MIT
 *
 * Cordon's own directories and files: state with keys and log, cache, rules, configuration, secrets of the
 * policy; the caller's and those of every account of the machine. No box shows or changes them, whatever it
 * is given: what lies in one of them is refused, and one that is below a given directory is masked. They are
 * known by their place in a file system, so that neither a link nor a second mount makes a difference. One
 * that cannot be looked for is taken to be there: what would show it is refused.
 */
#ifndef CORDON_FLOW_OWN_PATHS_H
#define CORDON_FLOW_OWN_PATHS_H

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/spec.h"
#include "policy/policy.h"

enum { OWN_PATHS_MAX = REQUEST_LIST_MAX + POLICY_SECRETS_MAX + 16 };

struct own_path {
	const char *what; /* for messages: "state" */
	const char *path; /* absolute */
	bool whole;	  /* whatever is in it is Cordon's too */
	bool make;	  /* when it is missing: Cordon would use it if the box made it */
};

struct own_paths {
	struct arena
		*arena; /* owns the strings, and those of masks; NULL: nothing is Cordon's own */
	size_t count;
	struct own_path at[OWN_PATHS_MAX];
	/* Found when the first file or directory is looked at. */
	struct mount *mounts;
	bool has_accounts;
	struct own_place *first, **end;
	struct own_missing *missing;
};

/* A directory that is shown at TARGET in the box. WRITABLE: what is written there stays. */
struct own_shown {
	const char *name, *target;
	bool writable;
};

/* The caller's, the system's, what REQ names and what POLICY, or NULL, names. Nothing is looked at yet. */
void own_paths_find(struct own_paths *ret, const struct request *req, const struct policy *policy,
		    struct arena *arena);
/* Refuses the open file or directory FD, called NAME, if it lies in one of them. */
int own_paths_refuse(struct own_paths *own, int fd, const char *name, struct err *err);
/* SPEC masks what lies below the directory DIR, or in a mount below it. */
int own_paths_mask(struct own_paths *own, int dir, const struct own_shown *shown, struct spec *spec,
		   struct err *err);
/* Makes and masks what is missing in writable directories, so that the box cannot make it. Only for a run
 * that was allowed. */
int own_paths_make(const struct own_paths *own, struct spec *spec, struct err *err);

#endif
