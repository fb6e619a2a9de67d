/* SPDX-License-Identifier: MIT
 *
 * A compiled pack: which expression belongs to which condition of which rule and applies to which
 * field; the rules for each kind of event; and the rules to evaluate even when no expression
 * matched. It is made once; a scan only reads it.
 */
#ifndef CORDON_DETECT_RULESET_H
#define CORDON_DETECT_RULESET_H

#include "detect/engine.h"
#include "detect/patterns.h"

#define RULESET_FIELDS_MAX 256	/* distinct fields that rules name */
#define RULESET_MARKS_MAX 16384 /* counted steps of sequences, patterns and tools */

/* Kinds of events to which the same rules apply. Those before ANY are enum event_type. */
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
	uint32_t mark;	  /* its mark in sessions, or PATTERN_NONE */
};

enum metric_kind { METRIC_OF_EVENT, METRIC_CALLS, METRIC_PATTERNS, METRIC_EVENTS };

struct ruleset_condition {
	uint32_t field;
	uint32_t first_use;  /* one for each of its patterns */
	uint32_t first_step; /* a mark; the condition's steps have consecutive ones */
	enum metric_kind metric;
	uint32_t mark; /* the mark that the metric counts, or PATTERN_NONE */
};

struct ruleset_rule {
	enum ruleset_kind kind;
	uint8_t classes; /* a bit for each class to which the rule applies */
	bool always;	 /* may match without a hit */
	/* Ignore matches in quoted code: in a skill, elsewhere. */
	bool suppress_in_skill, suppress;
	uint32_t first_condition;
	uint32_t first_regex; /* of its trace block, in the order of patterns_in_trace() */
};

/* A step of a sequence: PATTERNC places from FIRST on. */
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
	/* the uses of pattern P: use_of[use_at[P]] up to use_at[P + 1] */
	uint32_t *use_at, *use_of;
	/* The patterns to ask for a text in a field, by class of event. */
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
	bool sessions; /* some rule asks about earlier events */
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
