/* SPDX-License-Identifier: MIT
 *
 * The small parts of the engine, each by a table: fields, expressions, quoted code, languages, small
 * letters, a skill's blocks.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "detect/event.h"
#include "detect/fence.h"
#include "detect/json_read.h"
#include "detect/language.h"
#include "detect/skill.h"
#include "rule/expression.h"
#include "scan/text/lower.h"
#include "scan/text/normal.h"
#include "tap.h"

static void fields(void)
{
	static const struct {
		const char *event, *field, *text; /* NULL: none; "!": refused */
	} rows[] = {
		{"{\"type\":\"llm_input\",\"content\":\"c\"}", "user_input", "c"},
		{"{\"type\":\"llm_input\",\"content\":\"c\"}", "content", "c"},
		{"{\"type\":\"llm_input\",\"content\":\"c\"}", "agent_output", NULL},
		{"{\"type\":\"llm_output\",\"content\":\"c\"}", "agent_output", "c"},
		{"{\"type\":\"llm_output\",\"content\":\"c\"}", "user_input", NULL},
		{"{\"type\":\"tool_response\",\"content\":\"c\"}", "user_input", "c"},
		{"{\"type\":\"tool_response\",\"content\":\"c\"}", "agent_output", "c"},
		{"{\"type\":\"tool_response\",\"content\":\"c\",\"fields\":{\"user_input\":\"\"}}",
		 "user_input", NULL},
		{"{\"type\":\"tool_response\",\"content\":\"c\",\"fields\":{\"user_input\":null}}",
		 "user_input", "c"},
		{"{\"type\":\"tool_response\",\"content\":\"c\"}", "tool_args", NULL},
		{"{\"type\":\"tool_call\",\"content\":\"c\"}", "tool_args", "c"},
		{"{\"type\":\"tool_call\",\"content\":\"c\"}", "tool_name", "c"},
		{"{\"type\":\"tool_call\",\"content\":\"c\",\"fields\":{\"tool_name\":\"\"}}",
		 "tool_name", "c"},
		{"{\"type\":\"tool_call\",\"content\":\"c\",\"fields\":{\"tool_args\":\"\"}}",
		 "tool_args", NULL},
		{"{\"type\":\"tool_call\",\"content\":\"c\",\"fields\":{\"tool_args\":\"a\"}}",
		 "tool_args", "a"},
		{"{\"type\":\"multi_agent_message\",\"content\":\"c\"}", "agent_message", "c"},
		{"{\"type\":\"agent_behavior\",\"content\":\"c\"}", "metric", "c"},
		{"{\"type\":\"x\",\"content\":\"c\"}", "user_input", NULL},
		{"{\"type\":\"x\",\"content\":\"c\",\"fields\":{\"content\":\"f\"}}", "content",
		 "f"},
		{"{\"type\":\"x\",\"content\":\"\"}", "content", NULL},
		{"{\"metadata\":{\"tool_description\":\"m\"}}", "tool_description", "m"},
		{"{\"metadata\":{\"odd\":\"m\"}}", "odd", "m"},
		{"{\"metadata\":{\"user_input\":\"m\"}}", "user_input", NULL},
		{"{\"metadata\":{\"odd\":[1]}}", "odd", "!"},
		{"{\"metadata\":{\"odd\":[1]},\"fields\":{\"odd\":\"f\"}}", "odd", "f"},
		{"{\"content\":\"c\",\"scanContext\":\"skill\",\"fields\":{\"odd\":\"f\"}}", "odd",
		 "c"},
		{"{\"content\":\"\",\"scanContext\":\"skill\",\"fields\":{\"odd\":\"f\"}}", "odd",
		 "f"},
	};
	struct arena arena = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct node *n = NULL;
		struct event e;
		struct text t = {"?", 1};
		struct err err = {0};
		enum field field = (enum field)vocab_find(VOCAB_FIELD, rows[i].field);
		if (json_read(rows[i].event, strlen(rows[i].event), 1, &arena, &n, &err) < 0 ||
		    event_from_node(n, &e, &err) < 0) {
			ok(false, "row %zu: %s", i, err.message);
			continue;
		}
		int result = field_resolve(&e, field, rows[i].field, &t, &err);
		const char *text = result < 0 ? "!" : t.s;
		ok(text == rows[i].text || (text && rows[i].text && !strcmp(text, rows[i].text)),
		   "%s of %s is %s", rows[i].field, rows[i].event, text ? text : "none");
	}
	arena_done(&arena);
}

static void plain_fields(void)
{
	struct event e = {.type = EVENT_OTHER, .plain = true, .content = {"c", 1}};
	struct err err;

	for (unsigned f = 0; f <= FIELD_OTHER; f++) {
		const struct word *w = vocab_at(VOCAB_FIELD, f);
		struct text t = {NULL, 0};
		bool is = f != FIELD_TOOL_NAME && f != FIELD_METRIC && f != FIELD_OTHER;
		int result = field_resolve(&e, (enum field)f, w ? w->name : "odd", &t, &err);
		ok(result == 0 && (t.s != NULL) == is, "a plain text is %s%s", is ? "" : "not ",
		   w ? w->name : "any other field");
	}
}

