/* SPDX-License-Identifier: MIT
 *
 * Runs the examples that rules carry. A rule without one is told too: nobody has ever seen it
 * match.
 */
#include <stdio.h>

#include "policy/policy.h"

struct run {
	const struct policy *policy;
	policy_report_fn *report;
	void *context;
	size_t failed;
};

static void fail(struct run *run, const struct policy_rule *rule, unsigned line, const char *words)
{
	struct policy_report report = {rule, line, words};

	run->failed++;
	if (run->report)
		run->report(run->context, &report);
}

static void check_example(struct run *run, const struct policy_rule *rule,
			  const struct policy_example *e, bool must_match)
{
	struct decision d;
	char words[160], row[POLICY_REASON_MAX];

	if (policy_rule_matches(rule, &e->ask) != must_match)
		fail(run, rule, e->line,
		     must_match ? "the rule is not for this match example"
				: "the rule is for this not_match example");
	if (e->verdict == VERDICT_COUNT)
		return;
	policy_decide(run->policy, &e->ask, &d);
	if (d.verdict == e->verdict)
		return;
	snprintf(words, sizeof(words), "the verdict is %s, not %s, by %.100s",
		 verdict_name(d.verdict), verdict_name(e->verdict),
		 decision_row(&d, row, sizeof(row)));
	fail(run, rule, e->line, words);
}

size_t policy_check(const struct policy *p, policy_report_fn *report, void *context)
{
	struct run run = {p, report, context, 0};

	for (size_t i = 0; i < p->rulec; i++) {
		const struct policy_rule *r = &p->rule[i];
		if (!r->match.count)
			fail(&run, r, r->line, "it has no match example");
		for (size_t k = 0; k < r->match.count; k++)
			check_example(&run, r, &r->match.list[k], true);
		for (size_t k = 0; k < r->not_match.count; k++)
			check_example(&run, r, &r->not_match.list[k], false);
	}
	return run.failed;
}
