/* SPDX-License-Identifier: MIT
 *
 * Do enough different people agree? Asked of the store each time: a key that was removed counts no
 * more, whatever it has signed. What they agree on is what the narrowest of them said.
 */
#include "approval/tally.h"

#include <string.h>

int tally_vote(struct store *s, const struct approval *a, const struct approval_vote *v,
	       uint64_t now, uint64_t *ret_key, struct err *why, struct err *err)
{
	struct approval_person p = {0};
	struct arena arena = {0};

	int found = approval_person_find(s, v->name, &arena, &p, err);
	int r = found < 0 ? -1
			  : approval_vote_counts(a, v, found ? &p : NULL, now, why) && v->approves;
	*ret_key = p.version;
	arena_done(&arena);
	return r;
}

bool tally_is_same(const struct approval_vote *a, const struct approval_vote *b)
{
	return a->uid == b->uid || memcmp(a->public, b->public, sizeof(a->public)) == 0;
}

static bool is_repeated(const struct approval_vote *v, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (tally_is_same(&v[i], &v[at]))
			return true;
	return false;
}

int tally(struct store *s, struct approval *a, uint64_t now, struct err *why, struct err *err)
{
	const struct approval_vote *v = a->status.votes.list;
	unsigned scope = SCOPE_COUNT - 1;

	a->voicec = 0;
	err_set(why, ERR_REFUSED, "nobody has approved %s", a->id);
	for (size_t i = 0; i < a->status.votes.count; i++) {
		uint64_t *key = &a->voice_key[a->voicec];
		int good = is_repeated(v, i) ? 0 : tally_vote(s, a, &v[i], now, key, why, err);
		if (good < 0)
			return -1;
		if (!good)
			continue;
		a->voice[a->voicec++] = v[i].name;
		scope = v[i].scope < scope ? (unsigned)v[i].scope : scope;
	}
	a->scope = a->voicec ? (enum scope)scope : SCOPE_ONCE;
	return a->voicec >= a->request.approvers && a->voicec > 0;
}
