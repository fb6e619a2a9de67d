/* SPDX-License-Identifier: MIT
 *
 * From a document to a rule: what is needed, what the words become, both forms of conditions, the
 * complaints of rule_check, and the tables. A rule is a small good one with some lines replaced.
 */
#include "rule/expression.h"

#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"
#include "yaml/yaml.h"

#define HEAD                                                                                       \
	"id: ATR-2026-00001\ntitle: T\nschema_version: '1.0'\nstatus: stable\ndescription: d\n"    \
	"author: a\ndate: '2026/01/01'\nseverity: high\nmaturity: stable\n"
#define TAGS "tags: {category: prompt-injection, confidence: high, scan_target: mcp}\n"
#define SOURCE "agent_source: {type: llm_io}\n"
#define RESPONSE "response: {actions: [alert, block_input]}\n"
#define ALL HEAD TAGS SOURCE RESPONSE
#define ONE "[{field: content, operator: regex, value: x}]"
#define DETECTION "detection: {conditions: " ONE ", condition: any}\n"

struct reports {
	char text[4096];
	size_t errors, warnings;
};

static void gather(void *context, const struct rule_report *r)
{
	struct reports *all = context;
	size_t at = strlen(all->text);

	snprintf(all->text + at, sizeof(all->text) - at, "%u %s: %s\n", r->line, r->id, r->words);
	*(r->level == RULE_ERROR ? &all->errors : &all->warnings) += 1;
}

/* 0 when TEXT is a rule. It lives in ARENA. */
static int parse(const char *text, struct arena *arena, struct rule *ret, struct err *err)
{
	const struct node *root;
	unsigned line;

	memset(err, 0, sizeof(*err));
	if (yaml_read(text, strlen(text), arena, &root, &line, err) < 0) {
		printf("# line %u: %s\n", line, err->message);
		return -2;
	}
	return rule_parse(root, "file", arena, ret, &line, err);
}

static const struct {
	const char *text, *words;
} refused[] = {
	{"[1]", "a rule is a map, this is a list"},
	{"title: T\n" DETECTION, "no id"},
	{"id: ''\ntitle: T\n" DETECTION, "no id"},
	{"id: 12\ntitle: T\n" DETECTION, "no id"},
	{"id: \"a\\0b\"\ntitle: T\n" DETECTION, "no id"},
	{"id: X\n" DETECTION, "no title"},
	{"id: X\ntitle: T\n", "no detection"},
	{"id: X\ntitle: T\ndetection: x\n", "no detection"},
	{"id: X\ntitle: T\ndetection: {condition: any}\n", "no conditions"},
	{"id: X\ntitle: T\ndetection: {conditions: x}\n", "no conditions"},
};

static void test_refused(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct arena arena = {0};
		struct rule rule;
		struct err err;
		ok(parse(refused[i].text, &arena, &rule, &err) == -1 &&
			   strstr(err.message, refused[i].words),
		   "refused: %s", refused[i].words);
		arena_done(&arena);
	}
}

/* N times the same between two ends. */
static char *many(const char *before, const char *piece, size_t n, const char *after)
{
	char *text = malloc(strlen(before) + n * strlen(piece) + strlen(after) + 1), *to = text;

	if (!text)
		abort();
	to = stpcpy(to, before);
	for (size_t i = 0; i < n; i++)
		to = stpcpy(to, piece);
	stpcpy(to, after);
	return text;
}

