/* SPDX-License-Identifier: MIT
 *
 * Changes of an approval's status. A change and its record go into one transaction, so there is no change
 * without a record. The record has texts of the code's author only as digests.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "approval/answer.h"
#include "approval/approval_private.h"
#include "base/account.h"
#include "base/digest.h"

enum { REFS_MAX = APPROVAL_EVIDENCE_MAX + 5, BODY_MAX = 64 << 10 };

static const char *const names[] = {
	[EVENT_PARKED] = "parked", [EVENT_SIGNED] = "signed",	[EVENT_APPROVED] = "approved",
	[EVENT_DENIED] = "denied", [EVENT_EXPIRED] = "expired", [EVENT_USED] = "used",
};

/* Only the record that ends an approval has this name. */
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

void approval_put_vote(struct jcs *j, const char *name, const struct approval_vote *v)
{
	bool is_signed = !approval_is_confirmation(v);

	jcs_object(j, name);
	jcs_word(j, "answer", v->approves ? "approve" : "deny");
	jcs_int(j, "expires", (int64_t)v->expires);
	jcs_word(j, "kind", is_signed ? "signature" : "confirmation");
	jcs_word(j, "name", v->name);
	jcs_word(j, "scope", scope_name((unsigned)v->scope));
	if (is_signed)
		jcs_word(j, "signature", v->signature);
	jcs_int(j, "time", (int64_t)v->time);
	jcs_end(j);
}

/* The name of a confirmation's record: the hash of its lines. */
static const char *confirmation_ref(const struct approval *a, const struct approval_vote *v,
				    char ret[RECORD_REF_MAX + 1])
{
	struct answer answer = {.vote = *v};
	uint8_t sha256[APPROVAL_SHA256];
	AUTO_BUF struct buf text = {0};
	int len = snprintf(ret, RECORD_REF_MAX + 1, "aprconf:");

	memcpy(answer.binding, a->binding, sizeof(answer.binding));
	answer_text(&answer, &text);
	digest_of(sha256, text.data, text.len);
	sodium_bin2hex(ret + len, RECORD_REF_MAX + 1 - (size_t)len, sha256, sizeof(sha256));
	return text.failed ? NULL : ret;
}

static int is_answer(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	(void)context;
	return record_decode(row->bytes, row->len, &r, err) == 0 && r.kind == RECORD_APPROVAL;
}

int log_says_confirmed(struct store *s, const struct approval *a, const struct approval_vote *v,
		       struct err *err)
{
	char ref[RECORD_REF_MAX + 1];

	return confirmation_ref(a, v, ref) ? store_find(s, ref, 0, 1, is_answer, NULL, err)
					   : err_memory(err);
}

/* The request is in the log, which must show without other data what people were asked. */
static void write_request(struct jcs *j, const struct approval_request *r)
{
	jcs_object(j, "request");
	jcs_int(j, "approvers", (int64_t)r->approvers);
	jcs_hex(j, "box_sha256", r->box_sha256, sizeof(r->box_sha256));
	jcs_list(j, "caps");
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (r->caps & CAP_BIT(c))
			jcs_word(j, NULL, cap_name(c));
	jcs_end(j);
	jcs_hex(j, "code_sha256", r->code_sha256, sizeof(r->code_sha256));
	jcs_bool(j, "confirmation", r->confirmation != 0);
	jcs_word(j, "conversation", r->conversation);
	jcs_int(j, "expires", (int64_t)r->expires);
	jcs_word(j, "findings", grade_name((unsigned)r->grade));
	jcs_word(j, "lang", r->lang);
	jcs_str(j, "name", r->name);
	jcs_word(j, "origin", origin_name((unsigned)r->origin));
	jcs_hex(j, "policy_sha256", r->policy_sha256, sizeof(r->policy_sha256));
	jcs_str(j, "purpose", r->purpose);
	jcs_word(j, "scope", scope_name((unsigned)r->scope));
	jcs_str(j, "title", r->title);
	put_account(j, "uid", r->uid);
	jcs_end(j);
}

static void write_body(struct jcs *j, const struct change *c)
{
	jcs_hex(j, "binding", c->approval->binding, APPROVAL_SHA256);
	put_account(j, "by", c->uid);
	jcs_word(j, "event", names[c->event]);
	if (c->next->reason[0])
		jcs_str(j, "reason", c->next->reason);
	if (c->event == EVENT_PARKED)
		write_request(j, &c->approval->request);
	jcs_word(j, "state", approval_state_name((unsigned)c->next->state));
	jcs_int(j, "uses", (int64_t)c->next->uses);
	if (c->vote)
		approval_put_vote(j, "vote", c->vote);
}

/* A parked request is found in the log by its conversation and its sources too. */
static size_t add_refs(struct store_tx *tx, const struct change *c, const char **ref)
{
	const struct approval_evidence *e = c->approval->request.evidence.list;
	size_t count = 0;

	ref[count++] = arena_printf(&tx->arena, "apr:%s", c->approval->id);
	if (state_is_over(c->next->state))
		ref[count++] = arena_printf(&tx->arena, OVER "%s", c->approval->id);
	char *room = arena_alloc(&tx->arena, RECORD_REF_MAX + 1);
	if (room && c->vote && approval_is_confirmation(c->vote) &&
	    confirmation_ref(c->approval, c->vote, room))
		ref[count++] = room;
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
		fail(tx, ERR_REFUSED, "the approval has changed state");
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
	if (state_is_over(c->next->state))
		ended_add(tx, c->approval, c->next->ended);
}

int approval_note_undelivered(struct store *s, const struct approval *a, const char *why,
			      struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_JCS struct jcs body = {0};
	char ref[RECORD_REF_MAX + 1];
	const char *refs[] = {ref};

	snprintf(ref, sizeof(ref), "apr:%s", a->id);
	jcs_init(&body, BODY_MAX);
	jcs_hex(&body, "binding", a->binding, APPROVAL_SHA256);
	jcs_word(&body, "event", "undelivered");
	jcs_str(&body, "reason", why);
	if (jcs_finish(&body, err) < 0)
		return -1;
	store_append(&tx, RECORD_APPROVAL, refs, 1, &body);
	return store_commit(s, &tx, err);
}

int approval_settle(struct store *s, struct approval *a, uint64_t now, struct err *err)
{
	struct approval_status next = a->status;
	AUTO_TX struct store_tx tx = {0};

	if (approval_state_at(a, now) == (enum approval_state)a->status.state)
		return 0;
	next.state = APPROVAL_EXPIRED;
	next.ended = now;
	next.reason = a->status.state == APPROVAL_PENDING ? "no answer came in time"
							  : "the approval has expired";
	change_add(&tx, &(struct change){.event = EVENT_EXPIRED, .approval = a, .next = &next});
	if (store_commit(s, &tx, err) < 0)
		return -1;
	a->status = next;
	a->version = tx.version;
	return 0;
}

void approval_take(struct store_tx *tx, const struct approval *a, const char *run, uint64_t now)
{
	struct approval_status next = a->status;

	next.uses++;
	if (!approval_scope_lasts(&a->request, a->scope)) {
		next.state = APPROVAL_USED;
		next.ended = now;
		next.ended_by = a->request.uid;
	}
	for (size_t i = 0; i < a->voicec; i++)
		person_expect(tx, &a->voice[i]);
	change_add(tx, &(struct change){.event = EVENT_USED,
					.approval = a,
					.next = &next,
					.run = run,
					.uid = a->request.uid});
}
