/* SPDX-License-Identifier: MIT
 *
 * What a run has changed is known by what is in it, so that it is known wherever it is moved to.
 * What cannot be remembered, because it is too much or cannot be read, is not forgotten: whoever asks
 * keeps that there is such a thing, and then every file that was changed since is doubtful
 * (origin/fileslost.h).
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

struct written;

/* Looks through all of it, and keeps the labels of what is too much for one transaction. ASK stays
 * where it is. */
int written_see(struct keeper *k, const struct written_ask *ask, struct written **ret,
		struct err *err);
/* Not all of it could be remembered. */
bool written_is_lost(const struct written *w);
/* The labels of what is left; with ERR_CONFLICT it is made anew. */
int written_keep(const struct written *w, struct store_tx *tx, struct err *err);
/* Is there a file with these bytes among what is left? */
bool written_has(const struct written *w, const uint8_t sha256[KEEPER_SHA256]);
void written_free(struct written *w);

#endif
