/* SPDX-License-Identifier: MIT
 *
 * Files that only the machine's root can change, for the operator's configuration.
 */
#ifndef CORDON_BASE_ROOT_FILE_H
#define CORDON_BASE_ROOT_FILE_H

#include "base/err.h"

/* Opens PATH with FLAGS. The file and every directory of the path must belong to root, must not be
 * links or writable by other users; and root must be that of the machine, not of a user namespace.
 * ERR_REFUSED if not. */
int root_file_open(const char *path, int flags, struct err *err);

#endif
