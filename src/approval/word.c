/* SPDX-License-Identifier: MIT
 *
 * A person's word on something that is no request to run: the same people, keys and rules, and the same
 * signature. What it is about is a digest behind a prefix of its own, so a word on one thing is never one
 * on another, nor one that lets something run.
 */
#include <stdio.h>
#include <string.h>

#include "approval/tally.h"

enum { WORD_MS = 60 * 1000 }; /* it is said and taken at once */

/* As if somebody had asked for it at the time NOW. */
static struct approval as_request(const struct approval_matter *m, uint64_t now)
{
	struct approval a = {.request = {.uid = m->uid,
					 .single_user = m->single_user,
					 .approvers = 1,
					 .scope = SCOPE_ONCE,
					 .ttl_ms = WORD_MS,
					 .created = now,
					 .expires = now + WORD_MS}};

	snprintf(a.id, sizeof(a.id), "%s", m->what);
	memcpy(a.binding, m->binding, sizeof(a.binding));
	return a;
}

int approval_say(struct store *s, const struct approval_matter *m, const struct key *key,
		 const struct approval_actor *actor, struct store_tx *tx, struct approval_word *ret,
		 struct err *err)
{
	struct approval a = as_request(m, m->now);
	uint64_t version = 0;

	if (approval_may_sign(&a, actor, err) < 0 ||
	    approval_person_of_key(s, key->public, ret->name, err) < 0)
		return -1;
	ret->vote = (struct approval_vote){.name = ret->name,
					   .approves = 1,
					   .scope = SCOPE_ONCE,
					   .time = m->now,
					   .uid = actor->uid};
	if (approval_sign(&a, key, &ret->vote, err) < 0)
		return -1;
	struct err why = {0};
	int counts = tally_vote(s, &a, &ret->vote, m->now, &version, &why, err);
	if (counts <= 0) {
		*err = counts ? *err : why;
		return -1;
	}
	person_expect(tx, ret->name, version);
	return 0;
}
