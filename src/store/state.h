/* SPDX-License-Identifier: MIT
 *
 * The directory that holds what Cordon remembers: $XDG_STATE_HOME/cordon, or /var/lib/cordon for
 * root, or ~/.local/state/cordon. Only its owner may enter it.
 */
#ifndef CORDON_STORE_STATE_H
#define CORDON_STORE_STATE_H

#include <limits.h>

#include "base/err.h"

/* An empty file in every state directory: no box is given a directory with it, wherever it is. */
#define STATE_MARK "cordon-state"

/* Where it would be; nothing is made. */
int state_path(char ret[PATH_MAX], struct err *err);
/* Makes it if it is not there, and opens it. Returns a descriptor or -1. */
int state_open(const char *path, struct err *err);

#endif
