/* SPDX-License-Identifier: MIT
 *
 * The two decisions, cell by cell, against grids that were written by hand from the design: may it run, and
 * may it have this effect? And that the words of the gate are rows: a name of its own and a meaning each.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "policy/policy.h"
#include "tap.h"

/* Of an effect that no ticket covers: "P" the policy gives it, "a" a person is asked, "-" withheld. The four
 * columns: listed and there is a person; listed; there is a person; neither. */
static const struct effect_row {
	const char *profile, *state, *effect, *signs;
} effect_grid[] = {
	{"strict", "clean", "write", "a-a-"},	 {"strict", "clean", "net", "a-a-"},
	{"strict", "clean", "secret", "a-a-"},	 {"strict", "exposed", "write", "a-a-"},
	{"strict", "exposed", "net", "a-a-"},	 {"strict", "exposed", "secret", "a-a-"},
	{"balanced", "clean", "write", "PPPP"},	 {"balanced", "clean", "net", "PPa-"},
	{"balanced", "clean", "secret", "a-a-"}, {"balanced", "exposed", "write", "a-a-"},
	{"balanced", "exposed", "net", "a-a-"},	 {"balanced", "exposed", "secret", "a-a-"},
	{"observe", "clean", "write", "PPPP"},	 {"observe", "clean", "net", "PPa-"},
	{"observe", "clean", "secret", "PPa-"},	 {"observe", "exposed", "write", "PPPP"},
	{"observe", "exposed", "net", "PPa-"},	 {"observe", "exposed", "secret", "PPa-"},
};

/* "+" it runs, "a" a person is asked, "-" it does not; the columns: grade none, shown, asks, denies. */
static const struct run_row {
	const char *profile;
	bool derived, bounded;
	const char *signs;
} run_grid[] = {
	{"strict", false, false, "+++-"},   {"strict", false, true, "+++-"},
	{"strict", true, false, "aaa-"},    {"strict", true, true, "aaa-"},
	{"balanced", false, false, "+++-"}, {"balanced", false, true, "+++-"},
	{"balanced", true, false, "++a-"},  {"balanced", true, true, "+++-"},
	{"observe", false, false, "+++-"},  {"observe", false, true, "+++-"},
	{"observe", true, false, "+++-"},   {"observe", true, true, "+++-"},
};

static struct policy policies[POLICY_PROFILES];

static unsigned find(const char *(*at)(unsigned i), const char *name)
{
	unsigned i = 0;

	while (at(i) && strcmp(at(i), name) != 0)
		i++;
	if (!at(i))
		abort();
	return i;
}

static const struct policy *profile(const char *name)
{
	return &policies[find(policy_profile_name, name)];
}

static void test_effects(void)
{
	static const enum outcome outcomes[] = {
		['-'] = OUTCOME_WITHHELD, ['a'] = OUTCOME_WAITS, ['P'] = OUTCOME_POLICY};
	bool seen[POLICY_PROFILES][STATE_COUNT][CAP_COUNT] = {0};
	size_t cells = 0;

	for (size_t i = 0; i < ARRAY_SIZE(effect_grid); i++) {
		const struct effect_row *row = &effect_grid[i];
		struct policy_effect e = {.cap = (enum cap)find(cap_name, row->effect),
					  .exposed = strcmp(row->state, "exposed") == 0};
		bool good = true;
		bool *cell = &seen[find(policy_profile_name, row->profile)][e.exposed][e.cap];
		cells += !*cell;
		*cell = true;
		for (unsigned k = 0; k < 8; k++) {
			enum outcome wanted = outcomes[(unsigned char)row->signs[k & 3]];
			e.listed = !(k & 2);
			e.can_ask = !(k & 1);
			e.covered = k & 4;
			good = good && policy_decide_effect(profile(row->profile), &e) ==
					       (e.covered ? OUTCOME_TICKET : wanted);
		}
		ok(good, "%s, %s, %s: %s", row->profile, row->state, row->effect, row->signs);
	}
	ok(cells == POLICY_PROFILES * STATE_COUNT * CAP_COUNT && cells == ARRAY_SIZE(effect_grid),
	   "the grid of effects has every line once");
}

