/* SPDX-License-Identifier: MIT
 *
 * The decision table, cell by cell: every profile, origin, grade and combination of capabilities
 * against a grid that was written by hand, with what is granted and which box it gets. And that the
 * words of the gate are rows: a name of its own and a meaning each.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "policy/policy.h"
#include "policy_grid.h"
#include "tap.h"

static const char signs[] = "-2?c+";

static unsigned find(const char *(*at)(unsigned i), const char *name)
{
	unsigned i = 0;

	while (at(i) && strcmp(at(i), name) != 0)
		i++;
	if (!at(i))
		abort();
	return i;
}

/* Compute is in every set, and reading in every one that writes. */
static unsigned whole(unsigned caps)
{
	return caps | 1U | (caps & CAP_BIT(CAP_WRITE) ? CAP_BIT(CAP_READ) : 0);
}

/* The strictest sign of those that are asked for. */
static enum verdict expected(const struct grid_row *row, unsigned caps)
{
	enum verdict least = VERDICT_ALLOW;

	for (unsigned c = 0; c < CAP_COUNT; c++) {
		enum verdict v = (enum verdict)(strchr(signs, row->signs[2 * c]) - signs);
		if (whole(caps) & CAP_BIT(c) && v < least)
			least = v;
	}
	return least;
}

static bool box_is(const struct decision *d, unsigned caps, enum tier tier)
{
	const struct policy_box *b = &d->box;
	enum workspace_mode workspace = caps & CAP_BIT(CAP_WRITE)  ? WORKSPACE_RW
					: caps & CAP_BIT(CAP_READ) ? WORKSPACE_OVERLAY
								   : WORKSPACE_NONE;

	return b->tier == tier && b->workspace == workspace &&
	       b->network == !!(caps & CAP_BIT(CAP_NET)) &&
	       b->secrets == !!(caps & CAP_BIT(CAP_SECRET)) &&
	       b->commit == !!(caps & CAP_BIT(CAP_WRITE));
}

/* What a contained run has: what the grid allows, computing and reading. */
static unsigned contained(const struct grid_row *row, unsigned asked)
{
	unsigned caps = CAP_BIT(CAP_COMPUTE) | CAP_BIT(CAP_READ);

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (row->signs[2 * c] == '+')
			caps |= CAP_BIT(c);
	return caps & asked;
}

static bool grants_are(const struct decision *d, const struct policy *p, const struct grid_row *row)
{
	unsigned asked = d->asked, box = contained(row, asked);
	bool low = d->origin <= ORIGIN_EXPOSED;
	enum tier tier = low ? p->contained.tier : TIER_NO_USERNS;

	switch (d->verdict) {
	case VERDICT_ALLOW:
		return d->granted == asked && !d->if_approved && box_is(d, asked, tier);
	case VERDICT_CONTAINED:
		return d->granted == box && !d->if_approved && box_is(d, box, p->contained.tier);
	case VERDICT_ASK:
	case VERDICT_ASK_TWO:
		return !d->granted && d->if_approved == asked && box_is(d, asked, tier) &&
		       d->approval.approvers == (d->verdict == VERDICT_ASK ? 1 : 2);
	default:
		return !d->granted && !d->if_approved && box_is(d, 0, TIER_FULL);
	}
}

/* The deciding row is the profile's, and names a capability with that very sign. */
static bool row_is(const struct decision *d, const struct grid_row *row)
{
	char name[POLICY_REASON_MAX], wanted[POLICY_REASON_MAX];
	const char *origin = strcmp(row->grade, "denies") == 0 ? "hostile" : row->origin;

	snprintf(wanted, sizeof(wanted), "profile/%s/%s/%s/%s", row->profile, origin, row->grade,
		 cap_name(d->cap));
	return strcmp(decision_row(d, name, sizeof(name)), wanted) == 0 &&
	       d->asked & CAP_BIT(d->cap) && d->of[d->cap].verdict == d->verdict;
}

