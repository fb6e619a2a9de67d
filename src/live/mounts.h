/* SPDX-License-Identifier: MIT
 *
 * The mounts that this process sees, and the place of a file: its file system and its path in
 * that. The place is the same for every link and every bind mount that leads to the file.
 */
#ifndef CORDON_LIVE_MOUNTS_H
#define CORDON_LIVE_MOUNTS_H

#include <limits.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct place {
	const char *dev;  /* of the file system, such as "8:1" */
	const char *path; /* from the root of that file system */
};

struct mount {
	struct mount *next;
	uint64_t id;
	const char *point; /* mount point */
	const char *type;
	struct place shows; /* the root of the mount */
};

/* The list of all mounts; NULL with ERR if it cannot be read. */
struct mount *mounts_read(struct arena *arena, struct err *err);
/* The mount through which FD was opened. NULL if it is not in the list, as in a chroot. */
const struct mount *mounts_find(const struct mount *all, int fd);
/* The path of the open file FD from the root directory. */
int mounts_path(int fd, char ret[PATH_MAX], struct err *err);
/* The place of the open file FD. If its mount is not in the list, the path is that from the root
 * directory. */
int mounts_place(const struct mount *all, int fd, struct arena *arena, struct place *ret,
		 struct err *err);
/* PATH relative to ABOVE: "" if both are the same, NULL if PATH is not below ABOVE. */
const char *path_below(const char *path, const char *above);
/* The path of REST below ABOVE. */
const char *path_join(struct arena *arena, const char *above, const char *rest);
/* As path_below. */
const char *place_below(const struct place *place, const struct place *above);

#endif
