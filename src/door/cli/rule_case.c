/* SPDX-License-Identifier: MIT
 *
 * Follows `atr test` of agent-threat-rules 4.0.0 field by field, because authors write their cases
 * for it: aliases of keys, empty values, the content.
 */
#include "door/cli/rule_case.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/json_read.h"
#include "show/node_json.h"

/* The kind of event for a rule of that source. Sources without an event are tested as another
 * one. */
static const struct {
	enum rule_source as;
	enum event_type event;
} sources[SOURCE_OTHER + 1] = {
	[SOURCE_LLM_IO] = {SOURCE_LLM_IO, EVENT_LLM_INPUT},
	[SOURCE_TOOL_CALL] = {SOURCE_TOOL_CALL, EVENT_TOOL_CALL},
	[SOURCE_MCP_EXCHANGE] = {SOURCE_MCP_EXCHANGE, EVENT_TOOL_RESPONSE},
	[SOURCE_AGENT_BEHAVIOR] = {SOURCE_AGENT_BEHAVIOR, EVENT_AGENT_BEHAVIOR},
	[SOURCE_MULTI_AGENT_COMM] = {SOURCE_MULTI_AGENT_COMM, EVENT_MULTI_AGENT_MESSAGE},
	[SOURCE_CONTEXT_WINDOW] = {SOURCE_LLM_IO, EVENT_LLM_INPUT},
	[SOURCE_MEMORY_ACCESS] = {SOURCE_LLM_IO, EVENT_LLM_INPUT},
	[SOURCE_SKILL_LIFECYCLE] = {SOURCE_TOOL_CALL, EVENT_TOOL_CALL},
	[SOURCE_SKILL_PERMISSION] = {SOURCE_TOOL_CALL, EVENT_TOOL_CALL},
	[SOURCE_SKILL_CHAIN] = {SOURCE_TOOL_CALL, EVENT_TOOL_CALL},
	[SOURCE_AGENT_TRACE] = {SOURCE_AGENT_TRACE, EVENT_LLM_INPUT},
	[SOURCE_OTHER] = {SOURCE_OTHER, EVENT_LLM_INPUT},
};

enum rule_source case_source(enum rule_source source)
{
	return sources[source].as;
}

enum { FIELDS_MAX = 8 };

struct maker {
	struct arena *arena;
	struct node_pair pair[FIELDS_MAX];
	size_t count;
	struct text input, tool_name, tool_args, tool_response;
};

static bool is_missing(const struct node *n)
{
	return !n || n->kind == NODE_NULL;
}

static struct text keep(struct arena *arena, const char *s)
{
	const char *copy = arena_dup(arena, s ? s : "");

	return (struct text){copy, strlen(copy)};
}

/* A string is used as it is, a missing value is empty, any other value becomes its JSON. */
static struct text string_of(struct maker *m, const struct node *n)
{
	if (is_missing(n))
		return (struct text){"", 0};
	if (n->kind == NODE_STRING)
		return n->text;
	json_t *j = tree_json(n);
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	struct text ret = keep(m->arena, text);
	free(text);
	json_decref(j);
	return ret;
}

static struct text field(struct maker *m, const struct node *map, const char *key)
{
	return string_of(m, node_get(map, key));
}

/* Takes KEY of MAP if TO is empty. */
static void fill(struct maker *m, struct text *to, const struct node *map, const char *key)
{
	if (!to->len && node_is_truthy(node_get(map, key)))
		*to = field(m, map, key);
}

static void add(struct maker *m, const char *key, struct text value, bool always)
{
	struct node *n = arena_alloc(m->arena, sizeof(*n));

	if ((!value.len && !always) || m->arena->failed || m->count == FIELDS_MAX)
		return;
	*n = (struct node){.kind = NODE_STRING, .size = 1, .text = value};
	m->pair[m->count++] = (struct node_pair){.key = {key, strlen(key)}, .value = n};
}

static const struct node *fields_node(struct maker *m)
{
	struct node *n = arena_alloc(m->arena, sizeof(*n));
	struct node_pair *pair = arena_alloc(m->arena, sizeof(m->pair));

	if (m->arena->failed)
		return NULL;
	memcpy(pair, m->pair, sizeof(m->pair));
	*n = (struct node){.kind = NODE_MAP, .height = 1, .size = m->count + 1};
	n->map.count = m->count;
	n->map.pair = pair;
	return n;
}

static void read_input(struct maker *m, const struct node *raw)
{
	if (!raw || raw->kind != NODE_MAP) {
		m->input = string_of(m, raw);
		return;
	}
	fill(m, &m->tool_name, raw, "tool_name");
	fill(m, &m->tool_args, raw, "tool_args");
	fill(m, &m->tool_response, raw, "response");
	fill(m, &m->tool_response, raw, "tool_response");
	if (m->tool_args.len)
		m->input = m->tool_args;
	else if (!m->tool_response.len)
		m->input = string_of(m, raw);
}

static struct text first_of(const struct text *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].len)
			return list[i];
	return (struct text){"", 0};
}

static const struct node *trace_of(struct maker *m, const struct rule *rule, const struct node *raw)
{
	const struct node *trace = raw && raw->kind == NODE_MAP ? raw : NULL, *spans;
	struct err err;

	if (rule->method != METHOD_TRACE)
		return NULL;
	if (!trace && json_read(m->input.s, m->input.len, 1, m->arena, &trace, &err) < 0)
		return NULL;
	spans = node_get(trace, "spans");
	return spans && spans->kind == NODE_LIST ? trace : NULL;
}

/* The string that scanSkill gets. */
static struct text skill_text(const struct node *node)
{
	static const char *const keys[] = {"input", "tool_response", "agent_output"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct node *n = node_get(node, keys[i]);
		if (is_missing(n))
			continue;
		return n->kind == NODE_STRING && n->text.len ? n->text : (struct text){NULL, 0};
	}
	return (struct text){NULL, 0};
}

void case_make(const struct rule *rule, const struct node *node, struct arena *arena,
	       struct test_case *ret)
{
	struct maker m = {.arena = arena};
	const struct node *raw = node_get(node, "input"), *call = node_get(node, "tool_call");
	enum event_type type = sources[rule->source].event;

	if (is_missing(raw))
		raw = node_get(node, "user_input");
	m.tool_name = field(&m, node, "tool_name");
	m.tool_args = field(&m, node, "tool_args");
	m.tool_response = field(&m, node, "tool_response");
	fill(&m, &m.tool_name, call, "name");
	fill(&m, &m.tool_args, call, "args");
	read_input(&m, raw);
	struct text agent_output = field(&m, node, "agent_output"),
		    description = field(&m, node, "tool_description");
	struct text choices[] = {m.input, description, field(&m, node, "content"), m.tool_response,
				 agent_output};
	struct text content = type == EVENT_TOOL_RESPONSE && m.tool_response.len
				      ? m.tool_response
				      : first_of(choices, ARRAY_SIZE(choices));
	add(&m, "user_input", m.input, false);
	add(&m, "tool_response", m.tool_response, false);
	add(&m, "agent_output", agent_output, false);
	add(&m, "tool_description", description, false);
	add(&m, "tool_name", m.tool_name, true);
	add(&m, "tool_args", m.tool_args.len ? m.tool_args : m.input, false);
	add(&m, "content", content, true);
	add(&m, "agent_message", content, true);
	*ret = (struct test_case){.event = {.type = type,
					    .content = content,
					    .time_ms = EVENT_TIME_NONE,
					    .fields = fields_node(&m),
					    .trace = trace_of(&m, rule, raw)},
				  .skill = skill_text(node)};
}
