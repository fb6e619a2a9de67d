/* SPDX-License-Identifier: MIT
 *
 * What a pack is compiled to: which expression belongs to which condition of which rule and looks
 * at which field, which rules an event is held against, and which of them must be evaluated even
 * when no expression matched. Made once; scanning only reads it.
 */
#ifndef CORDON_DETECT_RULESET_H
#define CORDON_DETECT_RULESET_H

#include "detect/engine.h"
#include "detect/patterns.h"

#define RULESET_FIELDS_MAX 256	/* different fields that rules name */
#define RULESET_MARKS_MAX 16384 /* steps of sequences, patterns and tools that are counted */

/* Kinds of events that the same rules are held against. Those before ANY are enum event_type. */
enum ruleset_class {
	CLASS_ANY = EVENT_MCP_EXCHANGE, /* rules of every source */
	CLASS_SKILL,
	CLASS_COUNT,
};

/* How a rule is evaluated. */
enum ruleset_kind { RULESET_OFF, RULESET_CONDITIONS, RULESET_SIGNATURE, RULESET_TRACE };

struct ruleset_field {
	enum field field;
	const char *name;
};

/* One pattern of one condition. */
struct ruleset_use {
	uint32_t rule, field;
	uint32_t pattern; /* or PATTERN_NONE */
	uint32_t mark;	  /* by which it is counted in sessions, or PATTERN_NONE */
};

enum metric_kind { METRIC_OF_EVENT, METRIC_CALLS, METRIC_PATTERNS, METRIC_EVENTS };

struct ruleset_condition {
	uint32_t field;
	uint32_t first_use;  /* one for each of its patterns */
	uint32_t first_step; /* a mark; the condition's steps have consecutive ones */
	enum metric_kind metric;
	uint32_t mark; /* what the metric counts, or PATTERN_NONE */
};

struct ruleset_rule {
	enum ruleset_kind kind;
	uint8_t classes; /* a bit for each class that the rule is admitted to */
	bool always;	 /* may match without a hit */
	/* Matches in quoted code do not count: in a skill, elsewhere. */
	bool suppress_in_skill, suppress;
	uint32_t first_condition;
	uint32_t first_regex; /* of its trace block, in the order of patterns_in_trace() */
};

/* One step of a sequence: PATTERNC places from FIRST on. */
struct ruleset_step {
	uint32_t first, patternc;
};

struct ruleset {
	const struct pack *pack;
	size_t patternc;
	size_t fieldc;
	struct ruleset_field *field;
	struct ruleset_rule *rule;
	struct ruleset_condition *condition;
	size_t usec;
	struct ruleset_use *use;
	uint32_t *use_at, *use_of; /* uses of pattern P: use_of[use_at[P]] up to use_at[P + 1] */
	/* Patterns to ask about for an event of a class when a text is in a field. */
	size_t words;
	uint64_t *wanted; /* [class][field][words] */
	size_t alwaysc[CLASS_COUNT];
	uint32_t *always[CLASS_COUNT];
	size_t tracec;
	uint32_t *trace;
	size_t regexc; /* of trace blocks */
	uint32_t *regex;
	size_t stepc, step_patternc, conditionc;
	struct ruleset_step *step;
	uint32_t *step_pattern;
	uint64_t *wanted_steps;
	/* Marks: steps first, then tools, then patterns. */
	size_t markc, toolc;
	const char **tool;
	bool sessions; /* somebody asks about earlier events */
};

/* PATTERNS need not stay. */
int ruleset_make(const struct pack *pack, const struct pattern_list *patterns,
		 const struct engine_options *options, struct arena *arena, struct ruleset *ret,
		 struct err *err);

static inline const uint64_t *ruleset_wanted(const struct ruleset *p, unsigned class, size_t field)
{
	return p->wanted + (class * p->fieldc + field) * p->words;
}

#endif
