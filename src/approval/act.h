/* SPDX-License-Identifier: MIT
 *
 * Acts of people, as requests: to trust a directory, to grant effects, to enrol a person. No program runs.
 */
#ifndef CORDON_APPROVAL_ACT_H
#define CORDON_APPROVAL_ACT_H

#include "approval/approval.h"

/* The language of such a request. */
#define APPROVAL_ACT "act"

struct approval_act {
	const char *name;		 /* "trust", "grant", "enrol" */
	const char *words;		 /* what people agree to; it is the request's code */
	const struct approval_text *arg; /* the same for programs */
	size_t argc;
	unsigned caps; /* the effects that the act gives */
	const char *conversation;
	/* from the policy */
	uint64_t approvers, ttl_ms;
	bool confirmation;
	uint8_t policy_sha256[APPROVAL_SHA256];
};
void approval_fill_act(struct approval_request *r, const struct approval_act *act);

/* Sets name, words and arguments. At least two people must agree. */
int approval_act_enrol(const char *name, const char *key, struct arena *a, struct approval_act *ret,
		       struct err *err);
/* Is R the request to enrol NAME with KEY? */
bool approval_is_enrol(const struct approval_request *r, const char *name, const char *key);

#endif
