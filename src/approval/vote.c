/* SPDX-License-Identifier: MIT
 *
 * A person's signed word. What is signed is the binding digest with everything the word says, behind
 * a prefix that nothing else of Cordon's begins with: a signature is good for one request, one
 * answer and one time. Whether it counts is asked of the request as it is stored, never of the vote.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "approval/fields.h"
#include "base/account.h"

#define PREFIX "cordon approval vote 1\n"
enum { STATEMENT_MAX = 1024 };

static void write_statement(const struct approval *a, const struct approval_vote *v,
			    struct buf *out)
{
	struct approval_vote said = *v;

	memset(said.signature, 0, sizeof(said.signature));
	*out = (struct buf){.most = STATEMENT_MAX};
	buf_str(out, PREFIX);
	buf_add(out, a->binding, sizeof(a->binding));
	buf_add(out, a->request.nonce, sizeof(a->request.nonce));
	fields_encode(vote_fields, &said, FIELD_ALWAYS, out);
}

int approval_sign(const struct approval *a, const struct key *key, struct approval_vote *vote,
		  struct err *err)
{
	AUTO_BUF struct buf text = {0};

	if (!approval_name_is_good(vote->name))
		return err_set(err, ERR_USAGE, "\"%.64s\" is no name of a person", vote->name);
	if (vote->scope > a->request.scope) {
		err_set(err, ERR_REFUSED, "the policy lets this be approved for %s at most",
			scope_name((unsigned)a->request.scope));
		return -1;
	}
	vote->expires = vote->time + a->request.ttl_ms;
	memcpy(vote->public, key->public, sizeof(vote->public));
	write_statement(a, vote, &text);
	if (text.failed)
		return err_set(err, ERR_LIMIT, "a vote is too large");
	key_sign(key, text.data, text.len, vote->signature);
	return 0;
}

static bool no(struct err *why, const struct approval_vote *v, const char *what)
{
	err_set(why, ERR_REFUSED, "the word of %.64s does not count: %s", v->name, what);
	return false;
}

bool approval_is_requester(const struct approval_request *r, uint64_t uid)
{
	return uid == r->uid || uid == ACCOUNT_UNKNOWN || (r->uid == ACCOUNT_UNKNOWN && uid != 0);
}

/* Where more than one must agree, nobody agrees with themselves. */
static bool agrees_with_itself(const struct approval *a, uint64_t uid)
{
	return approval_is_requester(&a->request, uid) &&
	       !(a->request.single_user && a->request.approvers == 1);
}

static bool is_in_time(const struct approval *a, const struct approval_vote *v, uint64_t now)
{
	const struct approval_request *r = &a->request;

	return now < v->expires && v->time < r->expires && v->expires <= v->time + r->ttl_ms &&
	       v->time + APPROVAL_CLOCK_MS >= r->created && now + APPROVAL_CLOCK_MS >= v->time;
}

bool approval_vote_counts(const struct approval *a, const struct approval_vote *v,
			  const struct approval_person *p, uint64_t now, struct err *why)
{
	AUTO_BUF struct buf text = {0};

	write_statement(a, v, &text);
	if (!p || strcmp(p->name, v->name) != 0 ||
	    memcmp(p->public, v->public, sizeof(v->public)) != 0)
		return no(why, v, "that key is not enrolled under that name");
	if (text.failed || !key_verify(p->public, text.data, text.len, v->signature))
		return no(why, v, "it was not signed for this request with that key");
	if (p->has_uid && p->uid != v->uid)
		return no(why, v, "the key belongs to another account");
	if (v->uid == ACCOUNT_UNKNOWN)
		return no(why, v, "it was signed in a user namespace");
	if (agrees_with_itself(a, v->uid))
		return no(why, v,
			  a->request.uid == ACCOUNT_UNKNOWN
				  ? "it was asked for in a user namespace, so only root's counts"
				  : "that account asked for it");
	if (p->enrolled_by && agrees_with_itself(a, p->enrolled_by))
		return no(why, v, "the account that asked for it enrolled the key");
	if (v->scope > a->request.scope)
		return no(why, v, "it says more than the policy lets it");
	return is_in_time(a, v, now) ? true : no(why, v, "it is not of the right time");
}
