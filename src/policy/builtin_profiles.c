/* SPDX-License-Identifier: MIT
 *
 * The built-in profiles. A row is never more generous for exposed code than for clean code, and `strict` is
 * never more generous than `balanced`. Exposed code gets effects by tickets: its row has no more than ask,
 * except in `observe`, which gives what the policy lists and records what `balanced` would have decided.
 */
#include "policy/builtin_profiles.h"

static const struct policy_profile_row profiles[POLICY_PROFILES] = {
	[POLICY_STRICT] =
		{"strict",
		 "a person agrees to every effect, and to derived code",
		 {[STATE_CLEAN] =
			  {{[CAP_WRITE] = CELL_ASK, [CAP_NET] = CELL_ASK, [CAP_SECRET] = CELL_ASK}},
		  [STATE_EXPOSED] = {{[CAP_WRITE] = CELL_ASK,
				      [CAP_NET] = CELL_ASK,
				      [CAP_SECRET] = CELL_ASK}}},
		 WAITS_DERIVED,
		 TIER_FULL,
		 EXEC_LISTED},
	[POLICY_BALANCED] = {"balanced",
			     "clean code writes and reaches listed hosts; else a person agrees",
			     {[STATE_CLEAN] = {{[CAP_WRITE] = CELL_ALLOW,
						[CAP_NET] = CELL_LISTED,
						[CAP_SECRET] = CELL_ASK}},
			      [STATE_EXPOSED] = {{[CAP_WRITE] = CELL_ASK,
						  [CAP_NET] = CELL_ASK,
						  [CAP_SECRET] = CELL_ASK}}},
			     WAITS_FINDING,
			     TIER_NO_CGROUP,
			     EXEC_ANY},
	[POLICY_OBSERVE] = {"observe",
			    "gives every effect that the policy lists, and records the rest",
			    {[STATE_CLEAN] = {{[CAP_WRITE] = CELL_ALLOW,
					       [CAP_NET] = CELL_LISTED,
					       [CAP_SECRET] = CELL_LISTED}},
			     [STATE_EXPOSED] = {{[CAP_WRITE] = CELL_ALLOW,
						 [CAP_NET] = CELL_LISTED,
						 [CAP_SECRET] = CELL_LISTED}}},
			    WAITS_NEVER,
			    TIER_NO_USERNS,
			    EXEC_ANY},
};

const struct policy_profile_row *policy_profile_row(enum policy_profile profile)
{
	return &profiles[profile];
}

const char *policy_profile_name(unsigned profile)
{
	return profile < POLICY_PROFILES ? profiles[profile].name : NULL;
}

const char *policy_profile_help(unsigned profile)
{
	return profile < POLICY_PROFILES ? profiles[profile].help : NULL;
}

const char *policy_exec_name(unsigned exec)
{
	static const char *const names[EXEC_COUNT] = {"listed", "any"};

	return exec < EXEC_COUNT ? names[exec] : NULL;
}

const char *policy_cell_name(unsigned cell)
{
	static const char *const names[CELL_COUNT] = {"deny", "ask", "listed", "allow"};

	return cell < CELL_COUNT ? names[cell] : NULL;
}
