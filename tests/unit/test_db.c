/* SPDX-License-Identifier: MIT
 *
 * A scan gives the same answers as asking every pattern about the whole text: for patterns written
 * for each way to find literals, and for random ones. Then limits, the wanted set, and threads.
 */
#include <pthread.h>
#include <stdlib.h>

#include "scan/find/pattern_db.h"
#include "tap.h"

enum { TEXTS_MAX = 24, MADE_UP = 3000, ROUNDS = 4, ROWS_MAX = 96 };

static struct db *build(const char *const *source, size_t count, unsigned flags)
{
	struct db_pattern pattern[ROWS_MAX];
	struct db *db = NULL;
	struct err err;

	for (size_t i = 0; i < count; i++)
		pattern[i] = (struct db_pattern){source[i], strlen(source[i]), flags};
	if (db_build(pattern, count, NULL, NULL, &db, &err) < 0)
		printf("# %s\n", err.message);
	return db;
}

static bool has(const uint32_t *list, size_t count, size_t number)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* The number of differences between a scan and asking every pattern; adds the matches to YES. */
static size_t differences(const struct db *db, struct db_scratch *s, const char *data, size_t len,
			  size_t *yes)
{
	struct scan_text text;
	struct db_hits hits;
	struct err err;
	size_t different = 0;

	if (normal_decode(data, len, &text, &err) < 0 ||
	    db_scan(db, s, &text, NULL, &hits, &err) < 0)
		return 1;
	*yes += hits.yesc;
	for (size_t i = 0; i < db_count(db); i++) {
		enum match_answer answer = db_match(db, s, i, &text, NULL);
		bool said = has(hits.yes, hits.yesc, i);
		bool unsure = has(hits.undecided, hits.undecidedc, i);

		for (int way = 0; way < DB_LINEARS; way++) {
			enum match_answer linear = db_match_linear(db, s, i, &text, way);
			if (linear == MATCH_UNDECIDED || answer == MATCH_UNDECIDED ||
			    linear == answer)
				continue;
			different++;
			printf("# pattern %zu: %d, linear way %d: %d\n", i, answer == MATCH_YES,
			       way, linear == MATCH_YES);
		}
		if (answer != MATCH_UNDECIDED && !unsure && said != (answer == MATCH_YES)) {
			different++;
			printf("# pattern %zu: %d, scanned: %d\n", i, answer == MATCH_YES, said);
		}
	}
	normal_done(&text);
	return different;
}

