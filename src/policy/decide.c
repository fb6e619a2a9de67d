/* SPDX-License-Identifier: MIT
 *
 * The decision. Each capability that is asked for gets its own outcome, and the strictest of them
 * is the verdict. Nothing here reads a file, a clock or the environment, and nothing remembers.
 */
#include <string.h>

#include "conf/profile.h"
#include "policy/policy.h"

static unsigned lowest(unsigned set)
{
	return (unsigned)__builtin_ctz(set);
}

static unsigned highest(unsigned set)
{
	return 31U - (unsigned)__builtin_clz(set);
}

static bool names_lang(unsigned set, const char *lang)
{
	for (unsigned i = 0; lang && profile_at(i); i++)
		if (set & (1U << i) && strcmp(profile_at(i)->name, lang) == 0)
			return true;
	return false;
}

/* Is CAP what the rule speaks about? */
static bool concerns(const struct policy_rule *r, enum cap cap)
{
	unsigned named = r->when[WHEN_CAPS] | r->when[WHEN_CAPS_ANY];

	return !named || named & CAP_BIT(cap);
}

static bool caps_hold(const struct policy_rule *r, unsigned caps)
{
	unsigned any = r->when[WHEN_CAPS_ANY];

	return !(r->when[WHEN_CAPS] & ~caps) && (!any || any & caps);
}

/* Does the rule bound what this may get? It does for all that is no better than what it names. A
 * language that is not known may be any. */
static bool bounds(const struct policy_rule *r, const struct ask *a)
{
	const unsigned *w = r->when;

	return (!w[WHEN_ORIGIN] || highest(w[WHEN_ORIGIN]) >= a->origin) &&
	       (!w[WHEN_GRADE] || lowest(w[WHEN_GRADE]) <= a->grade) &&
	       (!w[WHEN_LANG] || !a->lang || names_lang(w[WHEN_LANG], a->lang)) &&
	       (!w[WHEN_SOURCE] || w[WHEN_SOURCE] & a->sources) && caps_hold(r, a->caps);
}

/* Does it raise it? For all that is no worse, if it says whom and what it means: a rule for
 * everything is there to hold back. What else is asked for has no say here: asking for more must
 * not get more. */
static bool raises(const struct policy_rule *r, const struct ask *a)
{
	const unsigned *w = r->when;

	return w[WHEN_ORIGIN] && (w[WHEN_CAPS] | w[WHEN_CAPS_ANY]) &&
	       lowest(w[WHEN_ORIGIN]) <= a->origin &&
	       (!w[WHEN_GRADE] || highest(w[WHEN_GRADE]) >= a->grade) &&
	       (!w[WHEN_LANG] || names_lang(w[WHEN_LANG], a->lang)) &&
	       (!w[WHEN_SOURCE] || !(a->sources & ~w[WHEN_SOURCE]));
}

/* Every run computes, and who changes a file has seen it. */
static unsigned all_caps(unsigned caps)
{
	caps |= CAP_BIT(CAP_COMPUTE);
	return caps & CAP_BIT(CAP_WRITE) ? caps | CAP_BIT(CAP_READ) : caps;
}

bool policy_rule_matches(const struct policy_rule *r, const struct ask *ask)
{
	const unsigned *w = r->when;
	struct ask a = *ask;

	a.caps = all_caps(a.caps);
	return (!w[WHEN_ORIGIN] || w[WHEN_ORIGIN] & (1U << a.origin)) &&
	       (!w[WHEN_GRADE] || w[WHEN_GRADE] & (1U << a.grade)) && bounds(r, &a);
}

/* Of two rules that say the same the first by name: their order in the file must not show. */
static bool comes_first(const struct policy_rule *r, const struct policy_rule *than)
{
	return !than || strcmp(r->id, than->id) < 0;
}

static struct policy_outcome decide_cap(const struct policy *p, const struct ask *a, enum cap cap)
{
	enum verdict cell = policy_cell(p->profile, a->origin, a->grade, cap);
	enum verdict ceiling = policy_ceiling(p->profile, a->origin, a->grade, cap);
	struct policy_outcome raised = {cell, NULL}, bound = {VERDICT_ALLOW, NULL};

	for (size_t i = 0; i < p->rulec; i++) {
		const struct policy_rule *r = &p->rule[i];
		enum verdict up = r->then < ceiling ? r->then : ceiling;
		if (!concerns(r, cap))
			continue;
		if (up > cell && raises(r, a) &&
		    (up > raised.verdict || (up == raised.verdict && comes_first(r, raised.rule))))
			raised = (struct policy_outcome){up, r};
		if (bounds(r, a) && (r->then < bound.verdict ||
				     (r->then == bound.verdict && comes_first(r, bound.rule))))
			bound = (struct policy_outcome){r->then, r};
	}
	return bound.rule && bound.verdict <= raised.verdict ? bound : raised;
}

