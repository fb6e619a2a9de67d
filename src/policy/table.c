/* SPDX-License-Identifier: MIT
 *
 * One line per origin and grade, one column per capability. Three things were weighed:
 *
 * - What is contained has nothing to lose: no network, no secrets, an overlay that is dropped. So
 *   contained computing is given where anything is given at all, and questions are kept for what
 *   leaves the box. The rules of the middle lane flag almost every second benign program; if they
 *   asked about computing, nobody would read the questions. In `strict` they ask.
 * - Code that ties to an untrusted source is what the gate is for. In `strict` it does nothing
 *   unasked; in `balanced` it computes, contained, only if no rule at all found anything.
 * - A line is never more generous than the one of a better origin or a better grade, and `strict`
 *   never more than `balanced`: tests/unit/test_policy_table.c holds the tables to it.
 *
 * There are no lines for hostile code and none for findings that deny: zero is deny.
 */
#include "policy/table.h"

#include <stddef.h>

#define DENY VERDICT_DENY
#define TWO VERDICT_ASK_TWO
#define ASK VERDICT_ASK
#define BOX VERDICT_CONTAINED
#define YES VERDICT_ALLOW

struct cells {
	enum verdict at[ORIGIN_COUNT][GRADE_COUNT][CAP_COUNT];
};

struct ceilings {
	enum verdict at[ORIGIN_COUNT][CAP_COUNT];
};

/* clang-format off */

static const struct cells strict_cells = {.at = {
	/*                                  compute read write net   secret host */
	[ORIGIN_DERIVED] = {[GRADE_NONE]  = {ASK,   ASK,  ASK,  TWO,  DENY,  DENY},
			    [GRADE_SHOWN] = {ASK,   ASK,  ASK,  TWO,  DENY,  DENY},
			    [GRADE_ASKS]  = {TWO,   TWO,  TWO,  DENY, DENY,  DENY}},
	[ORIGIN_EXPOSED] = {[GRADE_NONE]  = {BOX,   BOX,  ASK,  TWO,  DENY,  DENY},
			    [GRADE_SHOWN] = {BOX,   BOX,  ASK,  TWO,  DENY,  DENY},
			    [GRADE_ASKS]  = {ASK,   ASK,  TWO,  TWO,  DENY,  DENY}},
	[ORIGIN_AGENT]   = {[GRADE_NONE]  = {YES,   YES,  ASK,  ASK,  TWO,   DENY},
			    [GRADE_SHOWN] = {YES,   YES,  ASK,  ASK,  TWO,   DENY},
			    [GRADE_ASKS]  = {ASK,   ASK,  ASK,  ASK,  TWO,   DENY}},
	[ORIGIN_USER]    = {[GRADE_NONE]  = {YES,   YES,  YES,  ASK,  ASK,   DENY},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  ASK,  ASK,   DENY},
			    [GRADE_ASKS]  = {ASK,   ASK,  ASK,  ASK,  ASK,   DENY}},
	[ORIGIN_PLAN]    = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  ASK,   DENY},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  ASK,   DENY},
			    [GRADE_ASKS]  = {ASK,   ASK,  ASK,  ASK,  ASK,   DENY}},
}};

static const struct cells balanced_cells = {.at = {
	/*                                  compute read write net   secret host */
	[ORIGIN_DERIVED] = {[GRADE_NONE]  = {BOX,   ASK,  ASK,  ASK,  DENY,  DENY},
			    [GRADE_SHOWN] = {ASK,   ASK,  ASK,  ASK,  DENY,  DENY},
			    [GRADE_ASKS]  = {ASK,   ASK,  TWO,  TWO,  DENY,  DENY}},
	[ORIGIN_EXPOSED] = {[GRADE_NONE]  = {BOX,   BOX,  ASK,  ASK,  TWO,   DENY},
			    [GRADE_SHOWN] = {BOX,   BOX,  ASK,  ASK,  TWO,   DENY},
			    [GRADE_ASKS]  = {BOX,   ASK,  ASK,  TWO,  TWO,   DENY}},
	[ORIGIN_AGENT]   = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  ASK,   DENY},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  ASK,   DENY},
			    [GRADE_ASKS]  = {BOX,   BOX,  ASK,  ASK,  TWO,   DENY}},
	[ORIGIN_USER]    = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  ASK,   TWO},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  ASK,   TWO},
			    [GRADE_ASKS]  = {BOX,   BOX,  ASK,  ASK,  ASK,   TWO}},
	[ORIGIN_PLAN]    = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  ASK,   TWO},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  ASK,   TWO},
			    [GRADE_ASKS]  = {BOX,   BOX,  ASK,  ASK,  ASK,   TWO}},
}};

/* As balanced, but nobody is asked: what would be a question runs contained, without the thing that
 * would have been asked for. What balanced denies stays denied. */