/* A cell that says deny: neither a ticket nor a person gives the effect. */
static void test_denied_effects(void)
{
	for (unsigned c = 0; c < CAP_COUNT; c++)
		for (unsigned exposed = 0; exposed < 2; exposed++) {
			struct policy p = *profile("balanced");
			struct policy_effect e = {.cap = (enum cap)c,
						  .exposed = exposed,
						  .covered = true,
						  .listed = true,
						  .can_ask = true};
			p.row[exposed ? STATE_EXPOSED : STATE_CLEAN].cell[c] = CELL_DENY;
			ok(policy_denies(&p, &e) &&
				   policy_decide_effect(&p, &e) == OUTCOME_WITHHELD,
			   "%s of %s code is denied, with a ticket too", cap_name(c),
			   exposed ? "exposed" : "clean");
		}
}

static void test_runs(void)
{
	static const enum verdict verdicts[] = {
		['-'] = VERDICT_DENY, ['a'] = VERDICT_ASK, ['+'] = VERDICT_ALLOW};
	bool seen[POLICY_PROFILES][2][2] = {0};
	size_t cells = 0;

	for (size_t i = 0; i < ARRAY_SIZE(run_grid); i++) {
		const struct run_row *row = &run_grid[i];
		const struct policy *p = profile(row->profile);
		bool good = true;
		bool *cell = &seen[p->profile][row->derived][row->bounded];
		cells += !*cell;
		*cell = true;
		for (unsigned k = 0; k < 2 * GRADE_COUNT; k++) {
			struct policy_run run = {.exposed = k >= GRADE_COUNT,
						 .derived = row->derived,
						 .bounded = row->bounded,
						 .grade = (enum grade)(k % GRADE_COUNT)};
			enum verdict wanted = verdicts[(unsigned char)row->signs[run.grade]];
			good = good && policy_decide_run(p, &run) == wanted &&
			       strlen(policy_run_reason(p, &run)) > 20;
		}
		ok(good, "%s, derived %d, bounded %d: %s", row->profile, row->derived, row->bounded,
		   row->signs);
	}
	ok(cells == (size_t)POLICY_PROFILES * 4 && cells == ARRAY_SIZE(run_grid),
	   "the grid of runs has every line once");
}

/* Whatever else is known of the code, a rule that requires review has its way, and never more than that. */
static void test_review(void)
{
	for (unsigned p = 0; p < POLICY_PROFILES; p++) {
		enum verdict wanted = p == POLICY_OBSERVE ? VERDICT_ALLOW : VERDICT_ASK;
		bool good = true;
		for (unsigned i = 0; i < GRADE_COUNT * 8; i++) {
			struct policy_run run = {.grade = (enum grade)(i / 8),
						 .derived = i & 1,
						 .bounded = i & 2,
						 .exposed = i & 4,
						 .review = true};
			good = good && policy_decide_run(&policies[p], &run) ==
					       (run.grade == GRADE_DENIES ? VERDICT_DENY : wanted);
		}
		ok(good, "%s: a rule that requires review", policy_profile_name(p));
	}
}

