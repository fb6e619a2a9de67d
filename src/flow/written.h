/* SPDX-License-Identifier: MIT
 *
 * What a run has changed is known by what is in it, so that it is known wherever it is moved to.
 * What cannot be remembered, because it is too much or cannot be read, is not forgotten: that there
 * is such a thing is kept, and then every file that was changed since is doubtful (files_lost of
 * origin/filelabel.h).
 */
#ifndef CORDON_FLOW_WRITTEN_H
#define CORDON_FLOW_WRITTEN_H

#include <time.h>

#include "model/result.h"
#include "origin/filelabel.h"

struct written_ask {
	int dir;			/* the workspace */
	const struct result *committed; /* its changes; NULL: whatever is stamped since BEGAN */
	struct timespec began;
	uint64_t files, bytes; /* so many are remembered */
	const struct label *label;
};

/* *RET_LOST: not all of it could be. That is kept before this returns. */
int written_remember(struct keeper *k, const struct written_ask *ask, bool *ret_lost,
		     struct err *err);

#endif