/* Each row: its subject, the pattern, texts that match and texts that do not. */
static const struct {
	const char *what, *source;
	const char *yes[4], *no[4];
} rows[] = {
	{"a word", "ignore", {"IGNORE", "x ignore y"}, {"ignor", ""}},
	{"spaces are one",
	 "ignore\\s+all\\s+rules",
	 {"ignore all  \n rules", "Ignore\tall\vrules"},
	 {"ignoreall rules", "ignore all"}},
	{"a space that must be one", "a b", {"a b"}, {"a  b", "a\tb"}},
	{"two spaces that meet", "foo\\s+\\sbar", {"foo  bar", "foo \n\t bar"}, {"foo bar"}},
	{"an optional word",
	 "ignore\\s+(?:all\\s+)?previous",
	 {"ignore previous", "ignore all previous"},
	 {"ignore al previous"}},
	{"a gap with a longest length",
	 "curl.{0,10}evil",
	 {"curl evil", "curl 12345678 evil"},
	 {"curl 1234567890 evil", "curl\nevil", "evil curl"}},
	{"a gap to the line's end",
	 "curl.*evil",
	 {"curl xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx evil"},
	 {"curl \n evil", "curl\revil"}},
	{"a gap of everything", "curl[\\s\\S]*evil", {"curl\n\n\n\nevil"}, {"evil curl"}},
	{"a run before the literal",
	 "\\w+@example",
	 {"abc@example", "  abc def@example"},
	 {" @example"}},
	{"a line before the literal", "^.*secret", {"xx secret"}, {"xx\nsecret"}},
	{"two runs of one set",
	 "x\\w*yy\\w*zzz",
	 {"xaayyaazzz", "xyyyyyzzz"},
	 {"x yyzzz", "xyy zzz"}},
	{"branches that are far apart",
	 "(?:aaaa.{0,40}|b)target",
	 {"aaaa....target", "btarget"},
	 {"aaatarget", "target"}},
	{"branches without a common set",
	 "(?:foo\\d+x|bar[^z]{3}y)qq",
	 {"foo12xqq", "barabcyqq"},
	 {"fooxqq", "barzbcyqq"}},
	{"whole patterns in branches",
	 "alpha\\d|beta.*gamma|delta",
	 {"alpha1", "beta x gamma", "delta"},
	 {"alpha", "beta\ngamma"}},
	{"what must repeat", "(?:ab\\d){3,}", {"ab1ab2ab3"}, {"ab1ab2ab"}},
	{"what must repeat often", "(?:[.-]+\\s+){5,}x", {". - .. -- . x"}, {". - .. x"}},
	{"a word's edge", "\\bact\\b", {"act", "(act)", "an act."}, {"fact", "acts", "act_"}},
	{"an edge of the long s", "\\bs\\b", {"s", "\xc5\xbfs"}, {"as", "\xc5\xbf"}},
	{"the Kelvin sign is no k", "kill", {"KILL"}, {"\xe2\x84\xaaill"}},
	{"a letter beyond ASCII", "caf\xc3\xa9", {"caf\xc3\xa9", "CAF\xc3\x89"}, {"cafe"}},
	{"a class beyond ASCII",
	 "[\xd0\xb0-\xd1\x8f]{2}x",
	 {"\xd0\xb0\xd0\xb1x", "\xd0\x90\xd0\xb1X"},
	 {"abx", "\xd0\xb0x"}},
	{"half a pair", "\\ud83d", {"\xf0\x9f\x98\x80"}, {"x"}},
	{"a lookahead", "foo(?=bar)b", {"foobar"}, {"foobaz", "foo"}},
	{"a lookahead that is all",
	 "(?=[\\s\\S]*one)(?=[\\s\\S]*two)",
	 {"two one", "one two"},
	 {"one", "two"}},
	{"a lookahead and more", "foo(?=.*bar)x", {"foox bar"}, {"foox", "fooy bar"}},
	{"no lookahead", "foo(?!bar)", {"foobaz", "foobar foo"}, {"foobar"}},
	{"a lookahead beyond the window",
	 "foo(?!.{3,40}bar)",
	 {"foo1bar"},
	 {"foo12345678901234567890bar"}},
	{"a lookbehind", "(?<=key: )\\w{3}", {"key: abc"}, {"key abc"}},
	{"a lookbehind before the window", "(?<!not )allowed", {"is allowed"}, {"not allowed"}},
	{"the end", "foo.{0,5}$", {"foo", "foo12345"}, {"foo123456", "foo\n"}},
	{"a group again", "(ab|cd)-\\1x", {"ab-abx"}, {"ab-cdx"}},
	{"a word again and again",
	 "\\b([a-z]{3,9})\\s+\\1\\s+\\1\\s+\\1\\b",
	 {"foo foo foo foo", "xx foo\nFOO foo\tfoo."},
	 {"foo foo foo fox", "foo foo foo"}},
	{"controls", "[\\x00-\\x08\\x0b\\x0c]{2}", {"a\x01\x02", "\v\f"}, {"a\tb", "\x01 \x02"}},
	{"one byte", "`", {"a`b"}, {"ab"}},
	{"nothing to look for", "\\d", {"a1"}, {"ab"}},
	{"emptiness", "", {"", "x"}, {NULL}},
	{"a class that is a space, too",
	 "foo[\\s_]bar",
	 {"foo bar", "foo_bar", "foo\nbar"},
	 {"foo  bar", "foobar"}},
	{"sixteen letters and more",
	 "abcdefghijklmnopqrstuvwxyz",
	 {"abcdefghijklmnopqrstuvwxyz"},
	 {"abcdefghijklmnopqrstuvwxy", "abcdefghijklmnop"}},
	{"digits behind the literal",
	 "(?:=[0-9a-f]{2}){3}",
	 {"=0a=1B=ff", "x=0a=1b=ffx"},
	 {"=0a=1b=fg", "=0a =1b=ff"}},
	{"the text ends behind the literal", "=[0-9]{2}", {"=12"}, {"=1", "="}},
	{"the text begins with the literal", "[0-9]{2}:x", {"12:x"}, {"2:x", ":x"}},
	{"spaces on both sides of a literal",
	 "x\\s{2}:\\s+\\sy",
	 {"x  :  y", "x\t\n: \n y"},
	 {"x :  y", "x  : y", "x  :  z"}},
	{"a space that belongs to what is before the literal",
	 "[\\s.]{3}\\nfoo",
	 {" . \nfoo", "...\nfoo", "  \n\nfoo"},
	 {"x. \nfoo"}},
	{"a literal that begins another one",
	 "x(?:ab|abc)[0-9]y",
	 {"xab1y", "xabc2y"},
	 {"xabcy", "xabd1y"}},
	{"what follows a literal that was cut",
	 "abcdefghijklmnop(?:qr|s)[0-9]",
	 {"abcdefghijklmnopqr1", "abcdefghijklmnops2"},
	 {"abcdefghijklmnopq1", "abcdefghijklmnopsr"}},
	{"a class in a run behind the literal",
	 "a-[.-]+(?: [.-]+){2}!",
	 {"a-.- -- .!", "a--. . -!"},
	 {"a-. x .!", "a-..!"}},
	{"U+FEFF between letters",
	 "o[\xe2\x80\x8b\xef\xbb\xbf]+v",
	 {"o\xe2\x80\x8bv", "o\xef\xbb\xbf\xe2\x80\x8bv"},
	 {"o v", "ov"}},
	{"branches that need characters beyond ASCII",
	 "[\xe2\x80\x8b\xe2\x80\x8c]{2}x|y[\xd0\xb0-\xd0\xb3]",
	 {"\xe2\x80\x8c\xe2\x80\x8bx", "y\xd0\xb2"},
	 {"\xe2\x80\x8bx", "y\xd0\xb4", "y\xc3\xa9"}},
	{"a word's edge beside letters beyond ASCII",
	 "\\bact\\b",
	 {"\xc3\xa9"
	  "act",
	  "act\xc5\xbf"},
	 {"\xc3\xa9 fact"}},
	{"U+FEFF is a space",
	 "a\\sb",
	 {"a\xef\xbb\xbf"
	  "b",
	  "a\xe2\x80\xa8"
	  "b"},
	 {"a\xe2\x80\x8b"
	  "b"}},
};

