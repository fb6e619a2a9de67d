/* SPDX-License-Identifier: MIT
 *
 * Between a request and a decision: what the request's words amount to, and the request cut down
 * to what was granted. What it says of itself is never less than what it does.
 */
#include <string.h>

#include "policy/policy.h"

unsigned policy_caps_of(const struct request *r)
{
	unsigned caps = CAP_BIT(CAP_COMPUTE);

	if (r->workspace || r->venv)
		caps |= CAP_BIT(CAP_READ);
	if (r->workspace && (r->commit || r->workspace_mode == WORKSPACE_RW))
		caps |= CAP_BIT(CAP_WRITE);
	if (r->netc)
		caps |= CAP_BIT(CAP_NET);
	return caps;
}

static void confine_workspace(const struct policy_box *box, struct request *r)
{
	if (box->workspace == WORKSPACE_NONE) {
		r->workspace = NULL;
		r->venv = NULL;
		r->workspace_mode = WORKSPACE_NONE;
	}
	if (r->workspace_mode > box->workspace)
		r->workspace_mode = box->workspace;
	r->commit = r->commit && box->commit;
}

/* What a box without network or secrets is not asked for. */
static void confine_asks(const struct policy_box *box, struct request *r)
{
	if (!box->network)
		r->asks &= ~CAP_BIT(CAP_NET);
	if (!box->secrets)
		r->asks &= ~CAP_BIT(CAP_SECRET);
}

int policy_confine(const struct policy_box *box, struct request *r, struct err *err)
{
	if (r->tier > box->tier) {
		err_set(err, ERR_REFUSED, "the box would be too weak for this code: tier %s",
			tier_row(r->tier)->name);
		err_cause(err, "the policy allows no less than tier %s for it",
			  tier_row(box->tier)->name);
		err_cure(err, "--tier %s; or contained: {tier: %s} in the policy",
			 tier_row(box->tier)->name, tier_row(r->tier)->name);
		return -1;
	}
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (box->limit[i] && (!r->limit[i] || r->limit[i] > box->limit[i]))
			r->limit[i] = box->limit[i];
	confine_workspace(box, r);
	confine_asks(box, r);
	r->network = box->network;
	r->secrets = box->network && box->secrets;
	if (!r->network)
		r->netc = 0;
	return 0;
}

bool policy_confined_alike(const struct request *a, const struct request *b)
{
	return a->tier == b->tier && a->network == b->network && a->secrets == b->secrets &&
	       a->netc == b->netc && a->commit == b->commit && a->workspace == b->workspace &&
	       a->venv == b->venv && a->workspace_mode == b->workspace_mode && a->asks == b->asks &&
	       memcmp(a->limit, b->limit, sizeof(a->limit)) == 0;
}
