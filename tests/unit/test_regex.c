/* SPDX-License-Identifier: MIT
 *
 * JavaScript's meaning, row by row: whether an expression matches a text, and where. Each row was
 * checked with Node.js (which accepts the lookbehinds that are refused here); tests/atr does the
 * same with many more. Then every maximum, at it and beyond.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "linear_kit.h"
#include "scan/regex/match.h"
#include "tap.h"

enum { I = JS_IGNORE_CASE, U = JS_UNICODE, M = JS_MULTILINE, S = JS_DOT_ALL };
enum { NO = -1, BAD = -2 };

#define HALF_HIGH "\\ud83d"
#define GRIN "\xf0\x9f\x98\x80"

/* clang-format off */
static const struct row { const char *source; unsigned flags; const char *text; int at; } rows[] = {
	/* dots, spaces, ends */
	{"a.b", I, "a\nb", NO}, {"a.b", I, "a\xe2\x80\xa8" "b", NO}, {"a.b", I, "a\xc2\x85" "b", 0},
	{"a.b", I | S, "a\nb", 0}, {"a[^]b", I, "a\nb", 0}, {"a[]b", I, "ab", NO}, {"a[]*b", I, "ab", 0},
	{"\\s", I, "\xef\xbb\xbf", 0}, {"\\s", I, "\xc2\x85", NO}, {"\\S", I, "\xe3\x80\x80", NO},
	{"a$", I, "a\n", NO}, {"a$", I | M, "a\nb", 0}, {"^b", I, "a\nb", NO}, {"^b", I | M, "a\nb", 2},
	{"^b", I | M, "a\xe2\x80\xa9" "b", 2}, {"\\bb", I, "\xc3\xa9" "b", 1},
	{"\\w", I, "\xc3\xa9", NO},
	{"\\d", I, "\xd9\xa1", NO}, {"\\bs\\b", I | U, "s\xe2\x84\xaa", NO},
	{"\\bs\\b", I, "s\xe2\x84\xaa", 0},
	/* case */
	{"s", I, "\xc5\xbf", NO}, {"k", I, "\xe2\x84\xaa", NO}, {"s", I | U, "\xc5\xbf", 0},
	{"[a-z]", I, "\xc5\xbf\xe2\x84\xaa", NO}, {"[^s]", I, "\xc5\xbf", 0},
	{"[^s]", I | U, "\xc5\xbf", NO},
	{"\xc3\xa9", I, "\xc3\x89", 0}, {"\xcf\x83", I, "\xcf\x82", 0},
	{"\xc3\x9f", I, "\xe1\xba\x9e", NO},
	{"\xc3\x9f", I | U, "\xe1\xba\x9e", 0}, {"[\xd0\xb0-\xd1\x8f]", I, "\xd0\x96", 0},
	{"a", 0, "A", NO},
	{"\xe1\xbe\x80", I, "\xe1\xbe\x88", NO}, {"\xc2\xb5", I, "\xce\x9c", 0},
	{"\\W", I | U, "\xc5\xbf", NO},
	/* UTF-16 */
	{"^.$", I, GRIN, NO}, {"^..$", I, GRIN, 0}, {"^.$", I | U, GRIN, 0},
	{"a.{2}b", I, "a" GRIN "b", 0},
	{HALF_HIGH, I, GRIN, 0}, {HALF_HIGH, I | U, GRIN, NO}, {"\\ude00", I, "a" GRIN, 2},
	{"\\ud83d\\ude00", I | U, GRIN, 0}, {"[" GRIN "]", I, "\xf0\x9f\x98\x81", 0},
	{"[" GRIN "]", I | U, "\xf0\x9f\x98\x81", NO}, {"x", I, GRIN "x", 2}, {"x", I | U, GRIN "x", 2},
	{"\\u{1f600}", I | U, GRIN, 0}, {"\\u{3}", I, "uuu", 0}, {"(?:\\udb40[\\udc00-\\udc7f]){3,}", I,
	 "\xf3\xa0\x81\x81\xf3\xa0\x81\x82\xf3\xa0\x81\x83", 0},
	/* escapes */
	{"\\x41\\u0042\\103\\cA\\0", I, "ABC\x01", NO}, {"\\x41\\u0042\\103\\cA", I, "ABC\x01", 0},
	{"\\x4g\\u004g", I, "x4gu004g", 0}, {"\\c", I, "\\c", 0}, {"[\\c]", I, "\\", 0},
	{"[\\c1]", I, "\x11", 0},
	{"\\8\\9", I, "89", 0}, {"\\400", I, " 0", 0}, {"\\q\\-\\_\\ ", I, "q-_ ", 0},
	{"\\q", I | U, "q", BAD},
	{"\\k", I, "k", 0}, {"\\k<a>", I, "k<a>", 0}, {"(?<a>x)\\k<a>", I, "xX", 0},
	{"\\k<a>(?<a>x)", I, "x", 0},
	{"(?<a>x)\\k", I, "", BAD}, {"\\a\\e\\h\\R\\K\\Q\\E\\A\\Z\\z\\G", I, "aehRKQEAZzG", 0},
	{"(?:(?:\\w+\\s+){2,})\\1{3,}", I, "a b \1\1\1", 0}, {"(a)\\1", I, "aA", 0},
	{"\\1(a)", I, "a", 0},
	{"(a)|\\1b", I, "b", 0}, {"\\2(a)", I, "\2" "a", 0}, {"\\p{Lu}", U, "aB", 1},
	{"\\p{Lu}", I, "p{lu}", 0},
	{"[\\b]", I, "\b", 0}, {"[\\B]", I, "b", 0},
	/* literal braces and brackets */
	{"a{,2}", I, "a{,2}", 0}, {"a{", I, "a{", 0}, {"}]{a}", I, "}]{a}", 0}, {"a{1", I, "a{1", 0},
	{"{1}", I, "", BAD}, {"a{2,1}", I, "", BAD}, {"a{", I | U, "", BAD}, {"]", I | U, "", BAD},
	{"a**", I, "", BAD}, {"(?=a)*b", I, "b", 0}, {"(?=a)*", I | U, "", BAD}, {"(?<=a)*", I, "", BAD},
	{"^*", I, "", BAD}, {"\\b+", I, "", BAD}, {"(", I, "", BAD}, {")", I, "", BAD},
	{"[", I, "", BAD},
	{"[b-a]", I, "", BAD}, {"\\", I, "", BAD}, {"(?i:a)", I, "", BAD}, {"(?>a)", I, "", BAD},
	{"(?#a)", I, "", BAD}, {"[\\w-z]", I, "-", 0}, {"[\\w-z]", I | U, "", BAD},
	{"[[:alpha:]]", I, ":]", 0},
	{"a++", I, "", BAD}, {"[a&&b]", I, "&", 0}, {"(?<a>x)(?<a>y)", I, "", BAD}, {"\xff", I, "", BAD},
	/* lookbehind */
	{"(?<=a|bbb)x", I, "bbbx", 3}, {"(?<=ab?)x", I, "abx", 2}, {"(?<!a(?:b|cc))x", I, "accx", NO},
	{"(?<=a[^]{0,500})x", I, "a......x", 7}, {"(?<=a.{0,2})x", I, "a...x", NO},
	{"(?<=^|b)x", I, "x", 0}, {"(?<=(?:a|bb){2})x", I, "abbx", 3},
	{"\\B(?<=" GRIN ")x", I, GRIN "x", NO}, {"(?<=" GRIN ")x", I, GRIN "x", 2},
	/* lookbehind without a maximum length: part of the match when it comes first, else
	 * refused */
	{"(?<=\\bfoo\\s+)x", I, "foo \n x", 0}, {"(?<!a+)x", I, "x", BAD}, {"a(?<=b*)", I, "a", BAD},
	{"(?<=(a|bb)\\1)x", I, "", BAD},
	/* parts that are cut at the end */
	{"ab*?", I, "xa", 1}, {"a(?:(?!x)[^]){0,500}", I, "ba", 1}, {"a(?=b[^]{0,9})c*", I, "ab", 0},
	{"a(?:(?!secret)[^]){0,400}}", I, "a....}", 0},
	{"a(?:(?!secret)[^]){0,400}}", I, "a.secret.}", NO},
	/* parts that need to be tried only at the start */
	{"(?=[^]*b)(?=[^]*c)", I, "xcb", 0}, {"(?=[^]*b)(?=[^]*c)", I, "xb", NO},
	{"(?=[^]*b)c", I, "acb", 1},
	{"(?=.*b)", I, "\nb", 1},
	{"", I, "x", 0}, {"a|", I, "x", 0}, {"x{0}", I, "", 0}, {"(?!)", I, "x", NO},
};
/* clang-format on */