/* `observe` decides as `balanced` does, and says where it gives more. */
static void test_observed(void)
{
	const struct policy *observe = &policies[POLICY_OBSERVE];
	bool good = true;

	for (unsigned i = 0; i < CAP_COUNT * 4; i++) {
		struct policy_effect e = {
			.cap = (enum cap)(i / 4), .listed = i & 1, .exposed = i & 2};
		bool given = policy_decide_effect(observe, &e) == OUTCOME_POLICY;
		bool would = policy_decide_effect(&policies[POLICY_BALANCED], &e) == OUTCOME_POLICY;
		good = good &&
		       (!given || (strcmp(policy_giver(observe, &e), "policy") == 0) == would) &&
		       strcmp(policy_giver(&policies[POLICY_BALANCED], &e), "policy") == 0;
	}
	ok(good, "observe says which effects balanced would not give");
	const struct policy_run run = {.derived = true, .grade = GRADE_ASKS};
	ok(strstr(policy_run_reason(observe, &run), "balanced would ask"),
	   "observe says that balanced would ask");
}

/* For every effect: what the first of two policies and states gives is at most what the second does. */
static bool is_no_more(const struct policy *a, bool a_exposed, const struct policy *b,
		       bool b_exposed)
{
	for (unsigned i = 0; i < CAP_COUNT * 8; i++) {
		struct policy_effect e = {.cap = (enum cap)(i / 8),
					  .listed = i & 1,
					  .covered = i & 2,
					  .can_ask = i & 4,
					  .exposed = a_exposed};
		enum outcome first = policy_decide_effect(a, &e);
		e.exposed = b_exposed;
		if (first > policy_decide_effect(b, &e))
			return false;
	}
	return true;
}

static bool runs_no_more(const struct policy *a, const struct policy *b)
{
	for (unsigned i = 0; i < GRADE_COUNT * 8; i++) {
		struct policy_run run = {.grade = (enum grade)(i / 8),
					 .derived = i & 1,
					 .bounded = i & 2,
					 .exposed = i & 4};
		if (policy_decide_run(a, &run) > policy_decide_run(b, &run))
			return false;
	}
	return true;
}

static void test_order(void)
{
	for (unsigned p = 0; p < POLICY_PROFILES; p++) {
		const struct policy *one = &policies[p], *next = &policies[p + 1];
		ok(is_no_more(one, true, one, false), "%s gives exposed code no more than clean",
		   policy_profile_name(p));
		if (p + 1 < POLICY_PROFILES)
			ok(is_no_more(one, false, next, false) &&
				   is_no_more(one, true, next, true) && runs_no_more(one, next) &&
				   one->tier <= next->tier,
			   "%s is no more generous than %s", policy_profile_name(p),
			   policy_profile_name(p + 1));
	}
}

/* Whatever a file says of clean code, exposed code gets no more. */
static void test_files(void)
{
	unsigned wrong = 0, read = 0;

	for (unsigned i = 0; i < POLICY_PROFILES * CELL_COUNT * CELL_COUNT * CELL_COUNT; i++) {
		char text[200];
		struct policy p;
		struct err err = {0};
		unsigned rest = i / POLICY_PROFILES;
		snprintf(text, sizeof(text),
			 "version: 2\nprofile: %s\nclean: {write: %s, net: %s, secret: %s}\n",
			 policy_profile_name(i % POLICY_PROFILES),
			 policy_cell_name(rest % CELL_COUNT),
			 policy_cell_name(rest / CELL_COUNT % CELL_COUNT),
			 policy_cell_name(rest / CELL_COUNT / CELL_COUNT));
		read += policy_parse(&p, "file", text, strlen(text), &err) == 0;
		wrong += !is_no_more(&p, true, &p, false);
		policy_done(&p);
	}
	ok(read == POLICY_PROFILES * CELL_COUNT * CELL_COUNT * CELL_COUNT && !wrong,
	   "of %u files, %u give exposed code more than clean code", read, wrong);
}

