/* SPDX-License-Identifier: MIT
 *
 * The rows. Names are the format's, helps are ours; what the engine does differently for a word is
 * in the small tables at the end.
 */
#include "rule/vocab.h"

#include <stddef.h>
#include <string.h>

#include "base/scope.h"

static const struct word severities[] = {
	[SEVERITY_CRITICAL] = {"critical", "denied whatever the confidence"},
	[SEVERITY_HIGH] = {"high", "denied from confidence 0.8, else asked about"},
	[SEVERITY_MEDIUM] = {"medium", "asked about from confidence 0.6"},
	[SEVERITY_LOW] = {"low", "shown"},
	[SEVERITY_INFORMATIONAL] = {"informational", "shown"},
};

static const struct word statuses[] = {
	[RULE_STATUS_DRAFT] = {"draft", "being written; never evaluated"},
	[RULE_STATUS_EXPERIMENTAL] = {"experimental", "evaluated, not yet proven"},
	[RULE_STATUS_STABLE] = {"stable", "evaluated and proven"},
	[RULE_STATUS_DEPRECATED] = {"deprecated", "withdrawn; never evaluated"},
};

static const struct word maturities[] = {
	[MATURITY_DRAFT] = {"draft", "for hunting only"},
	[MATURITY_EXPERIMENTAL] = {"experimental", "for hunting only; so is any unknown word"},
	[MATURITY_TEST] = {"test", "good enough to alert a person"},
	[MATURITY_STABLE] = {"stable", "good enough to block without a person"},
	[MATURITY_DEPRECATED] = {"deprecated", "withdrawn; in no lane"},
};

static const struct word lanes[] = {
	[LANE_HUNT] = {"hunt", "every live rule"},
	[LANE_ALERT] = {"alert", "rules of maturity test and stable"},
	[LANE_ENFORCE] = {"enforce", "rules of maturity stable"},
};

static const struct word sources[] = {
	[SOURCE_LLM_IO] = {"llm_io", "prompts and answers"},
	[SOURCE_TOOL_CALL] = {"tool_call", "calls of tools"},
	[SOURCE_MCP_EXCHANGE] = {"mcp_exchange", "messages to and from MCP servers"},
	[SOURCE_AGENT_BEHAVIOR] = {"agent_behavior", "measurements of what an agent does"},
	[SOURCE_MULTI_AGENT_COMM] = {"multi_agent_comm", "messages between agents"},
	[SOURCE_CONTEXT_WINDOW] = {"context_window", "what is in the context"},
	[SOURCE_MEMORY_ACCESS] = {"memory_access", "reading and writing an agent's memory"},
	[SOURCE_SKILL_LIFECYCLE] = {"skill_lifecycle", "skills that come, change and go"},
	[SOURCE_SKILL_PERMISSION] = {"skill_permission", "what skills ask permission for"},
	[SOURCE_SKILL_CHAIN] = {"skill_chain", "skills called one after the other"},
	[SOURCE_AGENT_TRACE] = {"agent_trace", "the spans of a whole run"},
};

static const struct word events[] = {
	[EVENT_LLM_INPUT] = {"llm_input", "what a model is given"},
	[EVENT_LLM_OUTPUT] = {"llm_output", "what a model answers"},
	[EVENT_TOOL_CALL] = {"tool_call", "a tool is called"},
	[EVENT_TOOL_RESPONSE] = {"tool_response", "a tool answers"},
	[EVENT_AGENT_BEHAVIOR] = {"agent_behavior", "a measurement"},
	[EVENT_MULTI_AGENT_MESSAGE] = {"multi_agent_message", "an agent writes to another"},
	[EVENT_MCP_EXCHANGE] = {"mcp_exchange", "any message; rules of every source are evaluated"},
};

static const struct word fields[] = {
	[FIELD_CONTENT] = {"content", "the event's content, whatever its type"},
	[FIELD_USER_INPUT] = {"user_input", "what the user wrote"},
	[FIELD_AGENT_OUTPUT] = {"agent_output", "what the model answered"},
	[FIELD_TOOL_NAME] = {"tool_name", "the name of the tool"},
	[FIELD_TOOL_ARGS] = {"tool_args", "what the tool is called with"},
	[FIELD_TOOL_RESPONSE] = {"tool_response", "what the tool answered"},
	[FIELD_TOOL_DESCRIPTION] = {"tool_description", "what the tool says about itself"},
	[FIELD_TOOL_INPUT] = {"tool_input", "what a hook is told about a call"},
	[FIELD_AGENT_MESSAGE] = {"agent_message", "what one agent writes to another"},
	[FIELD_METRIC] = {"metric", "a measurement"},
};

static const struct word operators[] = {
	[OPERATOR_REGEX] = {"regex", "a JavaScript regular expression, never case-sensitive"},
	[OPERATOR_CONTAINS] = {"contains", "is somewhere in the text, in any case"},
	[OPERATOR_EXACT] = {"exact", "is the text"},
	[OPERATOR_STARTS_WITH] = {"starts_with", "is how the text begins, in any case"},
};