static void test_row(const struct grid_row *row)
{
	struct policy p;
	struct decision d;
	struct err err;
	unsigned wrong = 0;

	if (policy_init(&p, (enum policy_profile)find(policy_profile_name, row->profile), &err) < 0)
		abort();
	for (unsigned caps = 0; caps <= CAP_ALL; caps++) {
		struct ask ask = {.origin = (enum origin)find(origin_name, row->origin),
				  .grade = (enum grade)find(grade_name, row->grade),
				  .caps = caps};
		policy_decide(&p, &ask, &d);
		if (d.verdict == expected(row, caps) && d.asked == whole(caps) &&
		    grants_are(&d, &p, row) && row_is(&d, row))
			continue;
		printf("# capabilities %#x: %s\n", caps, verdict_name(d.verdict));
		wrong++;
	}
	ok(!wrong, "%s, %s, %s: %s", row->profile, row->origin, row->grade, row->signs);
	policy_done(&p);
}

static void test_grid(void)
{
	bool seen[POLICY_PROFILES][ORIGIN_COUNT][GRADE_COUNT] = {0};
	size_t cells = 0;

	for (size_t i = 0; i < ARRAY_SIZE(grid); i++) {
		const struct grid_row *r = &grid[i];
		bool *cell = &seen[find(policy_profile_name, r->profile)]
				  [find(origin_name, r->origin)][find(grade_name, r->grade)];
		cells += !*cell;
		*cell = true;
		test_row(r);
	}
	ok(cells == POLICY_PROFILES * ORIGIN_COUNT * GRADE_COUNT && cells == ARRAY_SIZE(grid),
	   "the grid has every line once");
}

static enum verdict softened(enum verdict v)
{
	return v == VERDICT_ASK || v == VERDICT_ASK_TWO ? VERDICT_CONTAINED : v;
}

/* Calls HOLDS for every cell; how many it does not hold for. */
static unsigned count_not(bool (*holds)(enum policy_profile p, enum origin o, enum grade g,
					enum cap c))
{
	unsigned wrong = 0;

	for (unsigned p = 0; p < POLICY_PROFILES; p++)
		for (unsigned o = 0; o < ORIGIN_COUNT; o++)
			for (unsigned g = 0; g < GRADE_COUNT; g++)
				for (unsigned c = 0; c < CAP_COUNT; c++)
					wrong += !holds((enum policy_profile)p, (enum origin)o,
							(enum grade)g, (enum cap)c);
	return wrong;
}

static bool goes_up(enum policy_profile p, enum origin o, enum grade g, enum cap c)
{
	enum verdict v = policy_cell(p, o, g, c), most = policy_ceiling(p, o, g, c);

	return v <= most &&
	       (o == 0 ||
		(policy_cell(p, o - 1, g, c) <= v && policy_ceiling(p, o - 1, g, c) <= most)) &&
	       (g == 0 ||
		(policy_cell(p, o, g - 1, c) >= v && policy_ceiling(p, o, g - 1, c) >= most)) &&
	       (p == 0 || policy_cell(p - 1, o, g, c) <= v);
}

static bool hostile_stays(enum policy_profile p, enum origin o, enum grade g, enum cap c)
{
	return (o != ORIGIN_HOSTILE && g != GRADE_DENIES) ||
	       policy_ceiling(p, o, g, c) == VERDICT_DENY;
}

static bool observe_is_soft(enum policy_profile p, enum origin o, enum grade g, enum cap c)
{
	return p != POLICY_OBSERVE ||
	       policy_cell(p, o, g, c) == softened(policy_cell(POLICY_BALANCED, o, g, c));
}

static bool clean_agent_is_not_asked(enum policy_profile p, enum origin o, enum grade g, enum cap c)
{
	return o < ORIGIN_AGENT || g > GRADE_SHOWN || c > CAP_READ ||
	       policy_cell(p, o, g, c) >= VERDICT_CONTAINED;
}

