/* SPDX-License-Identifier: MIT
 *
 * The paths of the host that the caller adds to a run: a virtual environment, an interpreter's
 * library, programs. Each stays open from the moment it is resolved, because its name may lead to
 * another file later. So the rules, the approval and the box all see the same file.
 */
#ifndef CORDON_LIVE_HOST_PATHS_H
#define CORDON_LIVE_HOST_PATHS_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/spec.h"

enum { HOST_PATHS_MAX = 2 * REQUEST_LIST_MAX };

struct host_path {
	const char *path;
	int fd; /* O_PATH */
	struct stat st;
};

struct host_paths {
	size_t count;
	struct host_path at[HOST_PATHS_MAX];
};

/* Opens PATH, unless G has it already; NULL with ERR on failure. PATH must live as long as G. */
const struct host_path *host_paths_add(struct host_paths *g, const char *path, struct err *err);
const struct host_path *host_paths_find(const struct host_paths *g, const char *path);
void host_paths_close(struct host_paths *g);
/* "/proc/self/fd/N", which always opens the same file. */
const char *host_path_proc(const struct host_path *g, struct arena *a);
/* What cordon-box must find at that path. A regular file must also be unchanged. */
struct spec_identity host_path_identity(const struct host_path *g);

#endif
