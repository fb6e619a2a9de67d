/* SPDX-License-Identifier: MIT
 *
 * The canonical text, its map back, and fingerprints: what two texts share is found.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"
#include "trust/evidence/canonical_text.h"
#include "trust/evidence/winnow.h"

static const struct {
	const char *name, *text, *canon;
} rows[] = {
	{"empty", "", ""},
	{"case and space", "Import  OS\n\tx", "importosx"},
	{"quotes", "a'b\"c`d", "abcd"},
	{"comments, lists, quotations", "# a\n * b\n> c", "abc"},
	{"escapes", "a\\'b\\\"c\\d", "abcd"},
	{"an escaped line end", "os\\nimport\\r\\n\\tx", "osimportx"},
	{"the same, escaped again", "os\\\\nimport\\\\\\\\tx", "osimportx"},
	{"a backslash at the end", "a\\", "a"},
	{"curly quotes",
	 "\xe2\x80\x9c"
	 "a\xe2\x80\x99",
	 "a"},
	{"zero width",
	 "a\xe2\x80\x8b"
	 "b\xef\xbb\xbf"
	 "c",
	 "abc"},
	{"no-break space",
	 "a\xc2\xa0"
	 "b",
	 "ab"},
	{"full width", "\xef\xbc\xa1\xef\xbd\x82\xef\xbc\x8e\xef\xbc\x82", "ab."},
	{"hyphens and the minus",
	 "a\xe2\x80\x91\xe2\x80\x94\xe2\x88\x92"
	 "b",
	 "a---b"},
	{"tags",
	 "a\xf3\xa0\x81\x81"
	 "b",
	 "ab"},
	{"invisible characters",
	 "a\xcd\x8f"
	 "b\xd8\x9c"
	 "c\xe1\x85\xa0"
	 "d\xe2\x81\xa5"
	 "e\xe3\x85\xa4"
	 "f\xef\xbe\xa0"
	 "g\xe1\xa0\x8c"
	 "h",
	 "abcdefgh"},
	{"marks upon letters", "e\xcc\x81v\xcc\xb6i\xe2\x83\x9dl", "evil"},
	{"letters beyond ASCII stay", "\xc3\x89t\xc3\xa9", "\xc3\x89t\xc3\xa9"},
	{"no UTF-8 stays",
	 "\xff\xc3("
	 "\xe2\x80",
	 "\xff\xc3(\xe2\x80"},
	{"controls",
	 "a\x01\x7f"
	 "b",
	 "ab"},
};

static void test_rows(void)
{
	struct canon c = {0};
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].text), n = strlen(rows[i].canon);
		bool good = canon_text(&c, rows[i].text, len, &err) == 0 && c.len == n &&
			    memcmp(c.byte, rows[i].canon, n) == 0 && c.map[n] == len;
		ok(good, "canonical: %s", rows[i].name);
		if (!good)
			printf("# %.*s\n", (int)c.len, (char *)c.byte);
		for (size_t k = 1; k <= c.len; k++)
			good = good && c.map[k - 1] < c.map[k];
		ok(good, "its map goes up: %s", rows[i].name);
	}
	canon_done(&c);
}

static void test_map(void)
{
	struct canon c = {0};
	struct err err;
	const char *text = " 'A' \\n b";

	ok(canon_text(&c, text, strlen(text), &err) == 0 && c.len == 2 && text[c.map[0]] == 'A' &&
		   text[c.map[1]] == 'b',
	   "the map leads to the bytes");
	canon_done(&c);
}

static void test_limit(void)
{
	AUTO_FREE char *text = malloc(CANON_TEXT_MAX + 1);
	struct canon c = {0};
	struct err err = {0};

	memset(text, 'x', CANON_TEXT_MAX + 1);
	ok(canon_text(&c, text, CANON_TEXT_MAX, &err) == 0 && c.len == CANON_TEXT_MAX,
	   "the longest text");
	ok(canon_text(&c, text, CANON_TEXT_MAX + 1, &err) < 0 && err.code == ERR_LIMIT,
	   "one byte more");
	canon_done(&c);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void fill(char *text, size_t len, uint64_t *state)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz0123456789()=.,;+-";

	for (size_t i = 0; i < len; i++)
		text[i] = chars[next_random(state) % (sizeof(chars) - 1)];
}

static bool share(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct canon c = {0};
	struct prints x = {0}, y = {0};
	struct err err;
	bool found = false;

	if (canon_text(&c, a, a_len, &err) == 0)
		winnow(&c, &x);
	if (canon_text(&c, b, b_len, &err) == 0)
		winnow(&c, &y);
	for (size_t i = 0; i < x.count; i++)
		for (size_t k = 0; k < y.count; k++)
			found = found || PRINT_HASH(x.list[i]) == PRINT_HASH(y.list[k]);
	canon_done(&c);
	prints_done(&x);
	prints_done(&y);
	return found;
}

/* A run of LEN characters in two texts that share nothing else. */
static bool is_run_found(size_t len, uint64_t *state)
{
	char a[200], b[300];
	size_t at = next_random(state) % (sizeof(a) - len),
	       to = next_random(state) % (sizeof(b) - len);

	fill(a, sizeof(a), state);
	fill(b, sizeof(b), state);
	memcpy(b + to, a + at, len);
	return share(a, sizeof(a), b, sizeof(b));
}