static const struct {
	const char *what, *before, *piece, *after;
	size_t most;
} maxima[] = {
	{"bytes of an id", "id: ", "x", "\ntitle: T\n" DETECTION, RULE_ID_MAX},
	{"conditions", ALL "detection:\n  conditions:\n",
	 "    - {field: a, operator: exact, value: b}\n", "", RULE_CONDITIONS_MAX},
	{"patterns", ALL "detection: {conditions: {a: {field: content, patterns: [", "x,",
	 "]}}, condition: a}", RULE_PATTERNS_MAX},
	{"steps", ALL "detection: {conditions: [{steps: [", "{patterns: [x]},", "]}]}",
	 RULE_PATTERNS_MAX},
	{"bytes of a pattern", ALL "detection: {conditions: [{field: a, operator: regex, value: ",
	 "x", "}]}", RULE_PATTERN_BYTES_MAX},
	{"bytes of a named pattern", ALL "detection: {conditions: {a: {field: a, patterns: [", "x",
	 "]}}}", RULE_PATTERN_BYTES_MAX},
	{"actions", HEAD TAGS SOURCE DETECTION "response: {actions: [", "alert,", "]}",
	 RULE_ACTIONS_MAX},
};

static void test_maxima(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(maxima); i++) {
		for (size_t more = 0; more < 2; more++) {
			struct arena arena = {0};
			struct rule rule;
			struct err err;
			AUTO_FREE char *text = many(maxima[i].before, maxima[i].piece,
						    maxima[i].most + more, maxima[i].after);
			int r = parse(text, &arena, &rule, &err);
			ok(more ? r == -1 && err.code == ERR_LIMIT : r == 0, "%s: %zu",
			   maxima[i].what, maxima[i].most + more);
			arena_done(&arena);
		}
	}
}

static void test_words(void)
{
	struct arena arena = {0};
	struct rule r;
	struct err err;

	ok(parse(ALL DETECTION "evasion_tests: [{input: x}]\n", &arena, &r, &err) == 0, "it loads");
	ok(r.status == RULE_STATUS_STABLE && r.maturity == MATURITY_STABLE &&
		   r.severity == SEVERITY_HIGH && r.confidence == CONFIDENCE_HIGH &&
		   r.target == TARGET_MCP && r.source == SOURCE_LLM_IO &&
		   r.method == METHOD_PATTERN,
	   "its words are understood");
	ok(r.actionc == 2 && r.action[0] == ACTION_ALERT && r.action[1] == ACTION_BLOCK_INPUT,
	   "its actions are in order");
	ok(r.combine == COMBINE_ANY && r.conditionc == 1 && r.condition[0].kind == CONDITION_TEXT &&
		   r.condition[0].op == OPERATOR_REGEX && r.condition[0].field == FIELD_CONTENT &&
		   r.condition[0].patternc == 1 && strcmp(r.condition[0].pattern[0].s, "x") == 0 &&
		   strcmp(r.condition[0].name.s, "0") == 0,
	   "so is its condition");
	ok(r.line == 1 && node_count(r.evasion_tests) == 1 && !r.test_cases, "blocks are kept");
	arena_done(&arena);
	ok(parse("id: X\ntitle: T\nseverity: bad\nmaturity: ' test '\nconfirm: embedding\n"
		 "tags: {confidence: medium-high, suppress_in_code_blocks: true}\n"
		 "detection: {method: semantic, semantic: {fallback_method: pattern},"
		 " conditions: []}\n",
		 &arena, &r, &err) == 0,
	   "a poor one loads as well");
	ok(r.severity == SEVERITY_OTHER && strcmp(r.severity_name, "bad") == 0 &&
		   r.status == RULE_STATUS_OTHER && r.confidence == CONFIDENCE_OTHER &&
		   r.source == SOURCE_OTHER && r.target == TARGET_OTHER,
	   "what it lacks is other");
	ok(r.maturity == MATURITY_TEST && r.confirm_embedding && r.suppress_in_code_blocks &&
		   r.method == METHOD_SEMANTIC && r.falls_back && r.combine == COMBINE_ALL,
	   "what it has is read");
	ok(rule_is_live(&r, LANE_HUNT) && !rule_is_live(&r, LANE_ALERT),
	   "what needs a confirmation only hunts");
	arena_done(&arena);
}

