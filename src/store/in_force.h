/* SPDX-License-Identifier: MIT
 *
 * The policy in force. The store has the hash of the policy of the last decision. A transaction
 * that was decided by another policy first records the change. Two processes cannot commit
 * decisions by different policies at the same time: the later one gets ERR_CONFLICT and decides
 * again.
 */
#ifndef CORDON_STORE_IN_FORCE_H
#define CORDON_STORE_IN_FORCE_H

#include "store/store.h"

enum { IN_FORCE_SHA256 = 32, IN_FORCE_REFS_MAX = 8 };
#define IN_FORCE_REF "policy:log" /* a ref of every such record */

struct in_force {
	const uint8_t *sha256;
	const char *profile;
	const char *file; /* NULL: built in */
};

/* Adds to TX a record of the change of policy, if there is one, with more REFS. store_commit
 * returns the errors. */
void in_force_record(struct store *s, const struct in_force *policy, const char *const *refs,
		     size_t refc, struct store_tx *tx);

#endif
