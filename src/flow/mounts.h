/* SPDX-License-Identifier: MIT
 *
 * The mounts that this process sees, and where a file really is: a path in a file system, not a path from
 * the root directory. A link, a bind mount or a mount on the way makes no difference to it.
 */
#ifndef CORDON_FLOW_MOUNTS_H
#define CORDON_FLOW_MOUNTS_H

#include <limits.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct place {
	const char *dev;  /* of the file system: "8:1" */
	const char *path; /* in it, from its own root */
};

struct mount {
	struct mount *next;
	uint64_t id;
	const char *point; /* where it is mounted */
	const char *type;
	struct place shows;
};

/* The first of the list; NULL with ERR if they cannot be read. */
struct mount *mounts_read(struct arena *arena, struct err *err);
/* The mount that the open file FD was reached through. NULL: it is in none of them, as in a chroot. */
const struct mount *mounts_find(const struct mount *all, int fd);
/* The path of the open file FD from the root directory. */
int mounts_path(int fd, char ret[PATH_MAX], struct err *err);
/* Where the open file FD is. In none of these mounts: the path from the root directory is what is known. */
int mounts_place(const struct mount *all, int fd, struct arena *arena, struct place *ret,
		 struct err *err);
/* What of PATH is below ABOVE: "" if they are the same, NULL if it is not below it. */
const char *path_below(const char *path, const char *above);
/* The other way round: REST below ABOVE. */
const char *path_join(struct arena *arena, const char *above, const char *rest);
/* As path_below. */
const char *place_below(const struct place *place, const struct place *above);

#endif
