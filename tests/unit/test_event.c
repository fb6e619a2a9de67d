/* SPDX-License-Identifier: MIT
 *
 * JSON, events and documents of events: what is accepted, what is refused with which message, and
 * every maximum at its value and one more.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "detect/json_read.h"
#include "tap.h"

static char said[512];

/* The root; or NULL, and the error in SAID. */
static const struct node *read_json(struct arena *arena, const char *text, size_t len)
{
	const struct node *root = NULL;
	struct err err = {0};

	said[0] = '\0';
	if (json_read(text, len, 1, arena, &root, &err) == 0)
		return root;
	snprintf(said, sizeof(said), "%s", err.message);
	return NULL;
}

/* Every node has its line, whatever precedes it. */
static void lines(void)
{
	struct arena arena = {0};
	static const char text[] =
		"\n[\"a\\\"[,\\n\", 1.5e3\n,\n\n{\"k\"\n:\n[ ],\r\n\"l\":true}\n, null,\"\"]\n";
	static const unsigned expected[] = {2, 2, 5, 9, 9};
	const struct node *n = read_json(&arena, text, sizeof(text) - 1);
	bool same = n && n->line == 2 && node_count(n) == ARRAY_SIZE(expected);

	for (size_t i = 0; same && i < ARRAY_SIZE(expected); i++)
		same = node_item(n, i)->line == expected[i];
	ok(same, "the items of a list have their lines: %s", said);
	const struct node *map = node_item(n, 2);
	ok(map && map->map.pair[0].line == 5 && map->map.pair[0].value->line == 7 &&
		   map->map.pair[1].line == 8 && map->map.pair[1].value->line == 8,
	   "keys and values too");
	n = read_json(&arena, "{\"a\":[1]}", 9);
	ok(n && node_item(node_get(n, "a"), 0)->line == 1, "on one line it is that one");
	arena_done(&arena);
}

static void values(void)
{
	struct arena arena = {0};
	static const char text[] = "{\"s\":\"a\\u0000b\\ud83d\\ude00\",\"n\":12345678901234567890,"
				   "\"f\":-1.5e2,\"t\":true,\"x\":null,\"l\":[1,[]],\"m\":{}}";
	const struct node *n = read_json(&arena, text, sizeof(text) - 1);
	double number = 0;

	ok(n && n->kind == NODE_MAP && node_count(n) == 7, "an object: %s", said);
	const struct node *s = node_get(n, "s");
	ok(s && s->text.len == 7 && !memcmp(s->text.s, "a\0b\xf0\x9f\x98\x80", 8),
	   "a string with a NUL and a pair of surrogates");
	ok(node_number(node_get(n, "n"), &number) == 0 && number == 12345678901234567890.0,
	   "a number too large for an integer");
	ok(node_number(node_get(n, "f"), &number) == 0 && number == -150, "a fraction");
	ok(node_is_true(node_get(n, "t")) && node_get(n, "x")->kind == NODE_NULL, "true and null");
	ok(node_count(node_get(n, "l")) == 2 && n->height == 3 && n->size == 10,
	   "depth and size: %u, %zu", n->height, n->size);
	arena_done(&arena);
}

static void refusals(void)
{
	static const struct {
		const char *text;
		size_t len;
		const char *words;
	} rows[] = {
		{"{\"a\":1,\n \"a\":2}", 0, "line 2, column 4: duplicate"},
		{"{\"a\":\"\xff\"}", 0, "line 1"},
		{"{\"a\":\"\xed\xa0\x80\"}", 0, "line 1"},
		{"{\"a\":\"\\ud800\"}", 0, "line 1"},
		{"{\"a\":1}\0", 8, "line 1"},
		{"{\"a\0b\":1}", 9, "line 1"},
		{"1\0", 2, "line 1, column 2: a NUL"},
		{"[\n1\0]", 5, "line 2, column 2: a NUL"},
		{"{\"a\\u0000b\":1}", 0, "line 1"},
		{"{} x", 0, "end of file expected"},
		{"{}\n\n{}", 0, "line 3"},
		{"", 0, "line 1"},
		{"[1,", 0, "line 1"},
		{"nul", 0, "line 1"},
		{"1e400", 0, "line 1"},
	};
	struct arena arena = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = rows[i].len ? rows[i].len : strlen(rows[i].text);
		const struct node *n = read_json(&arena, rows[i].text, len);
		ok(!n && strstr(said, rows[i].words), "row %zu is refused: %s", i, said);
	}
	arena_done(&arena);
}

/* COUNT times UNIT between BEFORE and AFTER. */
static char *repeated(const char *before, const char *unit, size_t count, const char *after,
		      size_t *ret_len)
{
	size_t b = strlen(before), u = strlen(unit), a = strlen(after);
	char *s = malloc(b + u * count + a + 1);

	if (!s)
		exit(2);
	memcpy(s, before, b);
	for (size_t i = 0; i < count; i++)
		memcpy(s + b + i * u, unit, u);
	memcpy(s + b + u * count, after, a + 1);
	*ret_len = b + u * count + a;
	return s;
}

