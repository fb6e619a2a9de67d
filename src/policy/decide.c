/* SPDX-License-Identifier: MIT
 *
 * The decisions, as pure functions. They must never read a file, a clock or the environment, or keep
 * state.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "policy/builtin_profiles.h"
#include "policy/policy.h"

/* Does the answer ask a person? */
static bool asks(enum policy_waits waits, const struct policy_run *run)
{
	if (waits == WAITS_NEVER)
		return false;
	return run->review || (run->derived && waits == WAITS_DERIVED) ||
	       (run->derived && run->grade >= GRADE_ASKS && !run->bounded);
}

enum verdict policy_decide_run(const struct policy *p, const struct policy_run *run)
{
	if (run->grade >= GRADE_DENIES)
		return VERDICT_DENY;
	return asks(p->waits, run) ? VERDICT_ASK : VERDICT_ALLOW;
}

const char *policy_run_reason(const struct policy *p, const struct policy_run *run)
{
	if (run->grade >= GRADE_DENIES)
		return "a rule of the deny grade found something in it";
	if (p->waits == WAITS_NEVER && asks(WAITS_FINDING, run))
		return "it runs because the profile observes; balanced would ask a person";
	if (!asks(p->waits, run))
		return "it runs in the box; effects outside are decided one by one";
	if (run->review)
		return "a rule that requires a person's review found something in it";
	return run->grade >= GRADE_ASKS
		       ? "parts of it stand in an untrusted document, and a rule found "
			 "something in it"
		       : "parts of it stand in an untrusted document";
}

bool policy_denies(const struct policy *p, const struct policy_effect *e)
{
	return p->row[e->exposed ? STATE_EXPOSED : STATE_CLEAN].cell[e->cap] == CELL_DENY;
}

enum outcome policy_decide_effect(const struct policy *p, const struct policy_effect *e)
{
	enum policy_cell cell = p->row[e->exposed ? STATE_EXPOSED : STATE_CLEAN].cell[e->cap];

	if (policy_denies(p, e))
		return OUTCOME_WITHHELD;
	if (e->covered)
		return OUTCOME_TICKET;
	if (cell == CELL_ALLOW || (cell == CELL_LISTED && e->listed))
		return OUTCOME_POLICY;
	return e->can_ask ? OUTCOME_WAITS : OUTCOME_WITHHELD;
}

bool policy_confirms(const struct policy *p, unsigned caps)
{
	if (!caps) /* code that waits before it runs counts as a write */
		caps = CAP_BIT(CAP_WRITE);
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (caps & CAP_BIT(c) && p->confirmation[c] != CONFIRM_YES)
			return false;
	return p->approval.approvers == 1;
}

const char *policy_giver(const struct policy *p, const struct policy_effect *e)
{
	const struct policy_row *row = policy_profile_row(POLICY_BALANCED)->row;
	enum policy_cell cell = row[e->exposed ? STATE_EXPOSED : STATE_CLEAN].cell[e->cap];
	bool would = cell == CELL_ALLOW || (cell == CELL_LISTED && e->listed);

	return p->profile == POLICY_OBSERVE && !would ? "observe" : "policy";
}

enum grade policy_grade_of(const struct policy *p, const char *rule, enum grade grade)
{
	for (size_t i = 0; i < p->gradec; i++)
		if (strcmp(p->grade[i].rule, rule) == 0)
			return p->grade[i].grade;
	return grade;
}

const char *caps_words(unsigned caps, char *buf, size_t size)
{
	size_t len = 0;

	snprintf(buf, size, "none");
	for (unsigned c = 0; c < CAP_COUNT && len < size; c++)
		if (caps & CAP_BIT(c))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						cap_name(c));
	return buf;
}