/* The same text inside a longer one: a pattern does not see the text far behind its window. */
static size_t differences_amid(const struct db *db, struct db_scratch *s, const char *data)
{
	char text[2000] = "";
	size_t unused = 0, wrong = 0;

	for (int newline = 0; newline < 2; newline++) {
		text[0] = '\0';
		for (int i = 0; i < 1400; i++) {
			if (i == 700)
				strcat(text, data);
			strcat(text, i % 7 ? "q" : newline ? "\n" : " ");
		}
		wrong += differences(db, s, text, strlen(text), &unused);
	}
	return wrong;
}

static void check_row(size_t i, const struct db *all, struct db_scratch *scratch)
{
	struct db *db = build(&rows[i].source, 1, JS_IGNORE_CASE);
	struct err err;
	struct db_scratch *s = db ? db_scratch_new(db, NULL, &err) : NULL;
	size_t yes = 0, wrong = 0, texts = 0;

	for (size_t k = 0; s && k < 4 && rows[i].yes[k]; k++, texts++) {
		size_t before = yes;
		wrong += differences(db, s, rows[i].yes[k], strlen(rows[i].yes[k]), &yes);
		wrong += yes == before;
		wrong += differences_amid(db, s, rows[i].yes[k]);
		wrong += differences(all, scratch, rows[i].yes[k], strlen(rows[i].yes[k]), &yes);
		yes = before;
	}
	for (size_t k = 0; s && k < 4 && rows[i].no[k]; k++, texts++) {
		yes = 0;
		wrong += differences(db, s, rows[i].no[k], strlen(rows[i].no[k]), &yes);
		wrong += yes != 0;
		wrong += differences_amid(db, s, rows[i].no[k]);
		wrong += differences(all, scratch, rows[i].no[k], strlen(rows[i].no[k]), &yes);
	}
	ok(s && texts && wrong == 0, "%s: %s", rows[i].what, rows[i].source);
	db_scratch_free(s);
	db_free(db);
}