static void test_guarantee(void)
{
	uint64_t state = 7;
	int found = 0, shorter = 0, none = 0;

	for (int i = 0; i < 3000; i++) {
		found += is_run_found(WINNOW_SHARED, &state);
		shorter += is_run_found(WINNOW_K - 5, &state);
		none += is_run_found(0, &state);
	}
	ok(found == 3000, "every shared run of %d characters is found", WINNOW_SHARED);
	ok(shorter == 0 && none == 0, "no run that is clearly shorter than a piece is");
}

static void test_plain(void)
{
	struct canon c = {0};
	struct prints p = {0};
	struct err err;
	char text[4000];

	memset(text, '-', sizeof(text));
	for (size_t i = 0; i < sizeof(text); i += 3)
		text[i] = (char)('0' + i % 6);
	canon_text(&c, text, sizeof(text), &err);
	winnow(&c, &p);
	ok(p.count == 0, "a ruler has no fingerprints");
	canon_done(&c);
	prints_done(&p);
}

static void test_sort(size_t count)
{
	struct prints p = {0};
	struct err err;
	uint64_t state = count + 1;
	size_t most = 0, run = 0;

	for (size_t i = 0; i < count; i++)
		prints_add(&p, PRINT((next_random(&state) % (count / 8 + 1)) << PRINT_AT_BITS,
				     next_random(&state) % 1000));
	bool good =
		prints_sort(&p, PRINT_SAME_MAX, &err) == 0 && prints_are_sorted(p.list, p.count);
	for (size_t i = 0; i < p.count; i++) {
		run = i && PRINT_HASH(p.list[i]) == PRINT_HASH(p.list[i - 1]) ? run + 1 : 1;
		most = run > most ? run : most;
	}
	ok(good && most <= PRINT_SAME_MAX, "%zu are sorted and few are equal", count);
	for (uint64_t h = 0; h < count / 8 + 2; h++) {
		size_t at = prints_seek(p.list, p.count, 0, h), plain = 0;
		while (plain < p.count && PRINT_HASH(p.list[plain]) < h)
			plain++;
		good = good && at == plain;
	}
	ok(good, "seeking in %zu", count);
	prints_done(&p);
}

int main(void)
{
	test_rows();
	test_map();
	test_limit();
	test_guarantee();
	test_plain();
	test_sort(0);
	test_sort(50);
	test_sort(5000);
	return tap_done();
}
