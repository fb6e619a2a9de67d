/* SPDX-License-Identifier: MIT
 *
 * People decide. What can be proved later (keys, signatures, times) is proved again at every use;
 * what can only be seen now (who is at the door, and how) is looked at here. A word that does not
 * count is not kept.
 */
#include <string.h>

#include "approval/fields.h"
#include "approval/states.h"
#include "approval/tally.h"
#include "base/account.h"

static int refuse(struct err *err, const struct approval *a, const char *why, const char *cure)
{
	err_set(err, ERR_REFUSED, "you cannot approve %s: %s", a->id, why);
	err_cure(err, "%s", cure);
	return -1;
}

static bool is_started_by(const struct approval *a, const struct approval_actor *actor)
{
	for (size_t i = 0; a->request.pgid && i < actor->groupc; i++)
		if (actor->group[i] == a->request.pgid)
			return true;
	return a->request.pgid && actor->has_more_parents;
}

static int refuse_requester(const struct approval *a, struct err *err)
{
	if (a->request.uid == ACCOUNT_UNKNOWN)
		return refuse(err, a,
			      "whose account it was cannot be told: it was asked for in a user "
			      "namespace, or by several",
			      "let root approve it");
	return refuse(err, a, "your account asked for it",
		      "let somebody with another account approve it");
}

int approval_may_sign(const struct approval *a, const struct approval_actor *actor, struct err *err)
{
	if (actor->in_box)
		return refuse(err, a, "this process is in a box (no_new_privs)",
			      "approve from an ordinary login");
	if (actor->uid == ACCOUNT_UNKNOWN)
		return refuse(err, a,
			      "this process is in a user namespace, where account numbers are "
			      "not the machine's",
			      "approve outside of it: cordon approvals --state DIR");
	if (!approval_is_requester(&a->request, actor->uid))
		return 0;
	if (!a->request.single_user || a->request.approvers > 1)
		return refuse_requester(a, err);
	if (is_started_by(a, actor))
		return refuse(err, a, "whoever asked for it started this process",
			      "approve from a terminal of your own");
	if (!actor->key_protected)
		return refuse(err, a, "your account asked for it, and the key has no passphrase",
			      "make one with a passphrase: cordon approvals key new FILE");
	if (!actor->has_terminal)
		return refuse(err, a, "your account asked for it, and this is no terminal",
			      "approve by hand, from a terminal");
	return 0;
}

/* A copy of the votes that still count, without those of the same person, and with V. */
static int add_vote(struct store *s, struct approval *a, const struct approval_vote *v,
		    uint64_t now, struct approval_list *ret, struct err *err)
{
	struct approval_vote *list =
		arena_alloc(&a->arena, (APPROVAL_VOTES_MAX + 1) * sizeof(*list));
	const struct approval_vote *old = a->status.votes.list;
	size_t count = 0;
	uint64_t ignored;
	struct err why;

	if (!list)
		return err_memory(err);
	for (size_t i = 0; i < a->status.votes.count; i++) {
		int good = tally_vote(s, a, &old[i], now, &ignored, &why, err);
		if (good < 0)
			return -1;
		if (good && !tally_is_same(&old[i], v))
			list[count++] = old[i];
	}
	if (count == APPROVAL_VOTES_MAX)
		return err_set(err, ERR_LIMIT, "there are too many votes on %s", a->id);
	list[count] = *v;
	list[count].name = arena_dup(&a->arena, v->name);
	if (a->arena.failed)
		return err_memory(err);
	*ret = (struct approval_list){.count = count + 1, .list = list};
	return 0;
}

static int commit(struct store *s, struct approval *a, const struct change *c, struct store_tx *tx,
		  struct err *err)
{
	change_add(tx, c);
	if (store_commit(s, tx, err) < 0)
		return -1;
	a->status = *c->next;
	a->version = tx->version;
	return 0;
}

static int must_be_open(struct store *s, struct approval *a, bool or_approved, uint64_t now,
			struct err *err)
{
	if (approval_settle(s, a, now, err) < 0)
		return -1;
	if (a->status.state == APPROVAL_PENDING ||
	    (or_approved && a->status.state == APPROVAL_APPROVED))
		return 0;
	err_set(err, ERR_REFUSED, "%s is %s", a->id,
		approval_state_name((unsigned)a->status.state));
	if (a->status.reason[0])
		err_cause(err, "%s", a->status.reason);
	return -1;
}

static int check_vote(struct store *s, const struct approval *a, const struct approval_vote *v,
		      const struct approval_actor *actor, uint64_t now, struct err *err)
{
	struct approval_person p = {0};
	struct arena arena = {0};
	int r = -1;

	int found = approval_person_find(s, v->name, &arena, &p, err);
	if (found < 0)
		goto out;
	if (!approval_vote_counts(a, v, found ? &p : NULL, now, err))
		goto out;
	if (actor->relayed && !p.has_uid)
		err_set(err, ERR_REFUSED, "which account the key of %s belongs to is not known",
			v->name);
	else if (!actor->relayed && actor->uid != v->uid)
		err_set(err, ERR_REFUSED, "that vote names another account than yours");
	else
		r = 0;
out:
	arena_done(&arena);
	return r;
}

int approval_decide(struct store *s, struct approval *a, const struct approval_vote *vote,
		    const struct approval_actor *actor, uint64_t now, struct err *err)
{
	struct approval_status next = a->status;
	AUTO_TX struct store_tx tx = {0};

	if (must_be_open(s, a, false, now, err) < 0)
		return -1;
	if (!vote->approves)
		return err_set(err, ERR_USAGE, "that vote does not approve");
	if ((!actor->relayed && approval_may_sign(a, actor, err) < 0) ||
	    check_vote(s, a, vote, actor, now, err) < 0 ||
	    add_vote(s, a, vote, now, &next.votes, err) < 0)
		return -1;
	bool enough = next.votes.count >= a->request.approvers;
	next.state = enough ? APPROVAL_APPROVED : APPROVAL_PENDING;
	if (enough)
		last_add(&tx, a);
	return commit(s, a,
		      &(struct change){.event = enough ? EVENT_APPROVED : EVENT_SIGNED,
				       .approval = a,
				       .next = &next,
				       .vote = vote,
				       .uid = actor->uid},
		      &tx, err);
}

int approval_deny(struct store *s, struct approval *a, const struct approval_actor *actor,
		  const char *reason, uint64_t now, struct err *err)
{
	struct approval_status next = a->status;
	AUTO_TX struct store_tx tx = {0};

	if (must_be_open(s, a, true, now, err) < 0)
		return -1;
	if (strlen(reason) > APPROVAL_REASON_MAX)
		return err_set(err, ERR_LIMIT, "a reason has at most %d bytes",
			       APPROVAL_REASON_MAX);
	next.state = APPROVAL_DENIED;
	next.ended = now;
	next.ended_by = actor->uid;
	next.reason = arena_dup(&a->arena, reason);
	if (a->arena.failed)
		return err_memory(err);
	return commit(
		s, a,
		&(struct change){
			.event = EVENT_DENIED, .approval = a, .next = &next, .uid = actor->uid},
		&tx, err);
}
