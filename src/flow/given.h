/* SPDX-License-Identifier: MIT
 *
 * What the host gives a run beside its code and its workspace: a virtual environment, an interpreter's
 * library, programs. Each is held open from the moment it was resolved, so that what is looked at, what
 * people agree to and what the box shows is one and the same: a name can lead to something else, and back.
 */
#ifndef CORDON_FLOW_GIVEN_H
#define CORDON_FLOW_GIVEN_H

#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/spec.h"

enum { GIVEN_MAX = REQUEST_LIST_MAX + 3 };

struct given {
	const char *path;
	int fd; /* O_PATH */
	struct stat st;
};

struct givens {
	size_t count;
	struct given at[GIVEN_MAX];
};

/* PATH, which must live as long as G; NULL with ERR if it cannot be opened. Once, however often. */
const struct given *givens_add(struct givens *g, const char *path, struct err *err);
const struct given *givens_find(const struct givens *g, const char *path);
void givens_close(struct givens *g);
/* A name for who opens it again: it leads nowhere else. */
const char *given_name(const struct given *g, struct arena *a);
/* What the box has to find there. A file must also not have been written to meanwhile. */
struct spec_meant given_meant(const struct given *g);

#endif