static void test_conditions(void)
{
	static const char text[] =
		ALL "detection:\n  condition: (a OR b) AND NOT c\n  conditions:\n"
		    "    a: {field: tool_args, patterns: [x, y, 3], match_type: contains, "
		    "case_sensitive: true}\n"
		    "    b: {metric: event_count, operator: gte, threshold: 5, window: 30 s}\n"
		    "    c: {ordered: false, within: 2h, steps: [{patterns: [p, q]}, {patterns: "
		    "[r]}]}\n"
		    "    d: {field: content, patterns: [z]}\n    e: {field: content}\n";
	struct arena arena = {0};
	struct rule r;
	struct err err;

	ok(parse(text, &arena, &r, &err) == 0, "named conditions load");
	const struct rule_condition *k = r.condition;
	ok(r.combine == COMBINE_EXPRESSION && r.conditionc == 5 &&
		   strcmp(r.expression, "(a OR b) AND NOT c") == 0 && strcmp(k[0].name.s, "a") == 0,
	   "with an expression");
	ok(k[0].kind == CONDITION_TEXT && k[0].op == OPERATOR_CONTAINS && k[0].patternc == 2 &&
		   k[0].case_sensitive && k[0].field == FIELD_TOOL_ARGS,
	   "contains");
	ok(k[1].kind == CONDITION_METRIC && k[1].compare == COMPARE_GTE && k[1].threshold == 5 &&
		   k[1].window_ms == 30000,
	   "a measurement");
	ok(k[2].kind == CONDITION_SEQUENCE && !k[2].ordered && k[2].stepc == 2 &&
		   k[2].step[0].patternc == 2 && k[2].window_ms == 7200000,
	   "a sequence");
	ok(k[3].op == OPERATOR_REGEX && !k[3].case_sensitive, "regex is the default");
	ok(k[4].kind == CONDITION_NEVER, "one without patterns is never true");
	arena_done(&arena);
}

static void test_windows(void)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} rows[] = {{"5m", 300000},
		    {"1h", 3600000},
		    {"30s", 30000},
		    {"30  s", 30000},
		    {"0s", 0},
		    {NULL, 300000},
		    {"", 300000},
		    {"5", 300000},
		    {"5 minutes", 300000},
		    {"-5s", 300000},
		    {"5d", 300000},
		    {"5S", 300000},
		    {"99999999999999999999h", 1ULL << 53}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(rule_window_ms(rows[i].text) == rows[i].ms, "window %s",
		   rows[i].text ? rows[i].text : "missing");
}

#define NAMED                                                                                      \
	"detection: {conditions: {a: {field: content, patterns: [x]}, b: {field: content, "        \
	"patterns: [y]}}, condition: "

