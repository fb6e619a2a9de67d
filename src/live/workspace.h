/* SPDX-License-Identifier: MIT
 *
 * Opens the workspace, a directory of the host. Refuses one that hostile code must not see.
 */
#ifndef CORDON_LIVE_WORKSPACE_H
#define CORDON_LIVE_WORKSPACE_H

#include "live/own_paths.h"

/* REAL is the path of the workspace of REQ without links. Returns the descriptor, or -1 with a
 * cause and a cure. Adds masks to SPEC for the paths of OWN below it. */
int workspace_open(const char *real, const struct request *req, struct own_paths *own,
		   struct spec *spec, struct err *err);
/* The same checks for a path of the option WHAT that FD is open on. OWN has been looked up. */
int workspace_check_more(const char *what, const char *real, int fd, enum workspace_mode mode,
			 const struct request *req, const struct own_paths *own, struct err *err);
/* The path ASKED could not be resolved: adds a cause if its end looks like a mode. */
void workspace_explain(const char *asked, struct err *err);

#endif
