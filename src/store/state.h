/* SPDX-License-Identifier: MIT
 *
 * The state directory: $XDG_STATE_HOME/cordon, or /var/lib/cordon for root, or
 * ~/.local/state/cordon. Only its owner may enter it.
 */
#ifndef CORDON_STORE_STATE_H
#define CORDON_STORE_STATE_H

#include <limits.h>

#include "base/err.h"

/* An empty file in every state directory. No box is given a directory that contains it. */
#define STATE_MARK "cordon-state"

/* The default path; makes nothing. */
int state_path(char ret[PATH_MAX], struct err *err);
/* Opens the directory, which is made if necessary. Returns a descriptor or -1. */
int state_open(const char *path, struct err *err);

#endif
