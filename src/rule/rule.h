/* SPDX-License-Identifier: MIT
 *
 * One rule as the engine wants it: words are numbers, patterns are bytes, conditions are in order.
 * What only some methods use stays a tree of nodes. All of it lives in its pack's arena. Reading
 * follows the reference (agent-threat-rules 4.0.0), also where that is lax: rule_check tells what
 * is wrong with a rule that can nevertheless be loaded.
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
	CONDITION_NEVER, /* names nothing that could be tested: false, as in the reference */
	CONDITION_TEXT,
	CONDITION_METRIC,
	CONDITION_SEQUENCE,
};

struct rule_step {
	size_t patternc;
	const struct text *pattern; /* any of them; regular expressions, flag i, nothing stripped */
};

struct rule_condition {
	enum condition_kind kind;
	unsigned line;
	struct text name;	 /* its name in a map, its index in a list */
	const struct node *node; /* as it was written */
	/* CONDITION_TEXT */
	enum rule_operator op;
	enum field field;
	const char *field_name;
	size_t patternc; /* in a list always one */
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

/* How the conditions come together. */
enum combine {
	COMBINE_ALL,	    /* also when there are none */
	COMBINE_ANY,	    /* the first that matches counts, the rest is not looked at */
	COMBINE_EXPRESSION, /* conditions have names: all are looked at, the expression decides */
};

struct rule {
	const char *id, *title;
	enum rule_status status;
	enum maturity maturity;
	enum severity severity;
	const char *severity_name;	    /* as written */
	const char *category, *subcategory; /* "" when not named */
	enum scan_target target;
	enum confidence confidence;
	bool suppress_in_code_blocks;
	bool confirm_embedding; /* fires only in lane hunt: nobody here could confirm it */
	enum rule_source source;
	enum method method;
	bool falls_back; /* semantic: evaluated as pattern */
	enum combine combine;
	const char *expression; /* detection.condition as written, "" when it is no string */
	size_t conditionc;
	const struct rule_condition *condition;
	size_t actionc;
	const enum action *action; /* in the rule's order */
	const char *const *action_name;
	const struct node *signature, *trace;	       /* their block, or NULL */
	const struct node *test_cases, *evasion_tests; /* or NULL */
	const struct node *root;		       /* the whole document */
	const char *file;			       /* as it was opened */
	unsigned line;				       /* of the id */
	unsigned order; /* in the pack: ties between findings go by it */
};

/* Reads the document ROOT. Fails, with a line, only where there is no rule in it: the same three
 * keys are missing that the reference asks for, or one of the maxima is exceeded. */
int rule_parse(const struct node *root, const char *file, struct arena *arena, struct rule *ret,
	       unsigned *ret_line, struct err *err);
/* "5m", "30 s", "1h" in milliseconds; five minutes for anything else. */
uint64_t rule_window_ms(const char *text);
/* Is it evaluated at all, in this lane? */
bool rule_is_live(const struct rule *rule, enum lane lane);

enum rule_level { RULE_WARNING, RULE_ERROR };

/* One complaint about a rule or a file. */
struct rule_report {
	enum rule_level level;
	const char *file;
	unsigned line;	/* 0: the file as a whole */
	const char *id; /* "" when it is not known */
	const char *words;
};

typedef void rule_report_fn(void *context, const struct rule_report *report);

/* Holds the rule to the ATR schema. Errors: it cannot work as written. Warnings: it works, but is
 * not what the schema asks for. Returns the number of errors. */
size_t rule_check(const struct rule *rule, rule_report_fn *report, void *context);

#endif
