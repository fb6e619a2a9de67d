/* SPDX-License-Identifier: MIT
 *
 * The one request that was signed, and the one signature, for target and seeds.
 */
#ifndef CORDON_FUZZ_APPROVAL_FIXED_H
#define CORDON_FUZZ_APPROVAL_FIXED_H

#include "../unit/approval_case.h"

static inline struct approval_vote fixed_vote(struct approval *a, struct approval_person *ret_anna)
{
	static struct case_person anna;
	struct err err;

	anna = case_person("anna");
	struct approval_vote v = case_vote(&anna, SCOPE_ONCE, CASE_NOW);
	*a = (struct approval){.request = case_request()};
	*ret_anna = (struct approval_person){.name = "anna", .key = anna.key, .options = ""};
	scratch_must(approval_digest(&a->request, APPROVAL_BINDING, a->binding, &err) == 0,
		     "a digest");
	case_sign(a, &anna, &v);
	return v;
}

#endif