/* The linear form, if there is one, must give the same answer as PCRE2. */
static bool agrees(const struct regex *regex, const struct scan_text *text, bool matches)
{
	bool unicode = regex->ast.flags & JS_UNICODE;
	struct linear_pool *pool = linear_pool_new();
	int answer = linear_ask_all(&regex->ast, pool, unicode ? text->data : text->unit,
				    unicode ? text->len : text->unit_len);

	linear_pool_free(pool);
	return regex->ast.has_backref || answer == (matches ? MATCH_YES : MATCH_NO);
}

static int ask(const char *source, size_t len, unsigned flags, struct scan_text *text, bool wide)
{
	struct regex regex;
	struct err err = {0};
	struct match_code *code = NULL;
	struct match_scratch *s = match_scratch_new(NULL, &err);
	size_t at = 0;
	int result = BAD;

	text->ascii &= !wide;
	if (s && regex_translate(source, len, flags, &regex, &err) == 0) {
		code = match_compile(&regex, &err);
		if (code)
			result = match_run(code, s, text, &at) == MATCH_YES ? (int)at : NO;
		if (code && !agrees(&regex, text, result >= 0))
			result = -5;
		regex_done(&regex);
	}
	if (!code && !err.message[0])
		result = -3;
	match_free(code);
	match_scratch_free(s);
	return result;
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct scan_text text;
		struct err err;
		int got[2] = {-4, -4};
		for (int wide = 0; wide < 2; wide++) {
			normal_decode(r->text, strlen(r->text), &text, &err);
			got[wide] = ask(r->source, strlen(r->source), r->flags, &text, wide);
			normal_done(&text);
		}
		if (!ok(got[0] == r->at && got[1] == r->at, "row %zu: /%s/", i, r->source))
			printf("# ASCII %d, wide %d, expected %d\n", got[0], got[1], r->at);
	}
}

