/* SPDX-License-Identifier: MIT
 *
 * The linear matcher: windows, steps that grow linearly with the text, and every maximum, at it
 * and beyond; each question by bits and with a pool. That its answers equal those of PCRE2 and of
 * JavaScript is tested with every row of test_regex.c, with random patterns in test_db.c, and by
 * tests/atr.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "linear_kit.h"
#include "tap.h"

enum { PATTERN_ROOM = 1 << 16, BAIT = 4000 };

static struct linear_pool *pool;

typedef struct linear *make_fn(const struct js_ast *ast, struct err *err);

static struct linear *make_by(make_fn *fn, const char *source, unsigned flags)
{
	struct regex regex;
	struct err err = {0};
	struct linear *l = NULL;

	if (regex_translate(source, strlen(source), flags, &regex, &err) == 0) {
		l = fn(&regex.ast, &err);
		regex_done(&regex);
	}
	if (!l && err.code != ERR_LIMIT)
		printf("# %s\n", err.message);
	return l;
}

static struct linear *make(const char *source, unsigned flags)
{
	return make_by(linear_new, source, flags);
}

/* Windows: the places from FROM to TO, up to END. */
static const struct {
	const char *source, *text;
	size_t from, to, end;
	enum match_answer answer;
} windows[] = {
	{"foo", "xfoo", 0, 4, 4, MATCH_YES},
	{"foo", "xfoo", 1, 1, 4, MATCH_YES},
	{"foo", "xfoo", 2, 4, 4, MATCH_NO},
	{"foo", "xfoo", 0, 0, 4, MATCH_NO},
	{"foo", "xfoo", 0, 3, 3, MATCH_NO},
	{"\\bfoo", "xfoo", 1, 1, 4, MATCH_NO},
	{"(?<=x)foo", "xfoo", 1, 1, 4, MATCH_YES},
	{"(?<!y.{0,9})foo", "y..foo", 3, 3, 6, MATCH_NO},
	{"^foo", "foofoo", 3, 3, 6, MATCH_NO},
	{"^foo", "foofoo", 0, 3, 6, MATCH_YES},
	{"a.*b", "xa\na..b", 0, 1, 8, MATCH_NO},
	{"a.*b", "xa\na..b", 0, 3, 8, MATCH_YES},
	{"(?:(?!b)[^])*c", "aabc", 0, 0, 4, MATCH_NO},
	{"(?:(?!b)[^])*c", "aabc", 0, 3, 4, MATCH_YES},
	{"a(?![^>]*x)", "ab>xax", 0, 1, 6, MATCH_YES},
	{"a(?![^>]*x)", "ab>xax", 1, 6, 6, MATCH_NO},
	{"a(?=.*bc)d", "ad bc\nad cb", 0, 11, 11, MATCH_YES},
	{"a(?=.*bc)d", "ad bc\nad cb", 1, 11, 11, MATCH_NO},
	{"a(?=(?:(?!x)[^])*b$)", "a xb", 0, 4, 4, MATCH_NO},
	{"a(?=(?:(?!x)[^])*b$)", "x a \xc3\xa9 b", 0, 8, 8, MATCH_YES},
	{"", "", 0, 0, 0, MATCH_YES},
	{"$", "aa", 0, 1, 2, MATCH_NO},
	{"$", "aa", 0, 2, 2, MATCH_YES},
	{"\xc3\xa9+x", "\xc3\xa9\xc3\xa9x", 2, 2, 5, MATCH_YES},
	{"[^a]b",
	 "ab\xc3\xa9"
	 "b",
	 0, 5, 5, MATCH_YES},
	{"\\b\xc3\xa9\\Bx", "\xc3\xa9x", 0, 3, 3, MATCH_NO},
	{"x\\b\xc3\xa9", "x\xc3\xa9", 0, 3, 3, MATCH_YES},
	{"(?<=(?!ab)a.)c", "abc axc", 0, 7, 7, MATCH_YES},
	{"(?<=(?!ab)a.)c", "abc abc", 0, 7, 7, MATCH_NO},
	{"(?=(?:(?!ab).)*$)x", "x ab x", 0, 0, 6, MATCH_NO},
	{"(?=(?:(?!ab).)*$)x", "x ab x", 0, 5, 6, MATCH_YES},
	{"(?:(?<!a)b)+c", "abbc bbc", 0, 8, 8, MATCH_YES},
	{"(?:(?<!a)b){2,}c", "abbc", 0, 4, 4, MATCH_NO},
};

static void test_windows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
		struct linear *l = make(windows[i].source, 0);
		struct match_window w = {
			.from = windows[i].from, .to = windows[i].to, .end = windows[i].end};
		uint64_t steps = UINT64_MAX;

		ok(l && linear_run_all(l, pool, windows[i].text, &w, &steps) ==
				   (int)windows[i].answer,
		   "window %zu: /%s/", i, windows[i].source);
		linear_free(l);
	}
}