static const struct word compares[] = {
	[COMPARE_GT] = {"gt", "more than the threshold"},
	[COMPARE_LT] = {"lt", "less than the threshold"},
	[COMPARE_EQ] = {"eq", "equal to the threshold"},
	[COMPARE_GTE] = {"gte", "the threshold or more"},
	[COMPARE_LTE] = {"lte", "the threshold or less"},
	[COMPARE_DEVIATION] = {"deviation_from_baseline", "farther from 0 than the threshold"},
};

static const struct word methods[] = {
	[METHOD_PATTERN] = {"pattern", "conditions on text; the default"},
	[METHOD_SEMANTIC] = {"semantic", "a model judges; without one, as pattern if so allowed"},
	[METHOD_SIGNATURE] = {"signature", "known bad hashes and names"},
	[METHOD_BEHAVIORAL] = {"behavioral", "a measurement over time"},
	[METHOD_TRACE] = {"trace", "what must and must not be in a run's spans"},
};

static const struct word targets[] = {
	[TARGET_MCP] = {"mcp", "events while an agent runs"},
	[TARGET_SKILL] = {"skill", "SKILL.md files"},
	[TARGET_BOTH] = {"both", "events and SKILL.md files"},
	[TARGET_RUNTIME] = {"runtime", "behaviour while an agent runs"},
	[TARGET_LLM_IO] = {"llm_io", "as mcp; not in the schema"},
	[TARGET_LLM] = {"llm", "as mcp; not in the schema"},
	[TARGET_USER_INPUT] = {"user_input", "as mcp; not in the schema"},
	[TARGET_TOOL_CALL] = {"tool_call", "as mcp; not in the schema"},
	[TARGET_TOOL_ARGS] = {"tool_args", "as mcp; not in the schema"},
	[TARGET_TOOL_OUTPUT] = {"tool_output", "as mcp; not in the schema"},
	[TARGET_TOOL_RESPONSE] = {"tool_response", "as mcp; not in the schema"},
};

static const struct word confidences[] = {
	[CONFIDENCE_HIGH] = {"high", "starts from 0.9"},
	[CONFIDENCE_MEDIUM] = {"medium", "starts from 0.7"},
	[CONFIDENCE_LOW] = {"low", "starts from 0.5, as any unknown word"},
};

static const struct word actions[] = {
	[ACTION_KILL_AGENT] = {"kill_agent", "end the agent"},
	[ACTION_BLOCK_INPUT] = {"block_input", "keep the input from the model"},
	[ACTION_BLOCK_OUTPUT] = {"block_output", "keep the answer from the user"},
	[ACTION_BLOCK_TOOL] = {"block_tool", "refuse the call"},
	[ACTION_QUARANTINE_SESSION] = {"quarantine_session", "set the session aside"},
	[ACTION_REDUCE_PERMISSIONS] = {"reduce_permissions", "take rights from the agent"},
	[ACTION_RESET_CONTEXT] = {"reset_context", "start again with an empty context"},
	[ACTION_ALERT] = {"alert", "notify a person"},
	[ACTION_ESCALATE] = {"escalate", "notify a person who decides"},
	[ACTION_SNAPSHOT] = {"snapshot", "keep what there is for later"},
	[ACTION_SHADOW] = {"shadow", "record it without a notification"},
	[ACTION_REQUIRE_HUMAN_REVIEW] = {"require_human_review", "wait for a person"},
	[ACTION_QUARANTINE_ARTIFACT] = {"quarantine_artifact", "set the file aside"},
	[ACTION_RATE_LIMIT_SOURCE] = {"rate_limit_source", "slow the sender down"},
	[ACTION_LOG_ALERT] = {"log_alert", "record it"},
};

static const struct word categories[] = {
	{"prompt-injection", "text that gives the model orders"},
	{"tool-poisoning", "tools that lie about themselves or answer with orders"},
	{"context-exfiltration", "taking secrets out"},
	{"agent-manipulation", "turning the agent against its user"},
	{"privilege-escalation", "more rights than were given"},
	{"excessive-autonomy", "more than was asked for"},
	{"data-poisoning", "lies in memory and training data"},
	{"model-abuse", "getting from the model what it should not give"},
	{"skill-compromise", "skills that do harm"},
};

static const struct word indicators[] = {
	{"sha256", "a hash, in any case"},
	{"sha512", "a hash, in any case"},
	{"blake2b-256", "a hash, in any case"},
	{"package_name", "a package's name"},
	{"registry_url", "where packages come from"},
	{"skill_id", "a skill's identifier"},
};

#define TABLE(rows)                                                                                \
	{                                                                                          \
		rows, ARRAY_SIZE(rows)                                                             \
	}
