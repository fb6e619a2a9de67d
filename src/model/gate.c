/* SPDX-License-Identifier: MIT
 *
 * The tables of the gate's words.
 */
#include "model/gate.h"

#include <stddef.h>
#include <string.h>

struct word {
	const char *name, *help, *more;
};

static const struct word origins[ORIGIN_COUNT] = {
	[ORIGIN_HOSTILE] = {"hostile", "the source or the code has a finding of the deny grade",
			    NULL},
	[ORIGIN_DERIVED] = {"derived", "parts of the code tie to an untrusted source", NULL},
	[ORIGIN_EXPOSED] = {"exposed", "untrusted content was seen before, or nothing is known",
			    NULL},
	[ORIGIN_AGENT] = {"agent", "the agent's own; nothing untrusted was seen before", NULL},
	[ORIGIN_USER] = {"user", "the host attests that the user typed it", NULL},
	[ORIGIN_PLAN] = {"plan", "its hash was fixed before anything untrusted was seen", NULL},
};

/* The last column: what it could reach. */
static const struct word caps[CAP_COUNT] = {
	[CAP_COMPUTE] = {"compute", "run in the box, with a /tmp of its own and nothing else",
			 "use processor and memory up to the limits"},
	[CAP_READ] = {"read", "see the workspace; what it writes there stays in an overlay",
		      "read every file of the workspace"},
	[CAP_WRITE] = {"write", "change the workspace: commit the overlay, or :rw",
		       "change and delete files of the workspace"},
	[CAP_NET] = {"net", "connect to hosts of --net and of the policy's allow-list",
		     "send what it can read to the listed hosts, and fetch from them"},
	[CAP_SECRET] = {"secret", "get secrets: keys, tokens, passwords",
			"use the secrets, and print them"},
	[CAP_HOST] = {"host", "leave the box's bounds: unlisted hosts, or what outlives the run",
		      "reach hosts that no list names, and leave things behind on this machine"},
};

/* The last column: the lane whose findings are of this grade. */
static const struct word grades[GRADE_COUNT] = {
	[GRADE_NONE] = {"none", "nothing was found", NULL},
	[GRADE_SHOWN] = {"shown", "a rule of the widest lane, which flags much benign code: told",
			 "hunt"},
	[GRADE_ASKS] = {"asks",
			"a rule of the middle lane: what is more than contained needs a person",
			"alert"},
	[GRADE_DENIES] = {"denies", "a mature rule: the code is hostile", "enforce"},
};

static const struct word verdicts[VERDICT_COUNT] = {
	[VERDICT_DENY] = {"deny", "it is not run", NULL},
	[VERDICT_ASK_TWO] = {"ask-two", "two people must agree first", NULL},
	[VERDICT_ASK] = {"ask", "a person must agree first", NULL},
	[VERDICT_CONTAINED] = {"allow-contained",
			       "it runs in the strictest box, without what is not granted", NULL},
	[VERDICT_ALLOW] = {"allow", "it runs in the box, with what it asked for", NULL},
};

static const struct word kinds[FROM_COUNT] = {
	[FROM_WEB] = {"web", "a page or a download", NULL},
	[FROM_FILE] = {"file", "a file the agent read", NULL},
	[FROM_TOOL_RESULT] = {"tool_result", "what a tool gave back, errors included", NULL},
	[FROM_TOOL_META] = {"tool_meta", "a tool's own description", NULL},
	[FROM_RESOURCE] = {"resource", "a resource of an MCP server", NULL},
	[FROM_PROMPT] = {"prompt", "a prompt that somebody else wrote", NULL},
	[FROM_INSTRUCTIONS] = {"instructions", "instructions of a server or a skill", NULL},
	[FROM_RUN_OUTPUT] = {"run_output", "output of an earlier run, or a file it wrote", NULL},
};

static const struct word scopes[SCOPE_COUNT] = {
	[SCOPE_ONCE] = {"once", "for this one run", NULL},
	[SCOPE_DOMAIN] = {"domain",
			  "for the same in the same conversation, as a plan, until it expires",
			  NULL},
	[SCOPE_HASH] = {"hash", "for the same in any conversation, as a plan, until it expires",
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
WORDS(cap, caps, CAP_COUNT)
WORDS(grade, grades, GRADE_COUNT)
WORDS(verdict, verdicts, VERDICT_COUNT)
WORDS(source_kind, kinds, FROM_COUNT)
WORDS(scope, scopes, SCOPE_COUNT)

const char *cap_reach(enum cap cap)
{
	return caps[cap].more;
}

enum grade grade_of_lane(const char *lane)
{
	for (unsigned i = 0; i < GRADE_COUNT; i++)
		if (grades[i].more && strcmp(grades[i].more, lane) == 0)
			return (enum grade)i;
	return GRADE_DENIES;
}
