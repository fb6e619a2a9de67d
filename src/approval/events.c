/* SPDX-License-Identifier: MIT
 *
 * A change of a status and the record that tells of it go into one transaction: there is no change
 * without its record. Texts of the code's author are in the record only by their digests.
 */
#include <stdio.h>
#include <string.h>

#include "approval/fields.h"
#include "approval/states.h"
#include "base/account.h"

enum { REFS_MAX = APPROVAL_EVIDENCE_MAX + 4, BODY_MAX = 64 << 10 };

static const char *const names[] = {
	[EVENT_PARKED] = "parked", [EVENT_SIGNED] = "signed",	[EVENT_APPROVED] = "approved",
	[EVENT_DENIED] = "denied", [EVENT_EXPIRED] = "expired", [EVENT_USED] = "used",
};

/* Only the record that ends it has this name: one look says whether there is one. */
#define OVER "aprend:"

static int is_there(void *context, const struct store_row *row, struct err *err)
{
	(void)context, (void)row, (void)err;
	return 1;
}

int log_says_over(struct store *s, const struct approval *a, struct err *err)
{
	char ref[RECORD_REF_MAX + 1];

	snprintf(ref, sizeof(ref), OVER "%s", a->id);
	return store_find(s, ref, 0, 1, is_there, NULL, err);
}

static void fail(struct store_tx *tx, enum err_code code, const char *what)
{
	if (!tx->failed.code)
		err_set(&tx->failed, code, "%s", what);
}

void put_account(struct jcs *j, const char *name, uint64_t uid)
{
	if (uid != ACCOUNT_UNKNOWN)
		jcs_int(j, name, (int64_t)uid);
}

void approval_put_vote(struct jcs *j, const struct approval_vote *v)
{
	jcs_object(j, "vote");
	jcs_bool(j, "approves", v->approves != 0);
	jcs_int(j, "expires", (int64_t)v->expires);
	jcs_hex(j, "key", v->public, sizeof(v->public));
	jcs_str(j, "name", v->name);
	jcs_str(j, "scope", scope_name((unsigned)v->scope));
	jcs_hex(j, "signature", v->signature, sizeof(v->signature));
	jcs_int(j, "time", (int64_t)v->time);
	jcs_int(j, "uid", (int64_t)v->uid);
	jcs_end(j);
}

/* What was asked, so that the log alone says what people were asked about. */
static void write_request(struct jcs *j, const struct approval_request *r)
{
	jcs_object(j, "request");
	jcs_int(j, "approvers", (int64_t)r->approvers);
	jcs_hex(j, "box_sha256", r->box_sha256, sizeof(r->box_sha256));
	jcs_list(j, "caps");
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (r->caps & CAP_BIT(c))
			jcs_str(j, NULL, cap_name(c));
	jcs_end(j);
	jcs_hex(j, "code_sha256", r->code_sha256, sizeof(r->code_sha256));
	jcs_str(j, "conversation", r->conversation);
	jcs_int(j, "expires", (int64_t)r->expires);
	jcs_str(j, "findings", grade_name((unsigned)r->grade));
	jcs_str(j, "lang", r->lang);
	jcs_str(j, "name", r->name);
	jcs_str(j, "origin", origin_name((unsigned)r->origin));
	jcs_hex(j, "policy_sha256", r->policy_sha256, sizeof(r->policy_sha256));
	jcs_str(j, "scope", scope_name((unsigned)r->scope));
	jcs_bool(j, "single_user", r->single_user != 0);
	put_account(j, "uid", r->uid);
	jcs_end(j);
}

static void write_body(struct jcs *j, const struct change *c)
{
	jcs_hex(j, "binding", c->approval->binding, APPROVAL_SHA256);
	put_account(j, "by", c->uid);
	jcs_str(j, "event", names[c->event]);
	if (c->next->reason[0])
		jcs_str(j, "reason", c->next->reason);
	if (c->event == EVENT_PARKED)
		write_request(j, &c->approval->request);
	jcs_str(j, "state", approval_state_name((unsigned)c->next->state));
	jcs_int(j, "uses", (int64_t)c->next->uses);
	if (c->vote)
		approval_put_vote(j, c->vote);
}

/* The conversation and the sources belong to the story of what was asked. */
static size_t add_refs(struct store_tx *tx, const struct change *c, const char **ref)
{
	const struct approval_evidence *e = c->approval->request.evidence.list;
	size_t count = 0;

	ref[count++] = arena_printf(&tx->arena, "apr:%s", c->approval->id);
	if (state_is_over(c->next->state))
		ref[count++] = arena_printf(&tx->arena, OVER "%s", c->approval->id);
	if (c->run)
		ref[count++] = c->run;
	if (c->event != EVENT_PARKED)
		return count;
	char *conversation = arena_printf(&tx->arena, "conv:%s", c->approval->request.conversation);
	if (record_ref_is_good(conversation))
		ref[count++] = conversation;
	for (size_t i = 0; i < c->approval->request.evidence.count; i++) {
		char *name = arena_printf(&tx->arena, "src:%s", e[i].source);
		bool known = !record_ref_is_good(name);
		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(ref[k], name) == 0;
		if (!known)
			ref[count++] = name;
	}
	return count;
}

void change_add(struct store_tx *tx, const struct change *c)
{
	AUTO_BUF struct buf value = {0};
	AUTO_JCS struct jcs body = {0};
	const char *ref[REFS_MAX];
	char key[ITEM_KEY_MAX];
	struct err err;

	if (c->approval->version == STORE_NEW
		    ? c->next->state != APPROVAL_PENDING
		    : !state_may_follow(c->approval->status.state, c->next->state)) {
		fail(tx, ERR_REFUSED, "that cannot follow any more");
		return;
	}
	jcs_init(&body, BODY_MAX);
	write_body(&body, c);
	if (jcs_finish(&body, &err) < 0 || status_encode(c->next, &value, &err) < 0) {
		fail(tx, err.code, err.message);
		return;
	}
	size_t refc = add_refs(tx, c, ref);
	store_append(tx, RECORD_APPROVAL, ref, refc, &body);
	store_put(tx, STORE_APPROVAL, item_key(key, "status", NULL, c->approval->id), value.data,
		  value.len, c->approval->version);
	if (c->event == EVENT_PARKED || state_is_over(c->next->state))
		index_add(tx, c->approval, c->event != EVENT_PARKED);
	if (!state_is_over(c->next->state))
		return;
	ended_add(tx, c->approval, c->next->ended);
	/* What people agreed to must not come back with an old copy of the database. */
	tx->is_final |= c->approval->status.state == APPROVAL_APPROVED;
}
