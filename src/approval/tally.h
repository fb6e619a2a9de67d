/* SPDX-License-Identifier: MIT
 *
 * Counting words, and remembering what was approved last under a name.
 */
#ifndef CORDON_APPROVAL_TALLY_H
#define CORDON_APPROVAL_TALLY_H

#include "approval/approval.h"

/* 1: it counts, and *RET_KEY is the version of the person's key; 0: *WHY not; -1: the store could not be
 * read. */
int tally_vote(struct store *s, const struct approval *a, const struct approval_vote *v,
	       uint64_t now, uint64_t *ret_key, struct err *why, struct err *err);
/* 1: as many people as are needed agree, and A names them and their scope; 0: *WHY not; -1. */
int tally(struct store *s, struct approval *a, uint64_t now, struct err *why, struct err *err);

/* Do both words come from one person? One key, or one account: somebody may have two keys. Root is
 * whoever may become root. */
bool tally_is_same(const struct approval_vote *a, const struct approval_vote *b);

/* people.c: the key of NAME must still be there when TX is committed, as it was when it counted. */
void person_expect(struct store_tx *tx, const char *name, uint64_t version);

/* last.c: adds to TX that A is the newest of its name in its conversation. */
void last_add(struct store_tx *tx, const struct approval *a);
/* That it is no longer, if it is. */
int last_remove(struct store *s, struct store_tx *tx, const struct approval *a, struct err *err);

#endif
