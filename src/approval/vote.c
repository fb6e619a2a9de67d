/* SPDX-License-Identifier: MIT
 *
 * Signs and checks one answer. A person signs the lines of answer.c: the request's binding digest, the
 * answer, scope, end, name and time, in a namespace of our own. So a signature holds for one request
 * and one answer. It is checked against the stored request.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "approval/answer.h"
#include "approval/approval_private.h"
#include "base/account.h"

static const char *why_no_grant(const struct approval_request *r)
{
	const struct approval_change *c = r->changes.list;
	size_t paths = 0;

	for (size_t i = 0; i < r->changes.count; i++)
		paths += approval_change_gives(&c[i]);
	if (r->nameless || !r->conversation[0])
		return "a grant is for a conversation, and the request came without --conversation";
	if (paths + r->net.count + r->secret.count == 0)
		return r->changes.count
			       ? "only directories change, and a grant is for files and links"
			       : "the request has no effect that a grant can give";
	return "a grant is for a few exact hosts, secrets and paths; this request "
	       "contains effects that a grant cannot give";
}

int approval_bound(const struct approval *a, struct approval_vote *vote, struct err *err)
{
	uint64_t latest = vote->time + a->request.ttl_ms;

	if (vote->scope > a->request.scope) {
		err_set(err, ERR_REFUSED, "%s can be approved at most with the scope %s", a->id,
			scope_name((unsigned)a->request.scope));
		if (vote->scope == SCOPE_GRANT)
			err_cause(err, "%s", why_no_grant(&a->request));
		return -1;
	}
	if (!approval_scope_is_for(&a->request, (enum scope)vote->scope)) {
		err_set(err, ERR_USAGE, "the scope %s is not for this kind of request",
			scope_name((unsigned)vote->scope));
		err_cure(err, "use diff for changes, program for a run, or once for either");
		return -1;
	}
	if (!vote->expires)
		vote->expires = latest;
	if (vote->expires <= latest)
		return 0;
	err_set(err, ERR_REFUSED, "the policy limits an approval to %llu seconds",
		(unsigned long long)a->request.ttl_ms / 1000);
	err_cure(err, "give a shorter time with --for");
	return -1;
}

static void write_text(const struct approval *a, const struct approval_vote *v, struct buf *out)
{
	struct answer answer = {.vote = *v};

	memcpy(answer.binding, a->binding, sizeof(answer.binding));
	answer_text(&answer, out);
}

int approval_sign(struct approval *a, const char *key_file, struct approval_vote *vote,
		  struct err *err)
{
	AUTO_BUF struct buf text = {0};

	if (!signer_name_is_good(vote->name)) {
		err_set(err, ERR_USAGE, "\"%.64s\" is not a person's name", vote->name);
		err_cure(err, "give the name under which your key is enrolled: --as NAME");
		return -1;
	}
	if (approval_bound(a, vote, err) < 0)
		return -1;
	write_text(a, vote, &text);
	if (text.failed)
		return err_memory(err);
	return ssh_sign(key_file, text.data, text.len, &a->arena, &vote->signature, err);
}

static int no(struct err *why, const struct approval_vote *v, const char *what)
{
	err_set(why, ERR_REFUSED, "the answer of %.64s does not count: %s", v->name, what);
	return 0;
}

/* Is NAME the login name of the account that asked? True also if unknown. */
static bool is_requester(const struct approval_request *r, const char *name, struct err *why)
{
	char login[SIGNER_NAME_MAX + 1];

	if (r->uid == ACCOUNT_UNKNOWN) {
		err_set(why, ERR_REFUSED,
			"the request came from a user namespace, where the account cannot be "
			"identified");
	} else if (account_name((uint32_t)r->uid, login, sizeof(login)) < 0) {
		err_set(why, ERR_REFUSED,
			"the requesting account %llu has no login name in /etc/passwd",
			(unsigned long long)r->uid);
		err_cure(why, "as root, add the line that getent passwd %llu prints to /etc/passwd",
			 (unsigned long long)r->uid);
	} else if (strcasecmp(login, name) == 0) {
		err_set(why, ERR_REFUSED, "the account of that name made the request");
	} else {
		return false;
	}
	return true;
}

static bool is_in_time(const struct approval *a, const struct approval_vote *v, uint64_t now)
{
	const struct approval_request *r = &a->request;

	return now < v->expires && v->time < r->expires && v->expires <= v->time + r->ttl_ms &&
	       v->time + APPROVAL_CLOCK_MS >= r->created && now + APPROVAL_CLOCK_MS >= v->time;
}

int approval_vote_counts(const struct approval *a, const struct approval_vote *v,
			 const struct approval_person *p, uint64_t now, struct err *why,
			 struct err *err)
{
	AUTO_BUF struct buf text = {0};
	struct err reason = {0};

	if (!p || strcmp(p->name, v->name) != 0)
		return no(why, v, "that key is not enrolled under that name");
	if (v->scope > a->request.scope ||
	    !approval_scope_is_for(&a->request, (enum scope)v->scope))
		return no(why, v, "its scope is wider than the policy allows");
	if (!is_in_time(a, v, now))
		return no(why, v,
			  "it has expired, or its time is in the future: check both clocks");
	if (is_requester(&a->request, v->name, &reason)) {
		no(why, v, reason.message);
		memcpy(why->cure, reason.cure, sizeof(why->cure));
		return 0;
	}
	write_text(a, v, &text);
	if (text.failed)
		return err_memory(err);
	struct ssh_signer signer = {.name = p->name, .options = p->options, .key = p->key};
	int good = ssh_verify(&signer, text.data, text.len, v->signature, &reason, err);
	if (good == 0) {
		no(why, v, reason.message);
		memcpy(why->cause, reason.cause, sizeof(why->cause));
		memcpy(why->cure, reason.cure, sizeof(why->cure));
	}
	return good;
}

/* A confirmation has no signature: only the log proves that it was made, with exactly these lines. */
int confirmation_counts(struct store *s, const struct approval *a, const struct approval_vote *v,
			uint64_t now, struct err *why, struct err *err)
{
	char account[SIGNER_NAME_MAX + 1];

	snprintf(account, sizeof(account), "uid:%llu", (unsigned long long)a->request.uid);
	if (!a->request.confirmation || a->request.approvers != 1 ||
	    a->request.uid == ACCOUNT_UNKNOWN)
		return no(why, v, "a confirmation is not enough for this");
	if (strcmp(account, v->name) != 0 || v->scope > a->request.scope ||
	    !approval_scope_is_for(&a->request, (enum scope)v->scope) || !is_in_time(a, v, now))
		return no(why, v, "its account, scope or time does not match");
	int logged = log_says_confirmed(s, a, v, err);
	return logged ? logged : no(why, v, "the log has no such confirmation");
}
