/* SPDX-License-Identifier: MIT
 *
 * The one request that was signed, and the one signature, for target and seeds.
 */
#ifndef CORDON_FUZZ_APPROVAL_FIXED_H
#define CORDON_FUZZ_APPROVAL_FIXED_H

#include "../unit/approval_case.h"

static inline struct approval_vote fixed_vote(struct approval *a, struct approval_person *ret_anna)
{
	struct case_person anna = case_person("anna", ANNA);
	struct approval_vote v = case_vote(&anna, SCOPE_ONCE, CASE_NOW);
	struct err err;

	*a = (struct approval){.request = case_request()};
	*ret_anna = (struct approval_person){.name = "anna", .has_uid = 1, .uid = ANNA};
	memcpy(ret_anna->public, anna.key.public, sizeof(ret_anna->public));
	scratch_must(approval_digest(&a->request, APPROVAL_BINDING, a->binding, &err) == 0 &&
			     approval_sign(a, &anna.key, &v, &err) == 0,
		     "a signature");
	return v;
}

#endif
