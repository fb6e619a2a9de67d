/* SPDX-License-Identifier: MIT
 *
 * One rule as the engine needs it: words are numbers, patterns are bytes, conditions are in order.
 * Parts that only some methods use stay a tree of nodes. All memory is in the pack's arena. Parsing
 * follows the reference (agent-threat-rules 4.0.0), also where that is lax; rule_check reports the
 * errors of a rule that can nevertheless be loaded.
 */
#ifndef CORDON_RULE_RULE_H
#define CORDON_RULE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "rule/vocab.h"
#include "yaml/node.h"

#define RULE_ID_MAX 64		/* bytes */
#define RULE_CONDITIONS_MAX 256 /* per rule */
#define RULE_PATTERNS_MAX 1024	/* per condition, and steps of a sequence */
#define RULE_PATTERN_BYTES_MAX 16384
#define RULE_ACTIONS_MAX 32

enum condition_kind {
	CONDITION_NEVER, /* has nothing to test: always false, as in the reference */
	CONDITION_TEXT,
	CONDITION_METRIC,
	CONDITION_SEQUENCE,
};

struct rule_step {
	size_t patternc;
	const struct text
		*pattern; /* one must match; regular expressions with flag i, not stripped */
};

struct rule_condition {
	enum condition_kind kind;
	unsigned line;
	struct text name;	 /* its key in a map, its index in a list */
	const struct node *node; /* its part of the document */
	/* CONDITION_TEXT */
	enum rule_operator op;
	enum field field;
	const char *field_name;
	size_t patternc; /* always 1 in a list */
	const struct text *pattern;
	bool case_sensitive;  /* only in a map */
	const char *language; /* or NULL */
	/* CONDITION_METRIC */
	const char *metric;
	enum compare compare;
	double threshold;
	/* CONDITION_SEQUENCE */
	bool ordered;
	size_t stepc;
	const struct rule_step *step;
	/* the last two */
	uint64_t window_ms;
};

/* How the conditions are combined. */
enum combine {
	COMBINE_ALL,	    /* true also without conditions */
	COMBINE_ANY,	    /* stops at the first that matches */
	COMBINE_EXPRESSION, /* tests all; the expression over their names decides */
};

struct rule {
	const char *id, *title;
	enum rule_status status;
	enum maturity maturity;
	enum severity severity;
	const char *severity_name;	    /* as written */
	const char *category, *subcategory; /* or "" */
	enum scan_target target;
	enum confidence confidence;
	bool suppress_in_code_blocks;
	bool confirm_embedding; /* fires only in lane hunt, because Cordon cannot confirm it */
	enum rule_source source;
	enum method method;
	bool falls_back; /* semantic: evaluated as pattern */
	enum combine combine;
	const char *expression; /* detection.condition as written; "" if it is not a string */
	size_t conditionc;
	const struct rule_condition *condition;
	size_t actionc;
	const enum action *action; /* in the rule's order */
	const char *const *action_name;
	const struct node *signature, *trace;	       /* their block, or NULL */
	const struct node *test_cases, *evasion_tests; /* or NULL */
	const struct node *root;		       /* the whole document */
	const char *file;			       /* the path that was opened */
	unsigned line;				       /* of the id */
	unsigned order; /* in the pack; sorts findings that are otherwise equal */
};

/* Parses the document ROOT. Fails, with a line, only if one of the three keys is missing that the
 * reference requires, or a maximum is exceeded. */
int rule_parse(const struct node *root, const char *file, struct arena *arena, struct rule *ret,
	       unsigned *ret_line, struct err *err);
/* "5m", "30 s", "1h" in milliseconds; five minutes for anything else. */
uint64_t rule_window_ms(const char *text);
/* Is the rule evaluated in this lane? */
bool rule_is_live(const struct rule *rule, enum lane lane);

enum rule_level { RULE_WARNING, RULE_ERROR };

/* One complaint about a rule or a file. */
struct rule_report {
	enum rule_level level;
	const char *file;
	unsigned line;	/* 0: the whole file */
	const char *id; /* "": unknown */
	const char *words;
};

typedef void rule_report_fn(void *context, const struct rule_report *report);

/* Checks the rule against the ATR schema. An error: it cannot work as written. A warning: it works,
 * but violates the schema. Returns the number of errors. */
size_t rule_check(const struct rule *rule, rule_report_fn *report, void *context);

#endif
