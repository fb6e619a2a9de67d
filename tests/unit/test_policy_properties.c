/* SPDX-License-Identifier: MIT
 *
 * What must hold whatever rules there are, tried on policies of random rules. Many of them no file
 * could hold: decide() must not depend on the loader's checks. The sequence is fixed, so every run
 * tries the same.
 */
#include <stdint.h>

#include "base/scope.h"
#include "policy/policy.h"
#include "tap.h"

enum { POLICIES = 4000, ASKS = 40, RULES = 6 };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

static unsigned below(uint64_t *state, unsigned n)
{
	return (unsigned)(next_random(state) % n);
}

/* Half of the time the condition is not named. */
static unsigned random_set(uint64_t *state, unsigned bits)
{
	return below(state, 2) ? 0 : below(state, 1U << bits);
}

static struct policy_rule random_rule(uint64_t *state, const char *id)
{
	struct policy_rule r = {.id = id, .why = "", .then = (enum verdict)below(state, 5)};

	r.when[WHEN_ORIGIN] = random_set(state, ORIGIN_COUNT);
	r.when[WHEN_CAPS] = random_set(state, CAP_COUNT);
	r.when[WHEN_CAPS_ANY] = random_set(state, CAP_COUNT);
	r.when[WHEN_GRADE] = random_set(state, GRADE_COUNT);
	r.when[WHEN_LANG] = random_set(state, 2);
	r.when[WHEN_SOURCE] = random_set(state, FROM_COUNT);
	r.approval = (struct policy_approval){.scope = SCOPE_COUNT,
					      .approvers = below(state, 8) ? 0 : below(state, 4)};
	return r;
}

static struct ask random_ask(uint64_t *state)
{
	static const char *const langs[] = {NULL, "python", "bash", "node"};

	return (struct ask){.origin = (enum origin)below(state, ORIGIN_COUNT),
			    .grade = (enum grade)below(state, GRADE_COUNT),
			    .caps = below(state, CAP_ALL + 1),
			    .sources = below(state, 1U << FROM_COUNT),
			    .lang = langs[below(state, 4)]};
}

static enum verdict decide(const struct policy *p, const struct ask *a)
{
	struct decision d;

	policy_decide(p, a, &d);
	return d.verdict;
}

/* Each returns whether it holds for the question. */
static bool less_trust(const struct policy *p, struct ask a, uint64_t *state)
{
	enum verdict before = decide(p, &a);

	(void)state;
	if (a.origin > 0)
		a.origin--;
	return decide(p, &a) <= before;
}

static bool worse_findings(const struct policy *p, struct ask a, uint64_t *state)
{
	enum verdict before = decide(p, &a);

	(void)state;
	if (a.grade + 1 < GRADE_COUNT)
		a.grade++;
	return decide(p, &a) <= before;
}

static bool more_caps(const struct policy *p, struct ask a, uint64_t *state)
{
	enum verdict before = decide(p, &a);

	a.caps |= below(state, CAP_ALL + 1);
	return decide(p, &a) <= before;
}

static bool more_sources(const struct policy *p, struct ask a, uint64_t *state)
{
	enum verdict before = decide(p, &a);

	a.sources |= below(state, 1U << FROM_COUNT);
	return decide(p, &a) <= before;
}

static bool unknown_lang(const struct policy *p, struct ask a, uint64_t *state)
{
	enum verdict before = decide(p, &a);

	(void)state;
	a.lang = NULL;
	return decide(p, &a) <= before;
}

static bool order(const struct policy *p, struct ask a, uint64_t *state)
{
	struct policy_rule turned[RULES];
	struct policy q = *p;
	struct decision before, after;
	char one[POLICY_REASON_MAX], two[POLICY_REASON_MAX];

	memcpy(turned, p->rule, sizeof(turned));
	for (unsigned i = RULES - 1; i > 0; i--) {
		unsigned other = below(state, i + 1);
		struct policy_rule swap = turned[i];
		turned[i] = turned[other];
		turned[other] = swap;
	}
	q.rule = turned;
	policy_decide(p, &a, &before);
	policy_decide(&q, &a, &after);
	return before.verdict == after.verdict && before.granted == after.granted &&
	       before.approval.approvers == after.approval.approvers &&
	       strcmp(decision_row(&before, one, sizeof(one)),
		      decision_row(&after, two, sizeof(two))) == 0;
}