static const struct {
	const char *text, *words; /* NULL: no complaint */
	size_t errors, warnings;
} checks[] = {
	{ALL DETECTION, NULL, 0, 0},
	{HEAD TAGS RESPONSE DETECTION, "agent_source is missing", 1, 0},
	{HEAD SOURCE RESPONSE DETECTION, "tags is missing", 1, 0},
	{HEAD TAGS SOURCE DETECTION, "response is missing", 0, 1},
	{HEAD TAGS SOURCE DETECTION "response: {actions: []}\n", "actions is empty", 0, 1},
	{HEAD TAGS SOURCE DETECTION "response: {actions: [dance]}\n", "no action \"dance\"", 0, 1},
	{ALL DETECTION "test_cases: {true_positives: [{input: x}]}\n", "true_negatives is missing",
	 0, 1},
	{"id: x\ntitle: T\nschema_version: 1\nstatus: bad\ndescription: [d]\nauthor: a\n"
	 "date: d\nseverity: hgih\nmaturity: bad\n" TAGS SOURCE RESPONSE DETECTION,
	 "8 x: severity \"hgih\" is not in the schema", 1, 5},
	{HEAD "tags: {category: c, confidence: c, scan_target: c}\n" SOURCE RESPONSE DETECTION,
	 "scan_target \"c\" is not in the schema", 0, 3},
	{HEAD "tags: {category: model-abuse, scan_target: llm_io}\n" SOURCE RESPONSE DETECTION,
	 "scan_target \"llm_io\" is not in the schema", 0, 1},
	{ALL "detection: {conditions: [], condition: all}\n", "it always matches", 1, 0},
	{ALL "detection: {conditions: [], condition: any}\n", "it never matches", 1, 0},
	{ALL "detection: {conditions: " ONE ", condition: a or b}\n", "is read as \"all\"", 0, 1},
	{ALL "detection: {conditions: " ONE "}\n", "detection.condition is missing", 0, 2},
	{ALL
	 "detection: {conditions: [{field: content, operator: rx, value: x}], condition: any}\n",
	 "condition 0 is never true: the format has no such operator", 1, 0},
	{ALL
	 "detection: {conditions: [{field: content, operator: regex, value: 1}], condition: any}\n",
	 "a string as value", 1, 0},
	{ALL "detection: {conditions: [x], condition: any}\n", "it is no map", 1, 0},
	{ALL "detection: {conditions: [{steps: []}], condition: any}\n", "no list, or empty", 1, 0},
	{ALL "detection: {conditions: [{steps: [{}]}], condition: any}\n", "step 1 has no patterns",
	 1, 0},
	{ALL "detection: {conditions: [{metric: m, operator: gt, threshold: x}], condition: any}\n",
	 "a number as threshold", 1, 0},
	{ALL
	 "detection: {conditions: [{field: mood, operator: regex, value: x}], condition: any}\n",
	 "no event has a field \"mood\"", 0, 1},
	{ALL "detection: {conditions: [{field: content, operator: regex, value: '(?is)x'}], "
	     "condition: any}\n",
	 "only i has an effect", 0, 1},
	{ALL "detection: {conditions: [{field: content, operator: regex, value: '(?i)x'}], "
	     "condition: any}\n",
	 NULL, 0, 0},
	{ALL "detection: {conditions: {a: {field: content, patterns: [x]}}, condition: a and (NOT "
	     "b)}\n",
	 "no condition \"b\"", 1, 0},
	{ALL NAMED "a OR b}\n", NULL, 0, 0},
	{ALL NAMED "NOT (b and a)}\n", NULL, 0, 0},
	{ALL NAMED "a b}\n", "\"a b\" joins nothing: it is never true", 1, 0},
	{ALL NAMED "a Or b}\n", "joins nothing", 1, 0},
	{ALL NAMED "a AND (b}\n", "no condition \"(b\"", 1, 0},
	{ALL NAMED "a AND  AND b}\n", "no condition \"\"", 1, 0},
	{ALL NAMED "b}\n", "condition a is not in the expression: it is never used", 1, 0},
	{ALL "detection:\n  condition: a and c\n  conditions:\n    a: {field: content, patterns: "
	     "[x]}\n",
	 "14 ATR-2026-00001: there is no condition \"c\"", 1, 0},
	{ALL "detection: {conditions: {a: {field: content, patterns: x}}, condition: a}\n",
	 "a list of patterns", 1, 0},
	{ALL "detection: {method: signature, conditions: " ONE ", condition: any}\n",
	 "needs signature.indicators", 1, 0},
	{ALL "detection: {method: trace, conditions: " ONE ", condition: any}\n",
	 "needs a trace block", 1, 0},
	{ALL "detection: {method: trace, conditions: [], condition: any, trace: {forbid: [{}]}}\n",
	 NULL, 0, 0},
	{ALL
	 "detection: {method: signature, conditions: [], condition: any, signature: {indicators: "
	 "[{}]}}\n",
	 NULL, 0, 0},
	{ALL "detection: {method: semantic, conditions: " ONE ", condition: any}\n",
	 "never evaluated", 0, 1},
	{ALL "detection: {method: dream, conditions: " ONE ", condition: any}\n",
	 "counts as pattern", 0, 1},
};