static bool derived_asks_for_effects(enum policy_profile p, enum origin o, enum grade g, enum cap c)
{
	return o > ORIGIN_DERIVED || c < CAP_WRITE ||
	       policy_ceiling(p, o, g, c) < VERDICT_CONTAINED ||
	       (p == POLICY_OBSERVE && policy_cell(p, o, g, c) == VERDICT_CONTAINED);
}

static void test_shape(void)
{
	ok(!count_not(goes_up), "less trust, worse findings, a stricter profile: never more");
	ok(!count_not(hostile_stays), "no rule can loosen what is hostile");
	ok(!count_not(observe_is_soft), "observe is balanced without questions");
	ok(!count_not(clean_agent_is_not_asked), "a clean agent computes and reads unasked");
	ok(!count_not(derived_asks_for_effects),
	   "derived code has no effect outside the box without a person");
}

static void test_words(void)
{
	static const struct {
		const char *what;
		const char *(*name)(unsigned), *(*help)(unsigned);
		unsigned count;
	} lists[] = {{"origin", origin_name, origin_help, ORIGIN_COUNT},
		     {"capability", cap_name, cap_help, CAP_COUNT},
		     {"grade", grade_name, grade_help, GRADE_COUNT},
		     {"verdict", verdict_name, verdict_help, VERDICT_COUNT},
		     {"kind of source", source_kind_name, source_kind_help, FROM_COUNT},
		     {"scope", scope_name, scope_help, SCOPE_COUNT},
		     {"profile", policy_profile_name, policy_profile_help, POLICY_PROFILES}};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		bool good = !lists[i].name(lists[i].count) && !lists[i].help(lists[i].count);
		for (unsigned n = 0; n < lists[i].count; n++)
			good = good && find(lists[i].name, lists[i].name(n)) == n &&
			       strlen(lists[i].help(n)) > 8;
		ok(good, "every %s has a name of its own and a meaning", lists[i].what);
	}
	for (unsigned c = 0; c < CAP_COUNT; c++)
		ok(cap_reach((enum cap)c)[0], "%s says what it could reach", cap_name(c));
	ok(grade_of_lane("enforce") == GRADE_DENIES && grade_of_lane("alert") == GRADE_ASKS &&
		   grade_of_lane("hunt") == GRADE_SHOWN && grade_of_lane("x") == GRADE_DENIES,
	   "only the mature lane denies, and what is no lane");
}

static bool is_refused(const struct policy *p, struct ask ask)
{
	struct decision d;
	char row[POLICY_REASON_MAX];

	memset(&d, 0xff, sizeof(d));
	policy_decide(p, &ask, &d);
	return d.verdict == VERDICT_DENY && d.refusal && !d.granted && !d.if_approved &&
	       strcmp(decision_row(&d, row, sizeof(row)), "refusal") == 0;
}

static void test_nonsense(void)
{
	const struct ask zero = {0}, agent = {.origin = ORIGIN_AGENT};
	struct decision d = {0};
	struct policy p, none = {0};
	struct err err;

	ok(d.verdict == VERDICT_DENY && !d.granted, "a decision that nobody made denies");
	if (policy_init(&p, POLICY_OBSERVE, &err) < 0)
		abort();
	policy_decide(&p, &zero, &d);
	ok(d.verdict == VERDICT_DENY, "a question that nobody filled in is denied");
	ok(is_refused(&p, (struct ask){.origin = ORIGIN_COUNT}) &&
		   is_refused(&p, (struct ask){.origin = ORIGIN_PLAN, .grade = GRADE_COUNT}) &&
		   is_refused(&p, (struct ask){.origin = ORIGIN_PLAN, .caps = CAP_ALL + 1}) &&
		   is_refused(&p, (struct ask){.origin = ORIGIN_PLAN, .sources = 1U << FROM_COUNT}),
	   "words that there are not are denied, with a reason");
	policy_decide(&none, &agent, &d);
	ok(d.verdict == VERDICT_ALLOW && d.profile == POLICY_STRICT,
	   "a policy that nobody loaded is strict");
	policy_done(&p);
}

int main(void)
{
	test_words();
	test_grid();
	test_shape();
	test_nonsense();
	return tap_done();
}