static void decide_caps(const struct policy *p, const struct ask *a, struct decision *ret)
{
	ret->verdict = VERDICT_ALLOW;
	ret->cap = CAP_COMPUTE;
	for (unsigned c = 0; c < CAP_COUNT; c++) {
		if (!(a->caps & CAP_BIT(c)))
			continue;
		ret->of[c] = decide_cap(p, a, (enum cap)c);
		if (ret->of[c].verdict < ret->verdict) {
			ret->verdict = ret->of[c].verdict;
			ret->cap = (enum cap)c;
		}
	}
}

/* Of what the rules that bound it say the strictest, else what the policy says. */
static void decide_approval(const struct policy *p, const struct ask *a, struct decision *ret)
{
	struct policy_approval all = {.scope = SCOPE_COUNT, .approvers = p->approval.approvers};

	for (size_t i = 0; i < p->rulec; i++) {
		const struct policy_approval *one = &p->rule[i].approval;
		if (!bounds(&p->rule[i], a))
			continue;
		if (one->scope < all.scope)
			all.scope = one->scope;
		if (one->ttl_ms && (!all.ttl_ms || one->ttl_ms < all.ttl_ms))
			all.ttl_ms = one->ttl_ms;
		if (one->wait_ms && (!all.wait_ms || one->wait_ms < all.wait_ms))
			all.wait_ms = one->wait_ms;
		if (one->approvers > all.approvers)
			all.approvers = one->approvers;
	}
	for (unsigned c = 0; all.approvers > 1 && c < CAP_COUNT; c++)
		if (ret->of[c].verdict == VERDICT_ASK)
			ret->of[c].verdict = VERDICT_ASK_TWO;
	if (ret->verdict == VERDICT_ASK && all.approvers > 1)
		ret->verdict = VERDICT_ASK_TWO;
	if (ret->verdict == VERDICT_ASK_TWO && all.approvers < 2)
		all.approvers = 2;
	if (all.scope == SCOPE_COUNT)
		all.scope = p->approval.scope;
	if (!all.ttl_ms)
		all.ttl_ms = p->approval.ttl_ms;
	if (!all.wait_ms)
		all.wait_ms = p->approval.wait_ms;
	ret->approval = all;
}

/* Origin chooses the box: what is not trusted has the contained one's walls and limits, also when
 * a person let it out further. */
static void fill_box(const struct policy *p, unsigned caps, struct decision *ret)
{
	struct policy_box *b = &ret->box;

	b->tier = TIER_NO_USERNS;
	if (ret->verdict == VERDICT_CONTAINED || ret->origin <= ORIGIN_EXPOSED) {
		b->tier = p->contained.tier;
		memcpy(b->limit, p->contained.limit, sizeof(b->limit));
	}
	b->network = caps & CAP_BIT(CAP_NET);
	b->secrets = caps & CAP_BIT(CAP_SECRET);
	b->commit = caps & CAP_BIT(CAP_WRITE);
	b->workspace = b->commit		  ? WORKSPACE_RW
		       : caps & CAP_BIT(CAP_READ) ? WORKSPACE_OVERLAY
						  : WORKSPACE_NONE;
}

/* What is allowed in its own right, and what the contained box has room for. */
static unsigned contained_caps(const struct decision *d)
{
	unsigned caps = POLICY_CONTAINED_CAPS;

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (d->of[c].verdict == VERDICT_ALLOW)
			caps |= CAP_BIT(c);
	return caps & d->asked;
}

static void grant(const struct policy *p, struct decision *ret)
{
	bool asks = ret->verdict == VERDICT_ASK || ret->verdict == VERDICT_ASK_TWO;

	if (ret->verdict == VERDICT_DENY)
		return;
	if (asks)
		ret->if_approved = ret->asked;
	else
		ret->granted = ret->verdict == VERDICT_ALLOW ? ret->asked : contained_caps(ret);
	fill_box(p, asks ? ret->if_approved : ret->granted, ret);
}

/* NULL when it is a question. */
static const char *complaint(const struct policy *p, const struct ask *a)
{
	if (p->profile >= POLICY_PROFILES)
		return "there is no such profile";
	if (a->origin >= ORIGIN_COUNT)
		return "there is no such origin";
	if (a->grade >= GRADE_COUNT)
		return "there is no such grade of findings";
	if (a->caps & ~CAP_ALL)
		return "there is no such capability";
	if (a->sources & ~(CAP_BIT(FROM_COUNT) - 1))
		return "there is no such kind of source";
	return NULL;
}

void policy_decide(const struct policy *p, const struct ask *ask, struct decision *ret)
{
	struct ask a = *ask;

	*ret = (struct decision){.refusal = complaint(p, ask)};
	memcpy(ret->policy_sha256, p->sha256, sizeof(ret->policy_sha256));
	if (ret->refusal)
		return;
	a.caps = all_caps(a.caps);
	if (a.grade == GRADE_DENIES)
		a.origin = ORIGIN_HOSTILE;
	ret->origin = a.origin;
	ret->grade = a.grade;
	ret->profile = p->profile;
	ret->asked = a.caps;
	decide_caps(p, &a, ret);
	if (ret->verdict == VERDICT_ASK || ret->verdict == VERDICT_ASK_TWO)
		decide_approval(p, &a, ret);
	grant(p, ret);
}