/* Is UNIT, repeated COUNT times between HEAD and TAIL, translated? */
static bool takes(const char *head, const char *unit, size_t count, const char *tail)
{
	size_t size = strlen(head) + strlen(unit) * count + strlen(tail) + 1;
	AUTO_FREE char *source = malloc(size);
	struct regex regex;
	struct err err = {0};

	if (!source)
		return false;
	char *end = stpcpy(source, head);
	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, unit);
	stpcpy(end, tail);
	if (regex_translate(source, strlen(source), JS_IGNORE_CASE, &regex, &err) < 0)
		return false;
	regex_done(&regex);
	return true;
}

static bool nests(size_t depth)
{
	char tail[JS_DEPTH_MAX + 2] = "";

	memset(tail, ')', depth);
	return takes("", "(", depth, tail);
}

static bool names(unsigned count)
{
	char source[JS_NAME_MAX * 16 + 16] = "", *end = source;

	for (unsigned i = 0; i < count; i++)
		end += sprintf(end, "(?<n%u>)", i);
	return takes(source, "", 0, "");
}

static void test_maxima(void)
{
	char at[64], over[64];

	ok(takes("", "a", JS_SOURCE_MAX, "") && !takes("", "a", JS_SOURCE_MAX + 1, ""),
	   "an expression of %d bytes, not one more", JS_SOURCE_MAX);
	ok(nests(JS_DEPTH_MAX) && !nests(JS_DEPTH_MAX + 1), "groups %d deep", JS_DEPTH_MAX);
	ok(takes("", "()", JS_GROUPS_MAX, "") && !takes("", "()", JS_GROUPS_MAX + 1, ""),
	   "%d groups", JS_GROUPS_MAX);
	ok(names(JS_NAME_MAX) && !names(JS_NAME_MAX + 1), "%d named groups", JS_NAME_MAX);
	snprintf(at, sizeof(at), "a{%d}b", JS_REPEAT_MAX);
	snprintf(over, sizeof(over), "a{%d}b", JS_REPEAT_MAX + 1);
	ok(takes(at, "", 0, "") && !takes(over, "", 0, ""), "a repeat of %d", JS_REPEAT_MAX);
	snprintf(at, sizeof(at), "x(?<=a{1,%d})b", JS_BEHIND_MAX);
	snprintf(over, sizeof(over), "x(?<=a{1,%d})b", JS_BEHIND_MAX + 1);
	ok(takes(at, "", 0, "") && !takes(over, "", 0, ""), "a lookbehind of %d lengths",
	   JS_BEHIND_MAX);
	ok(takes("", "\\s", 5000, "b") && !takes("", "\\s", 30000, "b"),
	   "a pattern of a megabyte is too large");
	ok(!takes("", "\\s", 30000, "[^\\W]b"), "and more ranges too");
}

static void test_rule_source(void)
{
	static const struct {
		const char *value;
		size_t skip;
		unsigned flags;
	} values[] = {
		{"(?i)abc", 4, I},    {"(?ims)abc", 6, I},
		{"abc(?i)", 0, I},    {"(?i)\\u{41}", 4, I | U},
		{"\\p{L}", 0, I | U}, {"(?:a)", 0, I},
		{"(?)a", 0, I},	      {"(?iz)a", 0, I},
		{"(?i", 0, I},	      {"", 0, I},
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		size_t skip = 99;
		unsigned flags = regex_of_rule(values[i].value, strlen(values[i].value), &skip);
		ok(skip == values[i].skip && flags == values[i].flags, "a rule's \"%s\"",
		   values[i].value);
	}
}

/* Reaching a limit is an answer of its own. */
static void test_limits(void)
{
	static const char source[] = "(?:a|aa)+[bc]";
	static const struct match_limits few = {.steps = 1000};
	struct regex regex;
	struct scan_text text;
	struct err err;
	char bait[64];

	memset(bait, 'a', sizeof(bait));
	ok(regex_translate(source, sizeof(source) - 1, I, &regex, &err) == 0, "an expression");
	struct match_code *code = match_compile(&regex, &err);
	struct match_scratch *s = match_scratch_new(&few, &err);
	normal_decode(bait, sizeof(bait), &text, &err);
	if (ok(code && s, "that explodes"))
		ok(match_run(code, s, &text, NULL) == MATCH_UNDECIDED,
		   "reaching a limit is undecided, not \"no match\"");
	normal_done(&text);
	match_scratch_free(s);
	match_free(code);
	regex_done(&regex);
}

int main(void)
{
	test_rows();
	test_maxima();
	test_rule_source();
	test_limits();
	return tap_done();
}
