/* SPDX-License-Identifier: MIT
 *
 * The files of a pack, in the order in which the reference loads them: names sorted by their bytes,
 * directories walked where they stand.
 */
#ifndef CORDON_RULE_WALK_H
#define CORDON_RULE_WALK_H

#include <stddef.h>

#include "base/err.h"

#define PACK_DEPTH_MAX 16      /* directories in directories */
#define PACK_ENTRIES_MAX 20000 /* names in one directory */

/* DATA is gone after the call. NULL: the file cannot be read, or is none, and the walk's ERR says
 * why. Anything
 * but 0 ends the walk with that result. */
typedef int walk_fn(void *context, const char *path, const char *data, size_t len);

/* PATH is a directory or a single file. */
int walk_files(const char *path, walk_fn *each, void *context, struct err *err);

#endif