/* The steps of the expression on LEN bytes of bait. */
static uint64_t steps_of(struct linear *l, const char *bait, size_t len)
{
	struct match_window w = {.to = len, .end = len};
	uint64_t steps = UINT64_MAX;

	return linear_run_all(l, pool, bait, &w, &steps) == MATCH_NO ? UINT64_MAX - steps : 0;
}

/* Expressions that explode in a backtracking matcher. */
static void test_growth(void)
{
	static const char *const source[] = {
		"(?:a|a|b)*(?:a|b)*(?:a|b)*!",
		"(?:a+)+b",
		"a.*a.*a.*a.*!",
		"(?:a[^]{0,200}?a[^]{0,200}?){3,}!",
		"(?:(?!bb)[^]){0,100}!",
		"(?<=a{1,9})a*!",
		"(?:a(?![^>]*b)){2,}!",
		"a(?=.*(?!b)a.*$)(?=a*\\b)!",
	};
	char bait[2 * BAIT];

	memset(bait, 'a', sizeof(bait));
	for (size_t i = 0; i < ARRAY_SIZE(source); i++) {
		struct linear *l = make(source[i], 0);
		uint64_t one = steps_of(l, bait, BAIT), two = steps_of(l, bait, sizeof(bait));

		if (!ok(one && two <= 2 * one + 100, "twice the text, twice the steps: /%s/",
			source[i]))
			printf("# %llu, then %llu\n", (unsigned long long)one,
			       (unsigned long long)two);
		linear_free(l);
	}
}

static void test_steps(void)
{
	struct linear *l = make("(?:a|b)+(?=a*!)c", 0);
	char bait[100];
	struct match_window w = {.to = sizeof(bait), .end = sizeof(bait)};

	memset(bait, 'a', sizeof(bait));
	uint64_t enough = steps_of(l, bait, sizeof(bait)), steps = enough;
	ok(linear_run_all(l, pool, bait, &w, &steps) == MATCH_NO && !steps, "exactly enough steps");
	steps = enough - 1;
	ok(linear_run_all(l, pool, bait, &w, &steps) == MATCH_UNDECIDED, "one too few: undecided");
	steps = 0;
	ok(linear_run_all(l, pool, bait, &w, &steps) == MATCH_UNDECIDED, "none: undecided");
	linear_free(l);
}

/* Can COUNT different characters be taken, each between HEAD and TAIL, and then LAST? */
static bool takes(const char *head, const char *tail, unsigned count, const char *last)
{
	AUTO_FREE char *source = malloc(PATTERN_ROOM);
	size_t len = 0;

	for (unsigned i = 0; i < count; i++)
		len += (size_t)snprintf(source + len, PATTERN_ROOM - len, "%s\\u%04x%s", head,
					0x4e00 + i, tail);
	snprintf(source + len, PATTERN_ROOM - len, "%s", last);
	struct linear *l = make(source, 0);
	bool made = l;
	linear_free(l);
	return made;
}

static void test_maxima(void)
{
	char most[32], over[32];

	/* One more state is the way out of the run, one the match. */
	snprintf(most, sizeof(most), "a{%d}", LINEAR_STATES_MAX - 2);
	snprintf(over, sizeof(over), "a{%d}", LINEAR_STATES_MAX - 1);
	ok(takes("", "", 0, most) && !takes("", "", 0, over), "%d states", LINEAR_STATES_MAX);
	ok(takes("(?=", ")", LINEAR_LOOKS_MAX, "a") &&
		   !takes("(?=", ")", LINEAR_LOOKS_MAX + 1, "a"),
	   "%d lookarounds", LINEAR_LOOKS_MAX);
	ok(takes("", "", LINEAR_CLASSES_MAX, "") && !takes("", "", LINEAR_CLASSES_MAX + 1, ""),
	   "%d characters and classes", LINEAR_CLASSES_MAX);
	ok(!takes("", "", 0, "(?:(?:a?){100}){100}b"), "too many ways from one state to the next");
	ok(!takes("", "", 0, "(a)\\1"), "a back-reference has no linear form");
}

/* Random letters: each place at which a match may begin leads to another set of states. */
static void fill_random(char *text, size_t len, const char *letters, uint64_t seed)
{
	size_t count = strlen(letters);

	for (size_t i = 0; i < len; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		text[i] = letters[(seed >> 33) % count];
	}
}

enum { LONG = 1 << 20 };

