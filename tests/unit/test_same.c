/* SPDX-License-Identifier: MIT
 *
 * A text that is much like one scanned before: equal parts are found, and a part that matches only
 * because of a changed neighbour does not count as equal. Each row is a pattern that does not
 * match in the first text and does in the second.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "scan/find/pattern_db.h"
#include "scan/text/same.h"
#include "tap.h"

#define LINE "The quick brown fox jumps over the lazy dog and then it sleeps for an hour.\n"
#define FRONT LINE LINE LINE
#define BACK "\n" LINE LINE LINE LINE LINE LINE LINE

static const struct {
	const char *what, *source, *was, *is;
} rows[] = {
	{"a word", "secret key", FRONT "secret kez" BACK, FRONT "secret key" BACK},
	{"the character before it", "\\bsecret key", FRONT "asecret key" BACK,
	 FRONT " secret key" BACK},
	{"one of three bytes before it", "\\bsecret key", FRONT "the asecret key" BACK,
	 FRONT "the \xe2\x80\x94secret key" BACK},
	{"the character behind it", "secret key\\b", FRONT "secret keyz" BACK,
	 FRONT "secret key." BACK},
	{"a lookahead", "secret key(?! of)", FRONT "secret key of" BACK,
	 FRONT "secret key if" BACK},
	{"a lookbehind", "(?<=the dear old )secret key", FRONT "the near old secret key" BACK,
	 FRONT "the dear old secret key" BACK},
	{"a lookbehind that must fail", "(?<!the .{1,9})secret key",
	 FRONT "the old secret key" BACK, FRONT "thy old secret key" BACK},
	{"the text's beginning", "^The quick", "x" FRONT BACK, FRONT BACK},
	{"the text's beginning, elsewhere before", "(?:^|x)hour", FRONT BACK, "hour.\n" FRONT BACK},
	{"the text's end", "hour\\.$", FRONT BACK "x", FRONT BACK LINE "an hour."},
	{"a gap", "quick.{0,40}cat", FRONT "The quick brown dog" BACK,
	 FRONT "The quick brown cat" BACK},
	{"a gap over lines", "secret[\\s\\S]*sesame", FRONT "secret" BACK "same",
	 FRONT "secret" BACK "sesame"},
	{"the same word again", "(\\w{6}) and \\1", FRONT "secret and secred" BACK,
	 FRONT "secret and secret" BACK},
	{"one of the astral ones", "secret\xf0\x9f\x98\x80key",
	 FRONT "secret\xf0\x9f\x98\x81key" BACK, FRONT "secret\xf0\x9f\x98\x80key" BACK},
};

static bool scan(const struct db *db, struct db_scratch *s, const struct scan_text *text,
		 const struct db_before *before)
{
	struct db_hits hits;
	struct err err;

	return db_scan_after(db, s, text, NULL, before, &hits, &err) == 0 && hits.yesc == 1;
}

static void test_row(size_t i, unsigned flags)
{
	struct db_pattern pattern = {rows[i].source, strlen(rows[i].source), flags};
	struct scan_text was, is;
	struct db *db = NULL;
	struct err err;
	uint64_t no = 1;
	bool good = db_build(&pattern, 1, NULL, NULL, &db, &err) == 0;
	struct db_scratch *s = good ? db_scratch_new(db, NULL, &err) : NULL;

	good = s && normal_decode(rows[i].was, strlen(rows[i].was), &was, &err) == 0 &&
	       normal_decode(rows[i].is, strlen(rows[i].is), &is, &err) == 0;
	ok(good && !scan(db, s, &was, NULL), "%s: no match in the first text", rows[i].what);
	struct db_before before = {&was, &no};
	ok(good && scan(db, s, &is, &before), "a match in the second, flags %u", flags);
	ok(good && !scan(db, s, &was, &(struct db_before){&was, &no}),
	   "no match in the first again");
	normal_done(&is);
	normal_done(&was);
	db_scratch_free(s);
	db_free(db);
}

/* Equal near misses cost nothing the second time. */
static void test_steps(void)
{
	static const char source[] = "lazy dog and th[a-z]n it sl[a-z]{1,3}t";
	struct db_pattern pattern = {source, strlen(source), 0};
	struct scan_text text;
	struct db *db = NULL;
	struct err err;
	uint64_t no = 1, first, second;
	bool good = db_build(&pattern, 1, NULL, NULL, &db, &err) == 0;
	struct db_scratch *s = good ? db_scratch_new(db, NULL, &err) : NULL;

	if (!s || normal_decode(FRONT BACK, strlen(FRONT BACK), &text, &err) < 0)
		exit(1);
	scan(db, s, &text, NULL);
	first = db_steps(s);
	scan(db, s, &text, &(struct db_before){&text, &no});
	second = db_steps(s) - first;
	ok(first > 0 && second == 0, "equal parts are not asked again (%llu steps, then %llu)",
	   (unsigned long long)first, (unsigned long long)second);
	normal_done(&text);
	db_scratch_free(s);
	db_free(db);
}

static void test_parts(void)
{
	static struct same s;
	static const char was[] = FRONT "%41" BACK, is[] = FRONT "A" BACK;
	size_t front = strlen(FRONT), len = strlen(is);

	same_find(&s, is, len, was, strlen(was));
	ok(s.count == 2 && s.part[0].to == front && s.part[1].from == front + 1 &&
		   s.part[1].at == front + 3 && s.part[1].to == len,
	   "an escape in place splits the text in two parts");
	ok(same_has(&s, 0, front) && !same_has(&s, 0, front + 1) && !same_has(&s, front, len),
	   "the first part ends at the escape");
	ok(!same_has(&s, front + 1 + SAME_CONTEXT - 1, len) &&
		   same_has(&s, front + 1 + SAME_CONTEXT, len),
	   "the second begins one character after it");
	same_find(&s, is, len - 1, was, strlen(was));
	ok(!same_has(&s, front + 9, len - 1) && same_has(&s, front + 9, len - 2),
	   "an end equals only an end");
	same_find(&s, is, len, "", 0);
	ok(s.count == 0 && !same_has(&s, 0, 0), "two empty texts have no parts");
}

static void fill(char *to, size_t len, unsigned period)
{
	for (size_t i = 0; i < len; i++)
		to[i] = (char)('a' + (i % period + i / period) % 26);
}

/* Many small differences: the number of parts and the work are bounded. */
static void test_many(void)
{
	static struct same s;
	enum { LEN = 400000 };
	char *a = malloc(LEN), *b = malloc(LEN);
	size_t inside = 0;

	if (!a || !b)
		exit(1);
	fill(a, LEN, 83);
	memcpy(b, a, LEN);
	for (size_t i = 0; i < LEN; i += 90)
		b[i] = '#';
	same_find(&s, b, LEN, a, LEN);
	for (size_t i = 0; i < s.count; i++) {
		const struct same_part *p = &s.part[i];
		inside += p->to <= LEN && memcmp(b + p->from, a + p->at, p->to - p->from) == 0;
	}
	ok(s.count == SAME_MAX && inside == s.count, "at most %d parts, all of them equal",
	   SAME_MAX);
	for (size_t i = 0; i < LEN; i += 7)
		b[i] = '#';
	same_find(&s, b, LEN, a, LEN);
	ok(s.count == 0, "no part when every byte changed");
	free(a);
	free(b);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned flags = 0; flags < 2; flags++)
			test_row(i, flags ? JS_IGNORE_CASE | JS_UNICODE : 0);
	test_steps();
	test_parts();
	test_many();
	return tap_done();
}
