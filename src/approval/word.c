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

void approval_get_word(struct jcs_span body, struct approval_word *ret)
{
	int64_t expires, time, uid;
	struct jcs_span vote;

	*ret = (struct approval_word){0};
	if (!jcs_member(body, "vote", &vote) ||
	    !jcs_text_at(vote, "name", ret->name, sizeof(ret->name)) ||
	    !jcs_hex_at(vote, "key", ret->vote.public, sizeof(ret->vote.public)) ||
	    !jcs_hex_at(vote, "signature", ret->vote.signature, sizeof(ret->vote.signature)) ||
	    !jcs_int_at(vote, "expires", &expires) || !jcs_int_at(vote, "time", &time) ||
	    !jcs_int_at(vote, "uid", &uid)) {
		*ret = (struct approval_word){0};
		return;
	}
	ret->vote.approves = 1;
	ret->vote.scope = SCOPE_ONCE;
	ret->vote.expires = (uint64_t)expires;
	ret->vote.time = (uint64_t)time;
	ret->vote.uid = (uint64_t)uid;
}

/* What was said was said at its time: it does not end, nor with the key. */
int approval_word_was_good(struct store *s, const struct approval_matter *m,
			   const struct approval_word *word, uint64_t seq, struct err *err)
{
	struct approval a = as_request(m, word->vote.time);
	struct approval_vote vote = word->vote;
	struct approval_person p = {0};
	struct err why;

	a.request.single_user = true;
	vote.name = word->name; /* WORD may have been copied */
	int found = person_then(s, word->name, seq, &p, err);
	return found <= 0 ? found : approval_vote_counts(&a, &vote, &p, vote.time, &why);
}