static void expressions(void)
{
	static const struct {
		const char *text;
		const char *answers; /* of a, b and c: n, u, y */
		enum answer is;
	} rows[] = {
		{"a", "ynn", ANSWER_YES},
		{" a ", "unn", ANSWER_UNDECIDED},
		{"NOT a", "nnn", ANSWER_YES},
		{"NOT a", "unn", ANSWER_UNDECIDED},
		{"NOT a OR b", "nyn", ANSWER_NO},
		{"a OR b AND c", "ynn", ANSWER_YES},
		{"a OR b AND c", "nyn", ANSWER_NO},
		{"(a OR b) AND c", "ynn", ANSWER_NO},
		{"(a or b) and c", "yny", ANSWER_YES},
		{"a AND b", "yun", ANSWER_UNDECIDED},
		{"a AND b", "nun", ANSWER_NO},
		{"a OR b", "yun", ANSWER_YES},
		{"a AND NOT (b OR c)", "ynn", ANSWER_YES},
		{"any", "yyy", ANSWER_NO},
		{"", "yyy", ANSWER_NO},
		{"a AND", "yyy", ANSWER_NO},
		{"((((a))))", "ynn", ANSWER_YES},
		{"(a", "ynn", ANSWER_NO},
		{"()", "ynn", ANSWER_NO},
		{"a aND b", "yyn", ANSWER_NO},
	};
	struct rule_condition conditions[3] = {
		{.name = {"a", 1}}, {.name = {"b", 1}}, {.name = {"c", 1}}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rule rule = {.expression = rows[i].text, .conditionc = 3};
		enum answer answer[3];
		rule.condition = conditions;
		for (int k = 0; k < 3; k++)
			answer[k] = (enum answer)(strchr("nuy", rows[i].answers[k]) - "nuy");
		ok(expression_ask(&rule, answer) == rows[i].is, "\"%s\" with %s is %d",
		   rows[i].text, rows[i].answers, rows[i].is);
	}
}

static void deep_expressions(void)
{
	struct rule_condition a = {.name = {"a", 1}};
	enum answer yes = ANSWER_YES;

	for (size_t depth = EXPRESSION_DEPTH_MAX; depth <= EXPRESSION_DEPTH_MAX + 1; depth++) {
		char text[2 * EXPRESSION_DEPTH_MAX + 4];
		struct rule rule = {.expression = text, .conditionc = 1, .condition = &a};
		memset(text, '(', depth);
		text[depth] = 'a';
		memset(text + depth + 1, ')', depth);
		text[2 * depth + 1] = '\0';
		ok(expression_ask(&rule, &yes) ==
			   (depth == EXPRESSION_DEPTH_MAX ? ANSWER_YES : ANSWER_UNDECIDED),
		   "%zu parentheses", depth);
	}
}

