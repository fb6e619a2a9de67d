/* SPDX-License-Identifier: MIT
 *
 * Accepts answers of people. Keys, signatures and times are verified again at each use; what cannot be
 * verified later (which process confirms, and how) is checked here. An answer that does not count is
 * not stored.
 */
#include <string.h>

#include "approval/approval_private.h"
#include "base/account.h"

/* Copies the answers that still count, except those of the same person, and adds V. */
static int add_vote(const struct tally *t, struct approval *a, const struct approval_vote *v,
		    const struct approval_voice *voice, struct approval_list *ret, struct err *err)
{
	struct approval_vote *list =
		arena_alloc(&a->arena, (APPROVAL_VOTES_MAX + 1) * sizeof(*list));
	const struct approval_vote *old = a->status.votes.list;
	size_t count = 0;
	struct err why;

	if (!list)
		return err_memory(err);
	for (size_t i = 0; i < a->status.votes.count; i++) {
		struct approval_voice other = {0};
		int good = tally_vote(t, a, &old[i], &other, &why, err);
		if (good < 0)
			return -1;
		if (good && !tally_is_same(&other, voice))
			list[count++] = old[i];
	}
	if (count == APPROVAL_VOTES_MAX)
		return err_set(err, ERR_LIMIT, "there are too many answers to %s", a->id);
	list[count] = *v;
	list[count].name = arena_dup(&a->arena, v->name);
	list[count].signature = arena_dup(&a->arena, v->signature);
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

int approval_must_be_open(struct store *s, struct approval *a, bool or_approved, uint64_t now,
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

/* The log gets a confirmation only with this commit, so it is checked against ACTOR and not against
 * the log. */
static int check_vote(const struct tally *t, struct approval *a, const struct approval_vote *v,
		      const struct approval_actor *actor, struct approval_voice *ret,
		      struct err *err)
{
	struct err why = {0};

	if (approval_is_confirmation(v)) {
		*ret = (struct approval_voice){.name = v->name, .key = ""};
		return v->approves ? approval_may_confirm(a, actor, err)
				   : err_set(err, ERR_USAGE, "a confirmation cannot deny");
	}
	int good = tally_vote(t, a, v, ret, &why, err);
	if (good == 0)
		*err = why;
	return good == 1 ? 0 : -1;
}

/* A signed denial is a denial with a name. */
static int deny_signed(struct approval *a, struct approval_status *next,
		       const struct approval_vote *vote, uint64_t now)
{
	next->state = APPROVAL_DENIED;
	next->ended = now;
	next->reason = arena_printf(&a->arena, "%s denied it", vote->name);
	return EVENT_DENIED;
}

int approval_decide(struct store *s, struct approval *a, const struct approval_vote *vote,
		    const struct approval_actor *actor, uint64_t now, struct err *err)
{
	const struct tally t = {.store = s, .now = now};
	struct approval_status next = a->status;
	struct approval_voice voice = {0};
	AUTO_TX struct store_tx tx = {0};
	int event = EVENT_SIGNED;

	if (approval_must_be_open(s, a, !vote->approves, now, err) < 0 ||
	    check_vote(&t, a, vote, actor, &voice, err) < 0)
		return -1;
	if (!vote->approves) {
		next.ended_by = actor->uid;
		event = deny_signed(a, &next, vote, now);
	} else {
		if (add_vote(&t, a, vote, &voice, &next.votes, err) < 0)
			return -1;
		if (next.votes.count >= a->request.approvers) {
			next.state = APPROVAL_APPROVED;
			event = EVENT_APPROVED;
			last_add(&tx, a);
		}
	}
	person_expect(&tx, &voice);
	if (a->arena.failed)
		return err_memory(err);
	return commit(s, a,
		      &(struct change){.event = (enum event)event,
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

	if (approval_must_be_open(s, a, true, now, err) < 0)
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