static void test_rows(void)
{
	const char *source[ROWS_MAX];
	size_t count = sizeof(rows) / sizeof(rows[0]);
	struct err err;

	for (size_t i = 0; i < count; i++)
		source[i] = rows[i].source;
	struct db *all = build(source, count, JS_IGNORE_CASE);
	struct db_scratch *s = db_scratch_new(all, NULL, &err);
	for (size_t i = 0; i < count; i++)
		check_row(i, all, s);
	db_scratch_free(s);
	db_free(all);
}

/* With i and u the long s is an s, and the Kelvin sign a k. */
static void test_unicode(void)
{
	const char *const source[] = {"mask", "\\bkey\\b", "[s-t]top!"};
	static const char data[] = "ma\xc5\xbf\xe2\x84\xaa \xe2\x84\xaa"
				   "ey \xc5\xbf"
				   "top!";
	struct db *db = build(source, 3, JS_IGNORE_CASE | JS_UNICODE);
	struct err err;
	struct db_scratch *s = db_scratch_new(db, NULL, &err);
	size_t yes = 0;

	ok(differences(db, s, data, sizeof(data) - 1, &yes) == 0 && yes == 3,
	   "characters that fold to a letter under i and u (%zu)", yes);
	db_scratch_free(s);
	db_free(db);
}

/* A fixed sequence, so that a failure can be repeated. */
static uint32_t state = 12345;

static uint32_t pick(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % n;
}

static void put(char *out, size_t room, const char *s)
{
	if (strlen(out) + strlen(s) < room)
		strcat(out, s);
}

/* clang-format off */
static const char *const atom[] = {
	"a", "b", "k", "s", "ab", "sk", "\\s+", "\\s*", "\\s", " ", ".", "[ab]", "[^a]",
	"[\\s\\S]", "\\w", "\\d", "\\b", "\\B", "-", "=", "\xc3\xa9", "\xc5\xbf",
	"\xe2\x84\xaa", "[\\s_-]", "foo", "bar", "key", "[\xd0\xb0-\xd0\xb3]", "\\W", ".*",
	".{0,4}", "[^\\n]*", "\\u{1f600}", "\xf0\x9f\x98\x80", "\\S+", "[\\s\\S]{0,9}", "\\1",
	"$", "^",
};
/* clang-format on */

/* A random expression; some are invalid, which is fine. */
static void make_pattern(char *out, size_t room, int depth)
{
	static const char *const times[] = {"",	 "",	"",	 "",	 "?", "*",
					    "+", "{2}", "{2,4}", "{3,}", "*?"};
	static const char *const open[] = {"(?:", "(", "(?=", "(?!", "(?<=", "(?<!"};

	for (uint32_t n = 1 + pick(5); n; n--) {
		if (depth < 3 && pick(5) == 0) {
			uint32_t kind = pick(3) ? pick(2) : pick(6);
			put(out, room, open[kind]);
			make_pattern(out, room, depth + 1);
			if (pick(2)) {
				put(out, room, "|");
				make_pattern(out, room, depth + 1);
			}
			put(out, room, ")");
			put(out, room, kind < 2 ? times[pick(11)] : "");
		} else {
			put(out, room, atom[pick(sizeof(atom) / sizeof(atom[0]))]);
			put(out, room, pick(3) ? "" : times[pick(11)]);
		}
	}
}

static void make_text(char *out, size_t room)
{
	static const char *const part[] = {
		"a",
		"b",
		"k",
		"s",
		"ab",
		"sk",
		" ",
		" ",
		"\n",
		"\t",
		"  ",
		"-",
		"=",
		"_",
		"foo",
		"bar",
		"key",
		"A",
		"K",
		"S",
		"1",
		"\xc3\xa9",
		"\xc3\x89",
		"\xc5\xbf",
		"\xe2\x84\xaa",
		"\xc2\xa0",
		"\xe2\x80\xa8",
		"\xd0\xb0",
		"\xd0\xb1",
		"\xf0\x9f\x98\x80",
		"\xef\xbb\xbf",
		"\r",
		"x",
	};
	uint32_t kinds = pick(2) ? 21 : sizeof(part) / sizeof(part[0]); /* of ASCII, or all */

	out[0] = '\0';
	for (uint32_t n = pick(40); n; n--)
		put(out, room, part[pick(kinds)]);
}

