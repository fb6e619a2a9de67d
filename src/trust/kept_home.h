/* SPDX-License-Identifier: MIT
 *
 * The home directories that Cordon keeps for boxes, one for each project and name, in the state
 * directory: homes/PROJECT/NAME. Cordon makes each empty and trusts it. Then it is a directory like any
 * other (directory.h): an exposed run marks it before it starts. One without an entry is untrusted.
 */
#ifndef CORDON_TRUST_KEPT_HOME_H
#define CORDON_TRUST_KEPT_HOME_H

#include <sys/stat.h>

#include "trust/directory.h"

enum { KEPT_HOME_NAME_MAX = 32 }; /* with its NUL */

struct kept_home {
	const struct directory_place *project; /* the workspace */
	struct stat owner;		       /* of the workspace: as root, also of the new home */
	const char *name;
};

/* Letters, digits, dots, dashes and underscores; the first is a letter or digit. */
bool kept_home_is_name(const char *name);
/* Opens it; makes it and its entry if it is missing. STATE is the state directory. A descriptor or -1. */
int kept_home_open(struct keeper *k, int state, const struct kept_home *h, struct err *err);

typedef int kept_home_visit(void *ctx, int fd, const char *project, const char *name,
			    struct err *err);
/* Calls VISIT for each, in no order. PROJECT is the path that the workspace had. -1 ends it. */
int kept_home_each(int state, kept_home_visit *visit, void *ctx, struct err *err);
/* Removes those with this NAME of the project at PATH: the entry first, then the files. *RET: how many. */
int kept_home_remove(struct keeper *k, int state, const char *path, const char *name, unsigned *ret,
		     struct err *err);

#endif
