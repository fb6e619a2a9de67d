/* SPDX-License-Identifier: MIT
 *
 * The tables of the gate's words.
 */
#include "model/gate_terms.h"

#include <stddef.h>
#include <string.h>

struct word {
	const char *name, *help, *more;
};

static const struct word origins[ORIGIN_COUNT] = {
	[ORIGIN_HOSTILE] = {"hostile", "a rule of the deny grade found something in the code",
			    NULL},
	[ORIGIN_DERIVED] = {"derived", "parts of the code stand in an untrusted document", NULL},
	[ORIGIN_EXPOSED] = {"exposed", "something untrusted entered the conversation or the run",
			    NULL},
	[ORIGIN_AGENT] = {"agent", "nothing untrusted entered the conversation", NULL},
	[ORIGIN_USER] = {"user", "the user typed it, or the host attests that", NULL},
	[ORIGIN_PLAN] = {"plan", "it was planned while its conversation was clean", NULL},
};

static const struct {
	const char *name, *reach;
} caps[CAP_COUNT] = {
	[CAP_WRITE] = {"write", "change and delete files of the directory"},
	[CAP_NET] = {"net", "send what it can read to these hosts, and fetch from them"},
	[CAP_SECRET] = {"secret", "act at the secret's host in your name"},
};

/* The last column: the lane whose findings are of this grade. */
static const struct word grades[GRADE_COUNT] = {
	[GRADE_NONE] = {"none", "nothing was found", NULL},
	[GRADE_SHOWN] = {"shown", "a rule of the widest lane, which flags much benign code: told",
			 "hunt"},
	[GRADE_ASKS] = {"asks", "a rule of the middle lane: derived code waits for a person",
			"alert"},
	[GRADE_DENIES] = {"denies", "a mature rule: the code is hostile", "enforce"},
};

static const char *const verdicts[VERDICT_COUNT] = {
	[VERDICT_DENY] = "deny",
	[VERDICT_ASK] = "ask",
	[VERDICT_ALLOW] = "allow",
};

static const char *const outcomes[OUTCOME_COUNT] = {
	[OUTCOME_WITHHELD] = "withheld",
	[OUTCOME_WAITS] = "waits",
	[OUTCOME_POLICY] = "policy",
	[OUTCOME_TICKET] = "ticket",
};

static const struct word kinds[FROM_COUNT] = {
	[FROM_WEB] = {"web", "web page", NULL},
	[FROM_FILE] = {"file", "file", NULL},
	[FROM_TOOL_RESULT] = {"tool_result", "answer of the tool", NULL},
	[FROM_TOOL_META] = {"tool_meta", "description of the tool", NULL},
	[FROM_RESOURCE] = {"resource", "resource", NULL},
	[FROM_PROMPT] = {"prompt", "prompt", NULL},
	[FROM_INSTRUCTIONS] = {"instructions", "instructions", NULL},
	[FROM_RUN_OUTPUT] = {"run_output", "output", NULL},
};

static const struct word scopes[SCOPE_COUNT] = {
	[SCOPE_ONCE] = {"once", "this one time", NULL},
	[SCOPE_DIFF] = {"diff", "these changes, each time they are applied until it ends", "diff"},
	[SCOPE_PROGRAM] = {"program",
			   "this program with these inputs, each time it runs until it ends",
			   "run"},
	[SCOPE_GRANT] =
		{"grant",
		 "this one time, and the conversation gets a grant of what is asked for until it "
		 "ends",
		 NULL},
};

#define WORDS(noun, table, count)                                                                  \
	const char *noun##_name(unsigned i)                                                        \
	{                                                                                          \
		return i < (count) ? (table)[i].name : NULL;                                       \
	}                                                                                          \
	const char *noun##_help(unsigned i)                                                        \
	{                                                                                          \
		return i < (count) ? (table)[i].help : NULL;                                       \
	}

WORDS(origin, origins, ORIGIN_COUNT)
WORDS(grade, grades, GRADE_COUNT)
WORDS(source_kind, kinds, FROM_COUNT)
WORDS(scope, scopes, SCOPE_COUNT)

const char *cap_name(unsigned cap)
{
	return cap < CAP_COUNT ? caps[cap].name : NULL;
}

const char *verdict_name(unsigned verdict)
{
	return verdict < VERDICT_COUNT ? verdicts[verdict] : NULL;
}

const char *outcome_name(unsigned outcome)
{
	return outcome < OUTCOME_COUNT ? outcomes[outcome] : NULL;
}

const char *cap_reach(enum cap cap)
{
	return caps[cap].reach;
}

enum grade grade_of_lane(const char *lane)
{
	for (unsigned i = 0; i < GRADE_COUNT; i++)
		if (grades[i].more && strcmp(grades[i].more, lane) == 0)
			return (enum grade)i;
	return GRADE_DENIES;
}
