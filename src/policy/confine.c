/* SPDX-License-Identifier: MIT
 *
 * Derives from a request the effects that it wants, and limits the box of exposed code.
 */
#include <string.h>

#include "policy/policy.h"

unsigned policy_caps_of(const struct request *r)
{
	unsigned caps = r->netc ? CAP_BIT(CAP_NET) : 0;

	if (r->secretc)
		caps |= CAP_BIT(CAP_SECRET);
	if (r->workspace && (r->apply || r->workspace_mode == WORKSPACE_RW))
		caps |= CAP_BIT(CAP_WRITE);
	for (size_t i = 0; i < r->rwc; i++)
		if (request_writes(r, i))
			caps |= CAP_BIT(CAP_WRITE);
	return caps;
}

int policy_confine(const struct policy *p, struct request *r, struct err *err)
{
	if (r->tier > p->tier) {
		err_set(err, ERR_REFUSED, "the box would be too weak for exposed code: tier %s",
			tier_row(r->tier)->name);
		err_cause(err, "the policy requires at least tier %s for it",
			  tier_row(p->tier)->name);
		err_cure(err, "--tier %s; or exposed: {tier: %s} in the policy",
			 tier_row(p->tier)->name, tier_row(r->tier)->name);
		return -1;
	}
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (p->limit[i] && (!r->limit[i] || r->limit[i] > p->limit[i]))
			r->limit[i] = p->limit[i];
	return 0;
}

int policy_limit_execution(const struct policy *p, struct request *r, struct err *err)
{
	if (p->exec == EXEC_ANY)
		return 0;
	if (r->execution == EXECUTION_DEV) {
		err_set(err, ERR_REFUSED, "--profile dev: the policy allows only listed programs");
		err_cure(err, "--exec PATH for each program; or exec: any in the policy");
		return -1;
	}
	r->execution = EXECUTION_SNIPPET;
	return 0;
}

bool policy_confined_alike(const struct request *a, const struct request *b)
{
	return a->tier == b->tier && a->netc == b->netc && a->secretc == b->secretc &&
	       a->execution == b->execution && a->workspace_mode == b->workspace_mode &&
	       a->rw_withheld == b->rw_withheld &&
	       memcmp(a->limit, b->limit, sizeof(a->limit)) == 0;
}