static const struct cells observe_cells = {.at = {
	/*                                  compute read write net   secret host */
	[ORIGIN_DERIVED] = {[GRADE_NONE]  = {BOX,   BOX,  BOX,  BOX,  DENY,  DENY},
			    [GRADE_SHOWN] = {BOX,   BOX,  BOX,  BOX,  DENY,  DENY},
			    [GRADE_ASKS]  = {BOX,   BOX,  BOX,  BOX,  DENY,  DENY}},
	[ORIGIN_EXPOSED] = {[GRADE_NONE]  = {BOX,   BOX,  BOX,  BOX,  BOX,   DENY},
			    [GRADE_SHOWN] = {BOX,   BOX,  BOX,  BOX,  BOX,   DENY},
			    [GRADE_ASKS]  = {BOX,   BOX,  BOX,  BOX,  BOX,   DENY}},
	[ORIGIN_AGENT]   = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  BOX,   DENY},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  BOX,   DENY},
			    [GRADE_ASKS]  = {BOX,   BOX,  BOX,  BOX,  BOX,   DENY}},
	[ORIGIN_USER]    = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  BOX,   BOX},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  BOX,   BOX},
			    [GRADE_ASKS]  = {BOX,   BOX,  BOX,  BOX,  BOX,   BOX}},
	[ORIGIN_PLAN]    = {[GRADE_NONE]  = {YES,   YES,  YES,  YES,  BOX,   BOX},
			    [GRADE_SHOWN] = {YES,   YES,  YES,  YES,  BOX,   BOX},
			    [GRADE_ASKS]  = {BOX,   BOX,  BOX,  BOX,  BOX,   BOX}},
}};

/* Code that ties to an untrusted source never writes, connects or reads a secret without a person,
 * whatever a rule says; nor does anything leave the box's bounds. */
static const struct ceilings strict_ceilings = {.at = {
	/*                   compute read write net   secret host */
	[ORIGIN_DERIVED] = {ASK,    ASK,  ASK,  TWO,  DENY,  DENY},
	[ORIGIN_EXPOSED] = {BOX,    BOX,  ASK,  ASK,  TWO,   DENY},
	[ORIGIN_AGENT]   = {YES,    YES,  YES,  YES,  ASK,   DENY},
	[ORIGIN_USER]    = {YES,    YES,  YES,  YES,  ASK,   TWO},
	[ORIGIN_PLAN]    = {YES,    YES,  YES,  YES,  YES,   TWO},
}};

static const struct ceilings usual_ceilings = {.at = {
	/*                   compute read write net   secret host */
	[ORIGIN_DERIVED] = {BOX,    BOX,  ASK,  ASK,  DENY,  DENY},
	[ORIGIN_EXPOSED] = {YES,    YES,  YES,  YES,  ASK,   DENY},
	[ORIGIN_AGENT]   = {YES,    YES,  YES,  YES,  YES,   TWO},
	[ORIGIN_USER]    = {YES,    YES,  YES,  YES,  YES,   ASK},
	[ORIGIN_PLAN]    = {YES,    YES,  YES,  YES,  YES,   ASK},
}};

/* clang-format on */

/* However far an origin may be loosened: with such findings no further than this. */
static const enum verdict grade_ceilings[GRADE_COUNT] = {
	[GRADE_NONE] = YES, [GRADE_SHOWN] = YES, [GRADE_ASKS] = BOX, [GRADE_DENIES] = DENY};

static const struct {
	const char *name, *help;
	const struct cells *cells;
	const struct ceilings *ceilings;
	enum tier tier;
} profiles[POLICY_PROFILES] = {
	[POLICY_STRICT] = {"strict", "asks before anything is changed or sent, and about findings",
			   &strict_cells, &strict_ceilings, TIER_FULL},
	[POLICY_BALANCED] = {"balanced", "asks about what leaves the box and is not trusted",
			     &balanced_cells, &usual_ceilings, TIER_NO_CGROUP},
	[POLICY_OBSERVE] = {"observe", "asks nobody: what balanced would ask about runs contained",
			    &observe_cells, &usual_ceilings, TIER_NO_USERNS},
};

const char *policy_profile_name(unsigned profile)
{
	return profile < POLICY_PROFILES ? profiles[profile].name : NULL;
}

const char *policy_profile_help(unsigned profile)
{
	return profile < POLICY_PROFILES ? profiles[profile].help : NULL;
}

enum tier policy_profile_tier(enum policy_profile profile)
{
	return profiles[profile].tier;
}

enum verdict policy_cell(enum policy_profile profile, enum origin origin, enum grade grade,
			 enum cap cap)
{
	return profiles[profile].cells->at[origin][grade][cap];
}

enum verdict policy_ceiling(enum policy_profile profile, enum origin origin, enum grade grade,
			    enum cap cap)
{
	enum verdict cell = policy_cell(profile, origin, grade, cap);
	enum verdict most = profiles[profile].ceilings->at[origin][cap];

	if (most > grade_ceilings[grade])
		most = grade_ceilings[grade];
	return most > cell ? most : cell;
}
