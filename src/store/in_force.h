/* SPDX-License-Identifier: MIT
 *
 * Which policy decides here. The log knows the last one by its hash; a transaction that was decided
 * by another has a record of the change before its own. Two who decide by different ones at the same
 * time do not both write: the later one is told (ERR_CONFLICT) and decides again.
 */
#ifndef CORDON_STORE_IN_FORCE_H
#define CORDON_STORE_IN_FORCE_H

#include "store/store.h"

enum { IN_FORCE_SHA256 = 32, IN_FORCE_REFS_MAX = 8 };
#define IN_FORCE_REF "policy:log" /* of all such records */

struct in_force {
	const uint8_t *sha256;
	const char *profile;
	const char *file; /* NULL: built in */
};

/* REFS are names for the record besides its own. What fails is for commit to say. */
void in_force_tell(struct store *s, const struct in_force *policy, const char *const *refs,
		   size_t refc, struct store_tx *tx);

#endif