static void fences(void)
{
	static const struct {
		const char *text, *ranges;
	} rows[] = {
		{"", ""},
		{"abc", ""},
		{"a\n```\nb\n```\nc", "2-12 "},
		{"```x\nb", "0-6 "},
		{"  ```\n```", "0-10 "},
		{"a ``` b", ""},
		{"x `y` z", "2-5 "},
		{"`` `a` `b\n`", "1-4 5-8 "},
		{"``a`", "1-4 "},
		{"```\n`a`\n```\n`b`", "0-15 "},
		{"`a``b` `c`", "0-6 7-10 "},
		{"| `x \"a` b\"", "2-11 "},
		{"| \"a\" | \"b\"\n\"c\"", "2-5 8-11 "},
		{"x\r| \"a\"", "4-7 "},
		{"x\xe2\x80\xa8|\"a\"", "3-6 "},
		{" | \"a\"", ""},
		{"| \"\" \"x\"", "3-6 "},
		{"\xf0\x9f\x98\x80\xc3\xa9`a`", "3-6 "},
		{"\xe3\x80\x80```\na", "0-6 "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fences f = {0};
		char got[128] = "";
		fences_find(rows[i].text, strlen(rows[i].text), true, &f);
		for (size_t k = 0; k < f.count; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%zu-%zu ",
				 f.range[k].from, f.range[k].to);
		ok(!strcmp(got, rows[i].ranges), "row %zu: %s", i, got);
		if (f.count)
			ok(fences_contain(&f, f.range[0].from) && !fences_contain(&f, 999),
			   "row %zu: its start is in it", i);
		fences_done(&f);
	}
}

/* In whichever order they were found: the way out of them, and into the next. */
static void fences_ways(void)
{
	static const char text[] = "| \"a\"\n`b``c` d\n```\ne\n```";
	static const struct {
		size_t unit, leave, enter;
	} rows[] = {{0, 0, 2},	 {2, 5, 6},   {4, 5, 6},    {5, 5, 6},
		    {6, 12, 15}, {9, 12, 15}, {12, 12, 15}, {15, 25, SIZE_MAX}};
	struct fences f = {0};

	fences_find(text, strlen(text), true, &f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(fences_leave(&f, rows[i].unit) == rows[i].leave &&
			   fences_enter(&f, rows[i].unit) == rows[i].enter,
		   "from %zu: leaves at %zu, enters at %zu", rows[i].unit,
		   fences_leave(&f, rows[i].unit), fences_enter(&f, rows[i].unit));
	fences_done(&f);
}

static void languages(void)
{
	static const struct {
		const char *text, *is;
	} rows[] = {
		{"hello", "en"},
		{"", "en"},
		{"caf\xc3\xa9", "es"},
		{"\xc2\xbf"
		 "no?",
		 "es"},
		{"stra\xc3\x9f"
		 "e",
		 "en"},
		{"\xe4\xbd\xa0", "zh-Hant"},
		{"\xe5\x9b\xbd", "zh-Hans"},
		{"\xe5\x9c\x8b", "zh-Hant"},
		{"\xe5\x9b\xbd\xe5\x9c\x8b", "zh-Hant"},
		{"\xe5\x9b\xbd\xe3\x81\x82", "ja"},
		{"\xe3\x81\x82\xd8\xb9", "ar"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(!strcmp(language_of(rows[i].text, strlen(rows[i].text)), rows[i].is),
		   "row %zu is %s", i, rows[i].is);
	ok(language_fits("en", "en") && !language_fits("en", "es"), "a language matches itself");
	ok(language_fits("zh-Hans", "zh-Hant") && language_fits("zh-Hant", "zh-Hans") &&
		   !language_fits("zh-Hans", "ja"),
	   "the two forms of Chinese match each other");
}

static void small_letters(void)
{
	static const struct {
		const char *text, *small;
	} rows[] = {
		{"", ""},
		{"AbC 1", "abc 1"},
		{"\xc3\x84", "\xc3\xa4"},
		{"\xc4\xb0X", "i\xcc\x87x"},
		{"\xce\x9f\xce\x94\xce\x9f\xce\xa3", "\xce\xbf\xce\xb4\xce\xbf\xcf\x82"},
		{"\xce\xa3\xce\x91", "\xcf\x83\xce\xb1"},
		{"\xce\xa3", "\xcf\x83"},
		{"A\xce\xa3.", "a\xcf\x82."},
		{"A\xce\xa3'B", "a\xcf\x83'b"},
		{"\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"},
		{"\xe2\x84\xaa", "k"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = 0;
		AUTO_FREE char *s = lower_text(rows[i].text, strlen(rows[i].text), &len);
		ok(s && len == strlen(rows[i].small) && !strcmp(s, rows[i].small), "row %zu: %s", i,
		   s);
	}
}

static void stripped(void)
{
	static const char text[] = "z\xd0\xb5"
				   "b\xe2\x80\x8br\xef\xbd\x81";
	struct scan_text raw, strip, fold;
	struct err err;

	ok(normal_decode(text, sizeof(text) - 1, &raw, &err) == 0 &&
		   normal_strip(&raw, &strip, &err) == 0 && normal_fold(&raw, &fold, &err) == 0,
	   "both forms");
	ok(strip.len == 6 && !memcmp(strip.data,
				     "z\xd0\xb5"
				     "bra",
				     6),
	   "stripping leaves lookalikes");
	ok(fold.len == 5 && !memcmp(fold.data, "zebra", 5), "folding replaces them");
	normal_done(&fold);
	normal_done(&strip);
	normal_done(&raw);
}

#define PLAIN "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY" /* A to X, 32 characters */
#define BINARY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
#define HALF "QUIBAkNEAwRFRgUGR0gHCElKCQpLTAsM" /* AB12CD34 and so on: half of it printable */

static void blocks(void)
{
	static const struct {
		const char *text;
		size_t count;
		const char *first;
	} rows[] = {
		{"", 0, NULL},
		{PLAIN, 1, "ABCDEFGHIJKLMNOPQRSTUVWX"},
		{"(" PLAIN "WQ==)", 1, "ABCDEFGHIJKLMNOPQRSTUVWXY"},
		{PLAIN "W", 1, "ABCDEFGHIJKLMNOPQRSTUVWX"},
		{"QUJDREVGR0hJSktMTU5PUFFSU1RVVld", 0, NULL},
		{BINARY, 0, NULL},
		{HALF, 0, NULL},
		{PLAIN " " PLAIN " " BINARY " " PLAIN " " PLAIN " " PLAIN, 5, NULL},
		{PLAIN " " PLAIN " " PLAIN " " PLAIN " " PLAIN " " PLAIN, 5, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text block[SKILL_BLOCKS_MAX], content = {rows[i].text, strlen(rows[i].text)};
		struct arena arena = {0};
		struct err err;
		size_t count = 99;
		ok(skill_blocks(content, &arena, block, &count, &err) == 0 &&
			   count == rows[i].count &&
			   (!rows[i].first || (block[0].len == strlen(rows[i].first) &&
					       !memcmp(block[0].s, rows[i].first, block[0].len))),
		   "row %zu: %zu blocks", i, count);
		arena_done(&arena);
	}
}

int main(void)
{
	fields();
	plain_fields();
	expressions();
	deep_expressions();
	fences();
	fences_ways();
	languages();
	small_letters();
	stripped();
	blocks();
	return tap_done();
}
