/* SPDX-License-Identifier: MIT
 *
 * Opens private directories. The opened directory is checked, not its name. A wrong mode or owner
 * is an error and is never repaired, because another user may already have changed the content.
 */
#ifndef CORDON_BASE_OWNED_DIR_H
#define CORDON_BASE_OWNED_DIR_H

#include <sys/types.h>

#include "base/err.h"

/* Opens a directory that is not a link, is owned by this user, has no bit of FORBIDDEN in its mode,
 * and is in a directory where no other user can replace it. ERR_REFUSED: it exists but is not so. */
int owned_dir_open(const char *path, mode_t forbidden, struct err *err);

#endif