static void json_maxima(void)
{
	static const struct {
		const char *before, *unit, *after;
		size_t count, more;
		bool good;
		const char *what;
	} rows[] = {
		{"", "[", "", JSON_DEPTH_MAX, 0, false, "depth, without an end"},
		{"[", "1,", "1]", JSON_NODES_MAX - 2, 0, true, "values"},
		{"[", "1,", "1]", JSON_NODES_MAX - 1, 0, false, "values and one more"},
		{"\"", "x", "\"", JSON_BYTES_MAX - 2, 0, true, "bytes"},
		{"\"", "x", "\"", JSON_BYTES_MAX - 1, 0, false, "bytes and one more"},
		{"\"", "[,{", "\"", JSON_NODES_MAX, 0, true, "signs in a string are none"},
		{"\"", "\\\"[", "\"", JSON_NODES_MAX, 0, true, "an escaped quote ends no string"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena arena = {0};
		size_t len;
		AUTO_FREE char *s =
			repeated(rows[i].before, rows[i].unit, rows[i].count, rows[i].after, &len);
		const struct node *n = read_json(&arena, s, len);
		ok((n != NULL) == rows[i].good, "%s: %s", rows[i].what, said);
		arena_done(&arena);
	}
	for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		struct arena arena = {0};
		size_t len, ignored;
		AUTO_FREE char *close = repeated("", "]", depth, "", &ignored);
		AUTO_FREE char *s = repeated("", "[", depth, close, &len);
		const struct node *n = read_json(&arena, s, len);
		ok((n != NULL) == (depth == JSON_DEPTH_MAX), "%zu nested lists: %s", depth, said);
		arena_done(&arena);
	}
}

static int read_event(struct arena *arena, const char *text, struct event *ret)
{
	const struct node *n = read_json(arena, text, strlen(text));
	struct err err = {0};

	if (!n)
		return -2;
	int result = event_from_node(n, ret, &err);
	snprintf(said, sizeof(said), "%s", err.message);
	return result;
}

static void events(void)
{
	struct arena arena = {0};
	struct event e;

	ok(read_event(&arena,
		      "{\"type\":\"tool_call\",\"content\":\"c\",\"fields\":{\"tool_args\":\"a\","
		      "\"tool_name\":null},\"metadata\":{\"x\":[1]},\"metrics\":{\"r\":1},"
		      "\"sessionId\":\"s\",\"agentId\":\"g\",\"scanContext\":\"skill\",\"more\":{},"
		      "\"trace\":{\"spans\":[{\"attributes\":null},{}]},\"timestamp\":5}",
		      &e) == 0,
	   "everything: %s", said);
	ok(e.type == EVENT_TOOL_CALL && e.skill && !e.plain && e.content.len == 1 && e.fields &&
		   e.metadata && e.metrics && e.trace && e.time_ms == 5 &&
		   !strcmp(e.session, "s") && !strcmp(e.agent, "g"),
	   "every field is read");
	ok(read_event(&arena, "{\"content\":null,\"type\":\"odd\"}", &e) == 0 &&
		   e.type == EVENT_OTHER && !e.content.s && e.time_ms == EVENT_TIME_NONE,
	   "an almost empty event");
	arena_done(&arena);
}

static void wrong_types(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"[]", "the value is a list, not a map"},
		{"{\"content\":5}", "content is a number, not a string"},
		{"{\"type\":true}", "type is a truth value"},
		{"{\"type\":\"a\\u0000\"}", "type contains a NUL"},
		{"{\"fields\":[]}", "fields is a list, not a map"},
		{"{\"fields\":{\"tool_args\":{}}}", "fields.tool_args is a map, not a string"},
		{"{\"metrics\":{\"rate\":\"5\"}}", "metrics.rate is a string, not a number"},
		{"{\"metadata\":\"x\"}", "metadata is a string"},
		{"{\"sessionId\":1}", "sessionId is a number"},
		{"{\"trace\":{}}", "trace has no list of spans"},
		{"{\"trace\":{\"spans\":[1]}}", "a span of the trace is a number"},
		{"{\"trace\":{\"spans\":[{\"attributes\":[]}]}}", "attributes is a list"},
		{"{\"timestamp\":{}}", "timestamp is a map"},
		{"{\"scanContext\":[]}", "scanContext is a list"},
	};
	struct arena arena = {0};
	struct event e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(read_event(&arena, rows[i].text, &e) == -1 && strstr(said, rows[i].words),
		   "%s: %s", rows[i].text, said);
	for (size_t spans = EVENT_SPANS_MAX; spans <= EVENT_SPANS_MAX + 1; spans++) {
		size_t len;
		AUTO_FREE char *s =
			repeated("{\"trace\":{\"spans\":[{}", ",{}", spans - 1, "]}}", &len);
		ok((read_event(&arena, s, &e) == 0) == (spans == EVENT_SPANS_MAX), "%zu spans: %s",
		   spans, said);
	}
	arena_done(&arena);
}

static void times(void)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"\"1970-01-01T00:00:00Z\"", 0},
		{"\"2026-01-02T03:04:05.678Z\"", 1767323045678},
		{"\"2026-01-02T03:04:05.6789+01:30\"", 1767323045678 - 5400000},
		{"\"2026-01-02T03:04-02:00\"", 1767323040000 + 7200000},
		{"\"2024-02-29\"", 1709164800000},
		{"1767323045678.9", 1767323045678},
		{"1e99", EVENT_TIME_NONE},
		{"\"\"", EVENT_TIME_NONE},
		{"\"yesterday\"", EVENT_TIME_NONE},
		{"\"2026-13-02\"", EVENT_TIME_NONE},
		{"\"2026-01-02T03:04:05Zx\"", EVENT_TIME_NONE},
		{"\"2026-01-02T0304\"", EVENT_TIME_NONE},
	};
	struct arena arena = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[128];
		struct event e = {0};
		snprintf(text, sizeof(text), "{\"timestamp\":%s}", rows[i].text);
		ok(read_event(&arena, text, &e) == 0 && e.time_ms == rows[i].ms, "%s is %lld",
		   rows[i].text, (long long)e.time_ms);
	}
	arena_done(&arena);
}

int main(void)
{
	values();
	lines();
	refusals();
	json_maxima();
	events();
	wrong_types();
	times();
	return tap_done();
}
