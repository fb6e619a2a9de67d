/* SPDX-License-Identifier: MIT
 *
 * The gate's terms: origins of code, effects, grades of findings, verdicts. A row's name is its name
 * everywhere: policy, command line, JSON, log. The order of a list has a meaning. The zero values are
 * hostile and deny.
 */
#ifndef CORDON_MODEL_GATE_TERMS_H
#define CORDON_MODEL_GATE_TERMS_H

/* Where code came from. Least trusted first. */
enum origin {
	ORIGIN_HOSTILE,
	ORIGIN_DERIVED,
	ORIGIN_EXPOSED,
	ORIGIN_AGENT,
	ORIGIN_USER,
	ORIGIN_PLAN,
	ORIGIN_COUNT,
};

/* Effects outside the box; a set of them is bits. */
enum cap { CAP_WRITE, CAP_NET, CAP_SECRET, CAP_COUNT };
#define CAP_BIT(c) (1U << (c))
#define CAP_ALL (CAP_BIT(CAP_COUNT) - 1)

/* What the rules' findings do to a run; of several findings, the worst. */
enum grade { GRADE_NONE, GRADE_SHOWN, GRADE_ASKS, GRADE_DENIES, GRADE_COUNT };

/* Whether code runs. Strictest first. */
enum verdict { VERDICT_DENY, VERDICT_ASK, VERDICT_ALLOW, VERDICT_COUNT };

/* The decision on an effect that a run or an apply wants. */
enum outcome {
	OUTCOME_WITHHELD, /* and no person can be asked */
	OUTCOME_WAITS,	  /* for a person */
	OUTCOME_POLICY,	  /* given by the policy */
	OUTCOME_TICKET,	  /* given by a plan, an approval or a grant */
	OUTCOME_COUNT,
};

/* What an agent read; a set of them is bits. */
enum source_kind {
	FROM_WEB,
	FROM_FILE,
	FROM_TOOL_RESULT,
	FROM_TOOL_META,
	FROM_RESOURCE,
	FROM_PROMPT,
	FROM_INSTRUCTIONS,
	FROM_RUN_OUTPUT,
	FROM_COUNT,
};

/* What an approval covers. Strictest first. */
enum scope { SCOPE_ONCE, SCOPE_DIFF, SCOPE_PROGRAM, SCOPE_GRANT, SCOPE_COUNT };

/* Names by number; NULL past the end. */
const char *origin_name(unsigned origin);
const char *cap_name(unsigned cap);
const char *grade_name(unsigned grade);
const char *verdict_name(unsigned verdict);
const char *outcome_name(unsigned outcome);
const char *source_kind_name(unsigned kind);
const char *scope_name(unsigned scope);

/* What each means, for people; NULL past the end. */
const char *origin_help(unsigned origin);
const char *grade_help(unsigned grade);
const char *source_kind_help(unsigned kind);
const char *scope_help(unsigned scope);

/* What code with this effect could do, to follow "it could". */
const char *cap_reach(enum cap cap);
/* The grade of a finding by its rule's lane (enforce, alert, hunt). Any other word denies. */
enum grade grade_of_lane(const char *lane);

#endif
