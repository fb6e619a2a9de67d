/* SPDX-License-Identifier: MIT
 *
 * The words of the ATR format: every enumeration with its names, what each means, and what the
 * engine needs to know about it. A new word is a row here; loading, checking, help and scanning
 * read the same rows. The last member of an enumeration that rules may get wrong stands for "some
 * other word": the reference loads such rules, and so do we.
 */
#ifndef CORDON_RULE_VOCAB_H
#define CORDON_RULE_VOCAB_H

#include <stdbool.h>

enum severity {
	SEVERITY_CRITICAL, /* in the order of findings */
	SEVERITY_HIGH,
	SEVERITY_MEDIUM,
	SEVERITY_LOW,
	SEVERITY_INFORMATIONAL,
	SEVERITY_OTHER, /* sorts with informational */
};

enum rule_status {
	RULE_STATUS_DRAFT,
	RULE_STATUS_EXPERIMENTAL,
	RULE_STATUS_STABLE,
	RULE_STATUS_DEPRECATED,
	RULE_STATUS_OTHER
};

enum maturity {
	MATURITY_DRAFT,
	MATURITY_EXPERIMENTAL,
	MATURITY_TEST,
	MATURITY_STABLE,
	MATURITY_DEPRECATED,
	MATURITY_OTHER, /* lanes treat it as experimental */
};

enum lane { LANE_HUNT, LANE_ALERT, LANE_ENFORCE, LANE_COUNT };

enum rule_source {
	SOURCE_LLM_IO,
	SOURCE_TOOL_CALL,
	SOURCE_MCP_EXCHANGE,
	SOURCE_AGENT_BEHAVIOR,
	SOURCE_MULTI_AGENT_COMM,
	SOURCE_CONTEXT_WINDOW,
	SOURCE_MEMORY_ACCESS,
	SOURCE_SKILL_LIFECYCLE,
	SOURCE_SKILL_PERMISSION,
	SOURCE_SKILL_CHAIN,
	SOURCE_AGENT_TRACE,
	SOURCE_OTHER, /* only events of unknown type are matched with it */
};

enum event_type {
	EVENT_LLM_INPUT,
	EVENT_LLM_OUTPUT,
	EVENT_TOOL_CALL,
	EVENT_TOOL_RESPONSE,
	EVENT_AGENT_BEHAVIOR,
	EVENT_MULTI_AGENT_MESSAGE,
	EVENT_MCP_EXCHANGE,
	EVENT_OTHER,
};

enum field {
	FIELD_CONTENT,
	FIELD_USER_INPUT,
	FIELD_AGENT_OUTPUT,
	FIELD_TOOL_NAME,
	FIELD_TOOL_ARGS,
	FIELD_TOOL_RESPONSE,
	FIELD_TOOL_DESCRIPTION,
	FIELD_TOOL_INPUT,
	FIELD_AGENT_MESSAGE,
	FIELD_METRIC,
	FIELD_OTHER, /* of the event's own fields or metadata, by its name */
	FIELD_NONE,
};

enum rule_operator {
	OPERATOR_REGEX,
	OPERATOR_CONTAINS,
	OPERATOR_EXACT,
	OPERATOR_STARTS_WITH,
	OPERATOR_OTHER
};

enum compare {
	COMPARE_GT,
	COMPARE_LT,
	COMPARE_EQ,
	COMPARE_GTE,
	COMPARE_LTE,
	COMPARE_DEVIATION, /* |value| > threshold */
	COMPARE_OTHER,
};

enum method {
	METHOD_PATTERN,
	METHOD_SEMANTIC,
	METHOD_SIGNATURE,
	METHOD_BEHAVIORAL,
	METHOD_TRACE,
	METHOD_OTHER, /* evaluated as pattern */
};

enum scan_target {
	TARGET_MCP,
	TARGET_SKILL,
	TARGET_BOTH,
	TARGET_RUNTIME,
	TARGET_LLM_IO, /* from here on: not in the schema, used by rules */
	TARGET_LLM,
	TARGET_USER_INPUT,
	TARGET_TOOL_CALL,
	TARGET_TOOL_ARGS,
	TARGET_TOOL_OUTPUT,
	TARGET_TOOL_RESPONSE,
	TARGET_OTHER, /* also: none named */
};

enum confidence { CONFIDENCE_HIGH, CONFIDENCE_MEDIUM, CONFIDENCE_LOW, CONFIDENCE_OTHER };

enum action {
	ACTION_KILL_AGENT, /* in the order in which the reference carries them out */
	ACTION_BLOCK_INPUT,
	ACTION_BLOCK_OUTPUT,
	ACTION_BLOCK_TOOL,
	ACTION_QUARANTINE_SESSION,
	ACTION_REDUCE_PERMISSIONS,
	ACTION_RESET_CONTEXT,
	ACTION_ALERT,
	ACTION_ESCALATE,
	ACTION_SNAPSHOT,
	ACTION_SHADOW,
	ACTION_REQUIRE_HUMAN_REVIEW, /* from here on: in rules, but the reference carries out none */
	ACTION_QUARANTINE_ARTIFACT,
	ACTION_RATE_LIMIT_SOURCE,
	ACTION_LOG_ALERT,
	ACTION_OTHER,
};

enum vocab {
	VOCAB_SEVERITY,
	VOCAB_STATUS,
	VOCAB_MATURITY,
	VOCAB_LANE,
	VOCAB_SOURCE,
	VOCAB_EVENT,
	VOCAB_FIELD,
	VOCAB_OPERATOR,
	VOCAB_COMPARE,
	VOCAB_METHOD,
	VOCAB_TARGET,
	VOCAB_CONFIDENCE,
	VOCAB_ACTION,
	VOCAB_CATEGORY,
	VOCAB_INDICATOR, /* types of a signature's indicators */
	VOCAB_COUNT,
};

struct word {
	const char *name, *help;
};

/* NULL past the end. */
const struct word *vocab_at(enum vocab vocab, unsigned i);
unsigned vocab_count(enum vocab vocab);
/* The number of words (that is OTHER, where there is one) when NAME is NULL or none of them. */
unsigned vocab_find(enum vocab vocab, const char *name);

bool lane_admits(enum lane lane, enum maturity maturity);
/* What confidence a match starts from. */
double confidence_base(enum confidence confidence);
bool target_is_in_schema(enum scan_target target);
/* The field that an event's content stands for; FIELD_NONE. */
enum field event_field(enum event_type event);
/* Are rules of SOURCE evaluated for such an event? */
bool event_admits(enum event_type event, enum rule_source source);

#endif
