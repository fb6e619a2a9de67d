/* SPDX-License-Identifier: MIT
 *
 * The approval binds the act's words and arguments. If the directory or the effects have changed at
 * the next call, a new request is made.
 */
#include "door/cli/person.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/account.h"
#include "base/scope.h"
#include "door/cli/confirmation.h"
#include "door/cli/notice.h"
#include "policy/policy.h"
#include "show/jsonval.h"
#include "show/terminal.h"

enum { WAIT_MS = 200 };

void person_act_done(struct person_act *act)
{
	approval_done(&act->agreed);
}

/* "anna, ben (signed)" */
static void name_people(struct person_act *act)
{
	const struct approval *a = &act->agreed;
	size_t len = 0, room = sizeof(act->by) - sizeof(" and 99 more (signed)");

	act->by[0] = '\0';
	if (a->voicec == 1 && !a->voice[0].key[0]) {
		snprintf(act->by, sizeof(act->by), "%s", a->voice[0].name);
		return;
	}
	for (size_t i = 0; i < a->voicec; i++) {
		if (len + strlen(a->voice[i].name) + 2 > room) {
			len += (size_t)snprintf(act->by + len, sizeof(act->by) - len,
						" and %zu more", a->voicec - i);
			break;
		}
		len += (size_t)snprintf(act->by + len, sizeof(act->by) - len, "%s%s", i ? ", " : "",
					a->voice[i].name);
	}
	snprintf(act->by + len, sizeof(act->by) - len, " (signed)");
}

/* Returns 1 if enough people have approved exactly this act. */
static int find(struct gate_state *s, const struct approval_request *r, struct person_act *act,
		struct err *err)
{
	approval_done(&act->agreed);
	int found = approval_find(s->store, r, s->keeper.now_us() / 1000, &act->agreed, err);

	act->has_agreed = found == 1;
	if (act->has_agreed)
		name_people(act);
	return found;
}

static void show_words(FILE *to, const char *words)
{
	for (size_t len; *words; words += len) {
		AUTO_FREE char *line = NULL;
		len = strcspn(words, "\n");
		line = strndup(words, len);
		terminal_words(to, line ? line : "(no memory to show it)");
		fputc('\n', to);
		len += words[len] == '\n';
	}
}

static int confirm(struct gate_state *s, struct person_act *act, struct err *err)
{
	AUTO_CONFIRMATION struct confirmation c = {.output = -1};

	if (confirmation_begin(&c, err) < 0)
		return -1;
	show_words(stdout, act->act.words);
	if (confirmation_ask(&c, CONFIRM_WORTH, err) < 0)
		return -1;
	snprintf(act->by, sizeof(act->by), "%s (confirmation)", s->principal);
	return 0;
}

static void tell_waiting(const struct cli_call *call, const struct person_act *act)
{
	if (call->json) {
		jsonval_print(json_pack("{s:s, s:s}", "approval_id", act->id, "status", "pending"));
		return;
	}
	show_words(stderr, act->act.words);
	fprintf(stderr,
		"cordon: people must approve this: request %s waits\n"
		"cordon:   try: cordon approvals show %s; after they approve it, give the same "
		"command again\n",
		act->id, act->id);
}

static int no_person(const struct approval_actor *actor, const struct approval_request *r,
		     struct err *err)
{
	err_set(err, ERR_REFUSED, "a person must approve this, and no person is enrolled");
	if (r->confirmation)
		err_cause(err, "a confirmation is enough, but %s",
			  actor->in_box ? "this process runs in a box"
					: "there is no terminal to ask the user");
	else
		err_cause(err,
			  r->approvers > 1 ? "%llu people must sign it"
					   : "the policy does not accept a confirmation for it",
			  (unsigned long long)r->approvers);
	err_cure(err, "%ssudo cordon approvals key add NAME FILE.pub enrols a person",
		 r->confirmation ? "type the command at a terminal; or " : "");
	return -1;
}