static void test_made_up(unsigned flags, const char *what)
{
	size_t wrong = 0, yes = 0, shown = 0;
	int count = getenv("TEST_MORE") ? MADE_UP : MADE_UP / 3;

	for (int i = 0; i < count / 4; i++) {
		char pattern[4][200] = {"", "", "", ""}, text[200];
		const char *source[4];
		struct err err;

		for (int k = 0; k < 4; k++) {
			make_pattern(pattern[k], sizeof(pattern[k]), 0);
			source[k] = pattern[k];
		}
		struct db *db = build(source, 4, flags);
		struct db_scratch *s = db_scratch_new(db, NULL, &err);
		for (int k = 0; k < ROUNDS; k++) {
			make_text(text, sizeof(text));
			size_t now = differences(db, s, text, strlen(text), &yes);
			if (now && shown++ < 5)
				printf("# %s\n# %s\n# %s\n# %s\n# on: %s\n", source[0], source[1],
				       source[2], source[3], text);
			wrong += now;
		}
		db_scratch_free(s);
		db_free(db);
	}
	ok(wrong == 0 && yes > (size_t)count / 4, "random patterns and texts, %s: %zu matches",
	   what, yes);
}

/* A text on which the first two patterns explode; the second one has no linear form. */
static char *make_bait(size_t len)
{
	char *data = malloc(len);

	for (size_t i = 0; i < len; i++)
		data[i] = "ab"[i * 7 % 5 % 2];
	memcpy(data + len - 6, "needle", 6);
	memcpy(data + len - 10, "!x ", 3);
	return data;
}

static void test_limits(void)
{
	const char *const source[] = {"(?:a|a|b)*(?:a|b|a)*(?:a|b)*!x$",
				      "((?:a|a|b)*)(?:a|b|a)*\\1(?:a|b)*!x$", "needle",
				      "(?:a|ba|b)+\\s*(?:a|b|ab)*!x "};
	struct match_limits few = {.text_steps = 10000};
	struct db *db = build(source, 4, JS_IGNORE_CASE);
	struct err err = {0};
	struct db_scratch *s = db_scratch_new(db, NULL, &err), *less;
	struct scan_text text;
	struct db_hits hits;
	size_t len = 200000;
	char *data = make_bait(len);

	normal_decode(data, len, &text, &err);
	ok(db_scan(db, s, &text, NULL, &hits, &err) == 0, "a text on which patterns explode");
	ok(hits.undecidedc == 1 && hits.undecided[0] == 1,
	   "a slow pattern without a linear form is undecided");
	ok(hits.yesc == 2 && has(hits.yes, hits.yesc, 2) && has(hits.yes, hits.yesc, 3),
	   "the others are answered, also those that explode");
	less = db_scratch_new(db, &few, &err);
	ok(db_scan(db, less, &text, NULL, &hits, &err) == 0 &&
		   has(hits.undecided, hits.undecidedc, 0) && has(hits.yes, hits.yesc, 2),
	   "a pattern is undecided when no steps are left");
	db_scratch_free(less);
	normal_done(&text);
	free(data);
	db_scratch_free(s);
	db_free(db);
}

/* In another form of the text, a pattern on which PCRE2 was too slow does not get all of its steps
 * again, nor is it tried in both directions. */
static void test_forms(void)
{
	const char *const source[] = {"x[^\\n]*y[^\\n]*y[^\\n]*z"};
	enum { LEN = 100000, PCRE_STEPS = 20000 };
	struct db *db = build(source, 1, 0);
	struct err err = {0};
	struct db_scratch *s = db_scratch_new(db, NULL, &err);
	struct scan_text text, form;
	struct db_hits hits;
	uint64_t no = 0, at[3];
	char *data = malloc(2 * LEN), *other = data + LEN;

	for (size_t i = 0; data && i < LEN; i++)
		data[i] = i > LEN - 9 ? "\nx y\nz z"[i - (LEN - 8)] : "xy"[i % 2];
	memcpy(other, data, LEN);
	for (size_t i = 0; i < LEN - 9; i += 50)
		other[i] = '.';
	normal_decode(data, LEN, &text, &err);
	normal_decode(other, LEN, &form, &err);
	struct db_before before = {&text, &no};
	at[0] = db_steps(s);
	bool done = db_scan(db, s, &text, NULL, &hits, &err) == 0 && !hits.yesc;
	at[1] = db_steps(s);
	done = done && db_scan_after(db, s, &form, NULL, &before, &hits, &err) == 0 && !hits.yesc;
	at[2] = db_steps(s);
	ok(done && at[2] - at[1] + PCRE_STEPS < at[1] - at[0],
	   "a pattern slow in one form of a text takes fewer steps in the next: %llu, %llu",
	   (unsigned long long)(at[1] - at[0]), (unsigned long long)(at[2] - at[1]));
	normal_done(&text);
	normal_done(&form);
	free(data);
	db_scratch_free(s);
	db_free(db);
}