static void test_checks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		struct arena arena = {0};
		struct reports all = {0};
		struct rule rule;
		struct err err;
		size_t errors = 99;
		if (parse(checks[i].text, &arena, &rule, &err) == 0)
			errors = rule_check(&rule, gather, &all);
		if (!ok(errors == checks[i].errors && all.errors == errors &&
				all.warnings == checks[i].warnings &&
				(!checks[i].words || strstr(all.text, checks[i].words)),
			"check %zu: %s", i, checks[i].words ? checks[i].words : "nothing to say"))
			printf("# %s %s\n", err.message, all.text);
		arena_done(&arena);
	}
}

/* Brackets around a name, as deep as there may be and one deeper. */
static void test_deep(void)
{
	for (size_t deep = EXPRESSION_DEPTH_MAX - 1; deep <= EXPRESSION_DEPTH_MAX; deep++) {
		char text[2048], in[EXPRESSION_DEPTH_MAX + 2], out[EXPRESSION_DEPTH_MAX + 2];
		struct arena arena = {0};
		struct reports all = {0};
		struct rule rule;
		struct err err;
		memset(in, '(', deep);
		memset(out, ')', deep);
		in[deep] = out[deep] = '\0';
		snprintf(text, sizeof(text), ALL NAMED "%sa or b%s}\n", in, out);
		ok(parse(text, &arena, &rule, &err) == 0 &&
			   rule_check(&rule, gather, &all) == (deep > EXPRESSION_DEPTH_MAX - 1),
		   "an expression in %zu brackets", deep);
		arena_done(&arena);
	}
}

static void test_vocabulary(void)
{
	for (unsigned v = 0; v < VOCAB_COUNT; v++) {
		bool good = vocab_count((enum vocab)v) > 0;
		for (unsigned i = 0; i < vocab_count((enum vocab)v); i++) {
			const struct word *w = vocab_at((enum vocab)v, i);
			good = good && w->name && w->help && *w->help &&
			       vocab_find((enum vocab)v, w->name) == i;
		}
		ok(good && vocab_find((enum vocab)v, "?") == vocab_count((enum vocab)v) &&
			   vocab_find((enum vocab)v, NULL) == vocab_count((enum vocab)v),
		   "vocabulary %u: every word has a help and is found", v);
	}
	ok(event_admits(EVENT_TOOL_RESPONSE, SOURCE_LLM_IO) &&
		   event_admits(EVENT_TOOL_CALL, SOURCE_MCP_EXCHANGE) &&
		   !event_admits(EVENT_LLM_INPUT, SOURCE_MCP_EXCHANGE) &&
		   !event_admits(EVENT_TOOL_CALL, SOURCE_AGENT_TRACE) &&
		   event_admits(EVENT_OTHER, SOURCE_AGENT_TRACE) &&
		   event_admits(EVENT_MCP_EXCHANGE, SOURCE_OTHER),
	   "events admit the sources they should");
	ok(lane_admits(LANE_HUNT, MATURITY_OTHER) && !lane_admits(LANE_ALERT, MATURITY_OTHER) &&
		   !lane_admits(LANE_HUNT, MATURITY_DEPRECATED) &&
		   lane_admits(LANE_ALERT, MATURITY_TEST) &&
		   !lane_admits(LANE_ENFORCE, MATURITY_TEST),
	   "lanes admit the maturities they should");
	ok(confidence_base(CONFIDENCE_HIGH) == 0.9 && confidence_base(CONFIDENCE_OTHER) == 0.5 &&
		   event_field(EVENT_TOOL_CALL) == FIELD_TOOL_NAME &&
		   event_field(EVENT_OTHER) == FIELD_NONE,
	   "the other tables");
}

int main(void)
{
	test_refused();
	test_maxima();
	test_words();
	test_conditions();
	test_windows();
	test_checks();
	test_deep();
	test_vocabulary();
	return tap_done();
}
