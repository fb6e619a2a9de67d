/* SPDX-License-Identifier: MIT
 *
 * The files of a pack, in the order in which the reference loads them: names sorted by their bytes,
 * directories walked where they stand.
 */
#ifndef CORDON_RULE_WALK_H
#define CORDON_RULE_WALK_H

#include <stddef.h>

#include "base/err.h"
#include "base/stamp.h"

#define PACK_DEPTH_MAX 16      /* directories in directories */
#define PACK_ENTRIES_MAX 20000 /* names in one directory */

/* DATA is gone after the call. NULL: the file cannot be read, or is none, and the walk's ERR says
 * why. Anything
 * but 0 ends the walk with that result. */
typedef int walk_fn(void *context, const char *path, const char *data, size_t len);

/* PATH is a directory or a single file. */
int walk_files(const char *path, walk_fn *each, void *context, struct err *err);

/* One directory or file: its number, that of the directory it is in (-1: none), its name there (a
 * directory's whole path) and its stamp. Directories are numbered from 0 on, files have -1. */
struct walk_place {
	int directory, parent;
	const char *name;
	struct stamp stamp;
};
typedef int walk_place_fn(void *context, const struct walk_place *place);

/* The places that walk_files would read and list, without reading any. As long as all of them have
 * the same stamp, it would give the same files. -1 when that cannot be promised: PATH is no
 * directory, something in it cannot be read, or a link may come to mean something else. */
int walk_places(const char *path, walk_place_fn *each, void *context, struct err *err);

#endif