static void test_count(void)
{
	struct db_pattern *many = calloc(DB_PATTERNS_MAX + 1, sizeof(*many));
	struct db *none = NULL;
	struct err err = {0};

	for (size_t i = 0; many && i <= DB_PATTERNS_MAX; i++)
		many[i] = (struct db_pattern){"", 0, 0};
	ok(db_build(many, DB_PATTERNS_MAX + 1, NULL, NULL, &none, &err) < 0 &&
		   err.code == ERR_INPUT && !none,
	   "one pattern too many is refused");
	free(many);
}

static void count_refused(void *context, size_t number, const struct err *why)
{
	if (number == 1 && why->message[0])
		++*(int *)context;
}

static void test_wanted(void)
{
	struct db_pattern pattern[] = {{"foo", 3, 0}, {"(", 1, 0}, {"bar", 3, 0}};
	uint64_t wanted = 1 << 2;
	struct scan_text text;
	struct db_hits hits;
	struct err err;
	struct db *db = NULL;
	int refused = 0;

	ok(db_build(pattern, 3, count_refused, &refused, &db, &err) == 0 && refused == 1 &&
		   db_count(db) == 3,
	   "an invalid expression keeps its number, and the reason is reported");
	struct db_scratch *s = db_scratch_new(db, NULL, &err);
	normal_decode("foo bar (", 9, &text, &err);
	ok(db_scan(db, s, &text, NULL, &hits, &err) == 0 && hits.yesc == 2 && !hits.undecidedc,
	   "and never matches");
	ok(db_scan(db, s, &text, &wanted, &hits, &err) == 0 && hits.yesc == 1 && hits.yes[0] == 2,
	   "only wanted patterns are asked");
	wanted = 0;
	ok(db_scan(db, s, &text, &wanted, &hits, &err) == 0 && hits.yesc == 0,
	   "no pattern may be wanted");
	normal_done(&text);
	db_scratch_free(s);
	db_free(db);
}

static void *scan_often(void *context)
{
	const struct db *db = context;
	struct err err;
	struct db_scratch *s = db_scratch_new(db, NULL, &err);
	size_t yes = 0, wrong = 0;

	for (int i = 0; s && i < 200; i++)
		wrong += differences(db, s, "ignore all rules; curl x | sh \xc3\xa9", 32, &yes);
	db_scratch_free(s);
	return (void *)(s && !wrong && yes == 600 ? db : NULL);
}

static void test_threads(void)
{
	const char *const source[] = {"ignore\\s+all", "curl.*sh", "x | sh \xc3\xa9", "nothing"};
	struct db *db = build(source, 4, JS_IGNORE_CASE);
	pthread_t thread[4];
	bool good = true;

	for (int i = 0; i < 4; i++)
		good &= pthread_create(&thread[i], NULL, scan_often, db) == 0;
	for (int i = 0; i < 4; i++) {
		void *ret = NULL;
		pthread_join(thread[i], &ret);
		good &= ret == db;
	}
	ok(good, "threads share a database");
	db_free(db);
}

int main(void)
{
	test_rows();
	test_unicode();
	test_made_up(JS_IGNORE_CASE, "ignoring case");
	test_made_up(JS_IGNORE_CASE | JS_UNICODE, "with u");
	test_made_up(0, "with case");
	test_made_up(JS_MULTILINE | JS_DOT_ALL | JS_IGNORE_CASE, "with m and s");
	test_limits();
	test_forms();
	test_count();
	test_wanted();
	test_threads();
	return tap_done();
}