static void test_words(void)
{
	static const struct {
		const char *what;
		const char *(*name)(unsigned), *(*help)(unsigned); /* HELP may be NULL */
		unsigned count;
	} lists[] = {{"origin", origin_name, origin_help, ORIGIN_COUNT},
		     {"effect", cap_name, NULL, CAP_COUNT},
		     {"grade", grade_name, grade_help, GRADE_COUNT},
		     {"verdict", verdict_name, NULL, VERDICT_COUNT},
		     {"outcome", outcome_name, NULL, OUTCOME_COUNT},
		     {"kind of source", source_kind_name, source_kind_help, FROM_COUNT},
		     {"scope", scope_name, scope_help, SCOPE_COUNT},
		     {"profile", policy_profile_name, policy_profile_help, POLICY_PROFILES}};
	char words[64];

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const char *(*help)(unsigned) = lists[i].help;
		bool good = !lists[i].name(lists[i].count) && (!help || !help(lists[i].count));
		for (unsigned n = 0; n < lists[i].count; n++)
			good = good && find(lists[i].name, lists[i].name(n)) == n &&
			       (!help || strlen(help(n)) >= 4);
		ok(good, "every %s has a name of its own and a meaning", lists[i].what);
	}
	for (unsigned c = 0; c < CAP_COUNT; c++)
		ok(cap_reach((enum cap)c)[0], "%s says what it could reach", cap_name(c));
	ok(strcmp(caps_words(0, words, sizeof(words)), "none") == 0 &&
		   strcmp(caps_words(CAP_ALL, words, sizeof(words)), "write, net, secret") == 0,
	   "a set of effects has words");
	ok(grade_of_lane("enforce") == GRADE_DENIES && grade_of_lane("alert") == GRADE_ASKS &&
		   grade_of_lane("hunt") == GRADE_SHOWN && grade_of_lane("x") == GRADE_DENIES,
	   "only the mature lane denies, and what is no lane");
}

/* Where a person may confirm. Code that waits before it runs at all counts as a write. */
static void test_confirmations(void)
{
	static const struct {
		unsigned caps;
		bool yes[CAP_COUNT], confirms;
	} rows[] = {
		{0, {[CAP_WRITE] = true}, true},
		{0, {[CAP_NET] = true, [CAP_SECRET] = true}, false},
		{CAP_BIT(CAP_NET), {[CAP_WRITE] = true}, false},
		{CAP_BIT(CAP_WRITE) | CAP_BIT(CAP_NET),
		 {[CAP_WRITE] = true, [CAP_NET] = true},
		 true},
		{CAP_BIT(CAP_SECRET), {[CAP_WRITE] = true, [CAP_NET] = true}, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy p = {.approval.approvers = 1};
		for (size_t c = 0; c < CAP_COUNT; c++)
			if (rows[i].yes[c])
				p.confirmation[c] = CONFIRM_YES;
		ok(policy_confirms(&p, rows[i].caps) == rows[i].confirms, "row %zu", i);
		p.approval.approvers = 2;
		ok(!policy_confirms(&p, rows[i].caps), "two people sign: row %zu", i);
	}
}

static void test_unloaded(void)
{
	const struct policy none = {0};
	const struct policy_run run = {.derived = true};
	bool withheld = true;

	for (unsigned i = 0; i < CAP_COUNT * 2; i++) {
		struct policy_effect e = {.cap = (enum cap)(i / 2),
					  .exposed = i & 1,
					  .listed = true,
					  .can_ask = true};
		withheld = withheld && policy_decide_effect(&none, &e) == OUTCOME_WITHHELD;
	}
	ok(withheld, "a policy that was not loaded gives no effect");
	ok(policy_decide_run(&none, &run) == VERDICT_ASK, "and makes derived code wait");
}

int main(void)
{
	struct err err = {0};

	for (unsigned i = 0; i < POLICY_PROFILES; i++)
		if (policy_init(&policies[i], (enum policy_profile)i, &err) < 0)
			abort();
	test_words();
	test_effects();
	test_denied_effects();
	test_runs();
	test_review();
	test_observed();
	test_order();
	test_files();
	test_confirmations();
	test_unloaded();
	for (unsigned i = 0; i < POLICY_PROFILES; i++)
		policy_done(&policies[i]);
	return tap_done();
}