/* More states than fit into the pool, repeated or not. */
static void test_full(void)
{
	AUTO_FREE char *text = malloc(LONG);
	static const struct {
		const char *source, *letters;
	} row[] = {
		{"a[^]{900}[^ab]!", "ab"},
		{"(?<=a[^]{9})a[^]{9000}(?![^ab]*!)[^ab]!", "aab"},
		{"a(?=[^]{0,40}bbbb)[^]{90}(?=.*!)c", "ab"},
	};

	for (size_t i = 0; text && i < ARRAY_SIZE(row); i++) {
		struct linear *l = make(row[i].source, 0);
		uint64_t steps = UINT64_MAX;
		/* The second takes six seconds for the whole text. */
		size_t len = i == 1 && !getenv("TEST_MORE") ? LONG / 4 : LONG;
		struct match_window w = {.to = len, .end = len};

		/* Short repeated pieces, then text that does not repeat, then pieces again. */
		fill_random(text, len, row[i].letters, i);
		for (size_t at = 2000; at < len; at++)
			if (at < len / 4 || at > len / 2)
				text[at] = text[at - 1000 - at / 50000 % 7];
		ok(l && linear_run_all(l, pool, text, &w, &steps) == MATCH_NO,
		   "a full pool gives the same answer: /%s/", row[i].source);
		ok(linear_pool_used(pool) <= LINEAR_POOL_BYTES, "the pool is within its size: %zu",
		   linear_pool_used(pool));
		linear_free(l);
	}
}

/* A new form may have the address of a freed one: the pool must not use the old one's moves. */
static void test_another(void)
{
	static const char *const source[] = {"ab", "ac", "a.", "b", "[^]c", "cb"};
	const char *text = "xacx";
	struct match_window w = {.to = 4, .end = 4};
	static const bool matches[] = {false, true, true, false, true, false};
	size_t wrong = 0;

	for (int round = 0; round < 300; round++) {
		size_t i = (size_t)round % ARRAY_SIZE(source);
		struct linear *l = make(source[i], 0);
		uint64_t steps = UINT64_MAX;

		wrong += linear_run_all(l, pool, text, &w, &steps) !=
			 (matches[i] ? MATCH_YES : MATCH_NO);
		linear_free(l);
	}
	ok(wrong == 0, "a freed form has no effect on a new one");
}

/* More kinds of characters beyond ASCII than a state has moves for. */
static void test_kinds(void)
{
	enum { KINDS = 200 };
	char source[8 * KINDS + 16], text[4 * KINDS + 1];
	size_t len = 0, n = 0;
	uint64_t steps = UINT64_MAX;

	for (unsigned i = 0; i < KINDS; i++) {
		len += (size_t)snprintf(source + len, sizeof(source) - len, "\\u%04x", 0x4e00 + i);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%c%c%c", 0xe4,
				      0xb8 + (int)(i / 64), 0x80 + (int)(i % 64));
	}
	struct linear *l = make(source, 0);
	struct match_window w = {.to = n, .end = n};
	ok(l && linear_run_all(l, pool, text, &w, &steps) == MATCH_YES, "%d kinds", KINDS);
	steps = UINT64_MAX;
	text[n - 1] = (char)0xbf;
	ok(l && linear_run_all(l, pool, text, &w, &steps) == MATCH_NO,
	   "the last is of another kind");
	linear_free(l);
}

/* Stretches in which no match begins, beside words, edges and other characters than ASCII: for
 * every window and every number of steps all ways give the same answer. Without TEST_MORE=1 only each
 * seventh number of steps is tried. */
static void test_pauses(void)
{
	static const char *const source[] = {
		"\\bqx|\\Bqy", "(?<!z)qx", "q(?:x|y)\\b", "(?:qx)?$", "^qx|qx$", "q.{0,3}x",
	};
	static const char text[] = "abc q abcd qz dddd zqx \xc3\xa9"
				   "dddqq  qxx  dddd\xc3\xa9qy ddd dqy d qyd qx.";
	size_t len = strlen(text), wrong = 0;
	uint64_t stride = getenv("TEST_MORE") ? 1 : 7;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(source); i++) {
		struct linear *l = make_by(i % 2 ? linear_new_back : linear_new, source[i / 2], 0);
		for (size_t to = 0; to <= len; to++) {
			struct match_window w = {.to = to, .end = len};
			uint64_t steps = UINT64_MAX;
			wrong += linear_run_all(l, pool, text, &w, &steps) == LINEAR_DIFFERS;
		}
		for (uint64_t most = 0; most < 12 * len; most += stride) {
			struct match_window w = {.to = len, .end = len};
			uint64_t steps = most;
			wrong += linear_run_all(l, pool, text, &w, &steps) == LINEAR_DIFFERS;
		}
		linear_free(l);
	}
	ok(wrong == 0, "stretches give the same answer in every way (%zu differ)", wrong);
}

int main(void)
{
	pool = linear_pool_new();
	test_windows();
	test_growth();
	test_steps();
	test_maxima();
	test_full();
	test_another();
	test_kinds();
	test_pauses();
	linear_pool_free(pool);
	return tap_done();
}
