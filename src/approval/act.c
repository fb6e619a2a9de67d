/* SPDX-License-Identifier: MIT
 *
 * An act as a request: the words that people read are its code, the parameters are its arguments. Both are
 * bound, so an answer to one act does not count for another.
 */
#include "approval/act.h"

#include <string.h>

#include "approval/run_request.h"
#include "base/digest.h"
#include "base/scope.h"

#define ENROL "enrol"
enum { ENROL_PEOPLE = 2 };

void approval_fill_act(struct approval_request *r, const struct approval_act *act)
{
	approval_init(r);
	r->lang = APPROVAL_ACT;
	r->name = act->name;
	r->args = (struct approval_list){.count = act->argc, .list = act->arg};
	r->caps = act->caps;
	r->origin = ORIGIN_USER;
	r->conversation = act->conversation ? act->conversation : "";
	r->scope = SCOPE_ONCE;
	r->code_len = strlen(act->words);
	digest_of(r->code_sha256, act->words, r->code_len);
	r->approvers = act->approvers;
	r->confirmation = act->confirmation;
	r->ttl_ms = act->ttl_ms;
	memcpy(r->policy_sha256, act->policy_sha256, sizeof(r->policy_sha256));
}

static const char *enrol_words(const char *name, const char *key, struct arena *a)
{
	char fingerprint[SSH_FINGERPRINT];

	return arena_printf(a,
			    "Enrol %s as a person who may approve, with the %s key %s. "
			    "What they sign counts from then on.\n",
			    name, ssh_key_type(key), ssh_key_fingerprint(key, fingerprint));
}

int approval_act_enrol(const char *name, const char *key, struct arena *a, struct approval_act *ret,
		       struct err *err)
{
	struct approval_text *arg = arena_alloc(a, 2 * sizeof(*arg));

	if (!arg)
		return err_memory(err);
	arg[0].text = name;
	arg[1].text = key;
	ret->name = ENROL;
	ret->words = enrol_words(name, key, a);
	ret->arg = arg;
	ret->argc = 2;
	ret->caps = 0;
	ret->confirmation = false;
	if (ret->approvers < ENROL_PEOPLE)
		ret->approvers = ENROL_PEOPLE;
	return a->failed ? err_memory(err) : 0;
}

bool approval_is_enrol(const struct approval_request *r, const char *name, const char *key)
{
	const struct approval_text *arg = r->args.list;
	uint8_t sha256[APPROVAL_SHA256];
	struct arena a = {0};

	const char *words = enrol_words(name, key, &a);
	digest_of(sha256, words, strlen(words));
	bool is_it = !a.failed && strcmp(r->lang, APPROVAL_ACT) == 0 &&
		     strcmp(r->name, ENROL) == 0 && r->args.count == 2 &&
		     strcmp(arg[0].text, name) == 0 && strcmp(arg[1].text, key) == 0 &&
		     memcmp(sha256, r->code_sha256, sizeof(sha256)) == 0 &&
		     r->approvers >= ENROL_PEOPLE && !r->confirmation;
	arena_done(&a);
	return is_it;
}