/* Waits until people have answered. */
static int wait_for(struct gate_state *s, const char *id, struct err *err)
{
	const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};

	for (;;) {
		AUTO_APPROVAL struct approval a = {0};
		nanosleep(&pause, NULL);
		if (approval_load(s->store, id, &a, err) < 0)
			return -1;
		enum approval_state state = approval_state_at(&a, s->keeper.now_us() / 1000);
		if (state == APPROVAL_APPROVED)
			return 0;
		if (state == APPROVAL_PENDING)
			continue;
		err_set(err, ERR_REFUSED, "nothing was changed: the request %s is %s", id,
			approval_state_name(state));
		if (a.status.reason && *a.status.reason)
			err_cause(err, "%.300s", a.status.reason);
		return -1;
	}
}

static int park(const struct cli_call *call, struct gate_state *s, struct approval_request *r,
		uint64_t wait_ms, struct person_act *act, struct err *err)
{
	struct approval_code code = {act->act.words, strlen(act->act.words)};

	int parked =
		approval_park(s->store, r, code, wait_ms, s->keeper.now_us() / 1000, act->id, err);
	if (parked < 0)
		return -1;
	if (parked == 0)
		notice_tell(call, s->store, act->id);
	if (!call->request.wait) {
		tell_waiting(call, act);
		return 1;
	}
	fprintf(stderr, "cordon: waiting for people: cordon approvals show %s\n", act->id);
	if (wait_for(s, act->id, err) < 0)
		return -1;
	int found = find(s, r, act, err);
	return found < 0 ? -1
	       : found	 ? 0
			 : err_set(err, ERR_REFUSED, "the answers to %s do not count any more",
				   act->id);
}

static bool can_type(const struct approval_actor *actor)
{
	return actor->has_terminal && !actor->in_box && actor->uid != ACCOUNT_UNKNOWN;
}

int person_confirm(struct gate_state *s, struct person_act *act, struct err *err)
{
	struct approval_actor actor;

	approval_actor_here(&actor);
	if (can_type(&actor))
		return confirm(s, act, err);
	err_set(err, ERR_REFUSED, "a person must approve this");
	err_cause(err, actor.in_box ? "this process runs in a box"
				    : "there is no terminal to ask the user");
	err_cure(err, "type the command at a terminal");
	return -1;
}

static void fill(struct person_act *act, const struct policy *p, struct approval_request *ret)
{
	struct approval_act *a = &act->act;

	if (a->approvers < p->approval.approvers)
		a->approvers = p->approval.approvers;
	a->ttl_ms = p->approval.ttl_ms;
	a->confirmation = !act->signed_only && a->approvers == 1 && policy_confirms(p, a->caps);
	memcpy(a->policy_sha256, p->sha256, sizeof(a->policy_sha256));
	approval_fill_act(ret, a);
}

static int agree(const struct cli_call *call, struct gate_state *s, const struct policy *p,
		 struct person_act *act, struct err *err)
{
	struct approval_request r;
	struct approval_actor actor;

	approval_actor_here(&actor);
	fill(act, p, &r);
	r.title = call->request.title ? call->request.title : "";
	r.purpose = call->request.purpose ? call->request.purpose : "";
	int found = find(s, &r, act, err);
	if (found)
		return found < 0 ? -1 : 0;
	if (r.confirmation && can_type(&actor) && !call->request.wait)
		return confirm(s, act, err);
	if (!r.confirmation && !approval_has_people(s->store))
		return no_person(&actor, &r, err);
	return park(call, s, &r, p->approval.wait_ms, act, err);
}

int person_agree(const struct cli_call *call, struct gate_state *s, struct person_act *act,
		 struct err *err)
{
	struct policy p;

	act->id[0] = '\0';
	int r = policy_open(&p, call->policy, err);
	if (r == 0)
		r = agree(call, s, &p, act, err);
	policy_done(&p);
	return r;
}

void person_take(const struct person_act *act, struct gate_state *s, struct store_tx *tx)
{
	if (act->has_agreed)
		approval_take(tx, &act->agreed, NULL, s->keeper.now_us() / 1000);
}

void person_put_answers(const struct person_act *act, struct jcs *j)
{
	const struct approval_vote *v = act->agreed.status.votes.list;

	if (!act->has_agreed)
		return;
	jcs_list(j, "answers");
	for (size_t i = 0; i < act->agreed.status.votes.count; i++)
		approval_put_vote(j, NULL, &v[i]);
	jcs_end(j);
}