static bool stricter_rule(const struct policy *p, struct ask a, uint64_t *state)
{
	struct policy_rule more[RULES + 1];
	struct policy q = *p;
	enum verdict before = decide(p, &a);

	memcpy(more, p->rule, RULES * sizeof(*more));
	more[RULES] = random_rule(state, "z");
	more[RULES].then = (enum verdict)below(state, before + 1);
	q.rule = more;
	q.rulec = RULES + 1;
	return decide(&q, &a) <= before;
}

static bool deny_wins(const struct policy *p, struct ask a, uint64_t *state)
{
	struct policy_rule more[RULES + 1];
	struct policy q = *p;

	memcpy(more, p->rule, RULES * sizeof(*more));
	more[RULES] = random_rule(state, "z");
	more[RULES].then = VERDICT_DENY;
	q.rule = more;
	q.rulec = RULES + 1;
	return !policy_rule_matches(&more[RULES], &a) || decide(&q, &a) == VERDICT_DENY;
}

static bool hostile_is_denied(const struct policy *p, struct ask a, uint64_t *state)
{
	if (below(state, 2))
		a.origin = ORIGIN_HOSTILE;
	else
		a.grade = GRADE_DENIES;
	return decide(p, &a) == VERDICT_DENY;
}

static bool granted_is_asked(const struct policy *p, struct ask a, uint64_t *state)
{
	struct decision d;

	(void)state;
	policy_decide(p, &a, &d);
	return !((d.granted | d.if_approved) & ~d.asked) && !(d.granted && d.if_approved) &&
	       !d.granted == (d.verdict < VERDICT_CONTAINED);
}

static const struct {
	const char *words;
	bool (*holds)(const struct policy *p, struct ask a, uint64_t *state);
} properties[] = {
	{"who is trusted less never gets more", less_trust},
	{"worse findings never get more", worse_findings},
	{"who asks for more never gets a better verdict", more_caps},
	{"who read more never gets more", more_sources},
	{"an unknown language never gets more than a known one", unknown_lang},
	{"the order of rules never shows", order},
	{"one more rule that is no looser never loosens", stricter_rule},
	{"a deny that matches wins over everything", deny_wins},
	{"what is hostile is denied whatever the rules say", hostile_is_denied},
	{"nothing is granted that was not asked for, nor before people agreed", granted_is_asked},
};

static void test_properties(void)
{
	static const char *const ids[RULES] = {"a", "b", "c", "d", "e", "f"};
	unsigned wrong[ARRAY_SIZE(properties)] = {0}, verdicts[VERDICT_COUNT] = {0};
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	for (int n = 0; n < POLICIES; n++) {
		struct policy_rule rule[RULES];
		struct policy p = {
			.profile = (enum policy_profile)below(&state, POLICY_PROFILES),
			.approval = {.scope = SCOPE_ONCE, .ttl_ms = 1000, .approvers = 1},
			.rulec = RULES,
			.rule = rule};
		for (int i = 0; i < RULES; i++)
			rule[i] = random_rule(&state, ids[i]);
		for (int k = 0; k < ASKS; k++) {
			struct ask a = random_ask(&state);
			verdicts[decide(&p, &a)]++;
			for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
				wrong[i] += !properties[i].holds(&p, a, &state);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
		ok(!wrong[i], "%s (%u of %d do not hold)", properties[i].words, wrong[i],
		   POLICIES * ASKS);
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		ok(verdicts[v] > 1000, "the random questions got %s often enough", verdict_name(v));
}

int main(void)
{
	test_properties();
	return tap_done();
}