static const struct {
	const struct word *row;
	unsigned count;
} vocabs[VOCAB_COUNT] = {
	[VOCAB_SEVERITY] = TABLE(severities),  [VOCAB_STATUS] = TABLE(statuses),
	[VOCAB_MATURITY] = TABLE(maturities),  [VOCAB_LANE] = TABLE(lanes),
	[VOCAB_SOURCE] = TABLE(sources),       [VOCAB_EVENT] = TABLE(events),
	[VOCAB_FIELD] = TABLE(fields),	       [VOCAB_OPERATOR] = TABLE(operators),
	[VOCAB_COMPARE] = TABLE(compares),     [VOCAB_METHOD] = TABLE(methods),
	[VOCAB_TARGET] = TABLE(targets),       [VOCAB_CONFIDENCE] = TABLE(confidences),
	[VOCAB_ACTION] = TABLE(actions),       [VOCAB_CATEGORY] = TABLE(categories),
	[VOCAB_INDICATOR] = TABLE(indicators),
};

/* A table has a row for each number before OTHER. If an assertion fails, a word was added to the table
 * or to the enumeration only. */
_Static_assert(ARRAY_SIZE(severities) == SEVERITY_OTHER, "severities");
_Static_assert(ARRAY_SIZE(statuses) == RULE_STATUS_OTHER, "statuses");
_Static_assert(ARRAY_SIZE(maturities) == MATURITY_OTHER, "maturities");
_Static_assert(ARRAY_SIZE(lanes) == LANE_COUNT, "lanes");
_Static_assert(ARRAY_SIZE(sources) == SOURCE_OTHER, "sources");
_Static_assert(ARRAY_SIZE(events) == EVENT_OTHER, "events");
_Static_assert(ARRAY_SIZE(fields) == FIELD_OTHER, "fields");
_Static_assert(ARRAY_SIZE(operators) == OPERATOR_OTHER, "operators");
_Static_assert(ARRAY_SIZE(compares) == COMPARE_OTHER, "compares");
_Static_assert(ARRAY_SIZE(methods) == METHOD_OTHER, "methods");
_Static_assert(ARRAY_SIZE(targets) == TARGET_OTHER, "targets");
_Static_assert(ARRAY_SIZE(confidences) == CONFIDENCE_OTHER, "confidences");
_Static_assert(ARRAY_SIZE(actions) == ACTION_OTHER, "actions");

const struct word *vocab_at(enum vocab vocab, unsigned i)
{
	return i < vocabs[vocab].count ? &vocabs[vocab].row[i] : NULL;
}

unsigned vocab_count(enum vocab vocab)
{
	return vocabs[vocab].count;
}

unsigned vocab_find(enum vocab vocab, const char *name)
{
	unsigned i = 0;

	while (i < vocabs[vocab].count && (!name || strcmp(vocabs[vocab].row[i].name, name) != 0))
		i++;
	return i;
}

#define M(name) (1U << MATURITY_##name)
static const unsigned admitted[LANE_COUNT] = {
	[LANE_HUNT] = M(DRAFT) | M(EXPERIMENTAL) | M(TEST) | M(STABLE) | M(OTHER),
	[LANE_ALERT] = M(TEST) | M(STABLE),
	[LANE_ENFORCE] = M(STABLE),
};

bool lane_admits(enum lane lane, enum maturity maturity)
{
	return admitted[lane] & (1U << maturity);
}

double confidence_base(enum confidence confidence)
{
	static const double base[] = {[CONFIDENCE_HIGH] = 0.9,
				      [CONFIDENCE_MEDIUM] = 0.7,
				      [CONFIDENCE_LOW] = 0.5,
				      [CONFIDENCE_OTHER] = 0.5};

	return base[confidence];
}

bool target_is_in_schema(enum scan_target target)
{
	return target <= TARGET_RUNTIME;
}

#define S(name) (1U << SOURCE_##name)
static const struct {
	enum field field;
	unsigned sources; /* 0: every one */
} routes[EVENT_OTHER + 1] = {
	[EVENT_LLM_INPUT] = {FIELD_USER_INPUT, S(LLM_IO)},
	[EVENT_LLM_OUTPUT] = {FIELD_AGENT_OUTPUT, S(LLM_IO)},
	[EVENT_TOOL_CALL] = {FIELD_TOOL_NAME, S(TOOL_CALL) | S(MCP_EXCHANGE)},
	[EVENT_TOOL_RESPONSE] = {FIELD_TOOL_RESPONSE, S(MCP_EXCHANGE) | S(LLM_IO)},
	[EVENT_AGENT_BEHAVIOR] = {FIELD_METRIC, S(AGENT_BEHAVIOR)},
	[EVENT_MULTI_AGENT_MESSAGE] = {FIELD_AGENT_MESSAGE, S(MULTI_AGENT_COMM)},
	[EVENT_MCP_EXCHANGE] = {FIELD_NONE, 0},
	[EVENT_OTHER] = {FIELD_NONE, 0},
};

enum field event_field(enum event_type event)
{
	return routes[event].field;
}

bool event_admits(enum event_type event, enum rule_source source)
{
	return !routes[event].sources || routes[event].sources & (1U << source);
}
