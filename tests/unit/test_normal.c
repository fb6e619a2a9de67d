/* SPDX-License-Identifier: MIT
 *
 * Text as rules see it: decoding of invalid input, the normalised form, UTF-16 counts, and the
 * work on hostile texts.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/text/nfkc.h"
#include "scan/text/normal.h"
#include "steps.h"
#include "tap.h"

enum { STEPS_MAX = 1000, NOISE_STEPS_MAX = 60 }; /* a byte */

#define FFFD "\xef\xbf\xbd"

struct row {
	const char *in, *out;
	size_t in_len;
};
#define ROW(in, out)                                                                               \
	{                                                                                          \
		in, out, sizeof(in) - 1                                                            \
	}

/* clang-format off */
static const struct row decoded[] = {
	ROW("plain", "plain"), ROW("\xff", FFFD), ROW("a\xc0\xaf", "a" FFFD FFFD),
	ROW("\xe2\x82", FFFD), ROW("\xe2\x82z", FFFD "z"), ROW("\xed\xa0\x80", FFFD FFFD FFFD),
	ROW("\xf0\x9f\x98", FFFD), ROW("\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD),
	ROW("\xf0\x80\x80\x80", FFFD FFFD FFFD FFFD), ROW("\xe0\x80", FFFD FFFD),
	ROW("\xc2\xc2\xa0", FFFD "\xc2\xa0"), ROW("\x80", FFFD), ROW("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"),
	ROW("\xef\xbb\xbfx", "\xef\xbb\xbfx"), ROW("", ""),
};
static const struct row folded[] = {
	ROW("plain", "plain"), ROW("\xef\xbd\x81\xef\xbc\xa1", "aA"), ROW("e\xcc\x81", "\xc3\xa9"),
	ROW("a\xe2\x80\x8b" "b", "ab"), ROW("\xef\xbb\xbfx", "x"), ROW("\xe1\xa0\x8e", ""),
	ROW("\xe2\x80\xaa\xe2\x81\xa6x\xe2\x81\xa9\xe2\x80\xac", "x"),
	/* A mark after a deleted character does not join the character before. */
	ROW("e\xe2\x80\x8d\xcc\x81", "e\xcc\x81"),
	ROW("ign\xd0\xbere", "ignore"), ROW("\xd0\xb6", "\xd0\xb6"), ROW("\xc7\x80", "l"),
	/* Only together with a letter of the scripts that trigger the search. */
	ROW("\xc9\xa1", "\xc9\xa1"), ROW("\xc9\xa1\xd0\xb6", "g\xd0\xb6"),
	ROW("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c"), ROW("\xc5\xbf\xe2\x84\xaa", "sK"),
	ROW("\xef\xb7\xba",
	    "\xd8\xb5\xd9\x84\xd9\x89 \xd8\xa7\xd9\x84\xd9\x84\xd9\x87 \xd8\xb9\xd9\x84\xd9\x8a"
	    "\xd9\x87 \xd9\x88\xd8\xb3\xd9\x84\xd9\x85"),
	ROW("a\xcc\x81\xcc\xa3", "\xe1\xba\xa1\xcc\x81"), ROW("\xf0\x9c\xb3\x96\xf0\x9c\xb3\xb9", "A9"),
	ROW("\xf0\x9d\x90\x80", "A"), ROW("\xff", FFFD),
};
/* clang-format on */

static void test_decode(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(decoded); i++) {
		const struct row *r = &decoded[i];
		struct scan_text t;
		struct err err;
		ok(normal_decode(r->in, r->in_len, &t, &err) == 0 && t.len == strlen(r->out) &&
			   !memcmp(t.data, r->out, t.len),
		   "decoded row %zu", i);
		normal_done(&t);
	}
}

static void test_fold(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(folded); i++) {
		const struct row *r = &folded[i];
		struct scan_text raw, t = {0};
		struct err err;
		ok(normal_decode(r->in, r->in_len, &raw, &err) == 0 &&
			   normal_fold(&raw, &t, &err) == 0 && t.len == strlen(r->out) &&
			   !memcmp(t.data, r->out, t.len),
		   "normalised row %zu", i);
		ok((t.data == raw.data) == (raw.len == t.len && !memcmp(raw.data, t.data, t.len)),
		   "  and borrowed when nothing changed");
		normal_done(&t);
		normal_done(&raw);
	}
}

static void test_units(void)
{
	static const char text[] = "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z";
	struct scan_text t;
	struct err err;

	ok(normal_decode(text, sizeof(text) - 1, &t, &err) == 0 && t.utf16 == 6 && !t.ascii,
	   "UTF-16 counts halves of pairs");
	ok(t.unit_len == t.len + 2 && !memcmp(t.unit + 6, "\xed\xa0\xbd\xed\xb8\x80z", 7),
	   "the form of code units has both halves");
	ok(normal_utf16_at(t.data, t.len - 1) == 5 && normal_utf16_at(t.unit, t.unit_len - 1) == 5,
	   "an index is the same in both");
	normal_done(&t);
	ok(normal_decode("ab", 2, &t, &err) == 0 && t.ascii && t.unit == t.data && !t.owned,
	   "ASCII is not copied");
	normal_done(&t);
}

/* The work to normalise TOTAL bytes of UNITs; 0 when that fails. */
static uint64_t work(const char *unit, size_t total)
{
	size_t len = strlen(unit);
	AUTO_FREE char *text = malloc(total);
	struct scan_text raw = {0}, t = {0};
	struct err err;

	total = total / len * len;
	for (size_t i = 0; text && i < total; i += len)
		memcpy(text + i, unit, len);
	uint64_t begin = steps;
	bool done = text && normal_decode(text, total, &raw, &err) == 0 &&
		    normal_fold(&raw, &t, &err) == 0;
	uint64_t end = steps;
	normal_done(&t);
	normal_done(&raw);
	return done ? end - begin : 0;
}

/* Marks are sorted: eight times the text may take ten times the work. */
static void test_work(const char *unit, const char *what)
{
	uint64_t small = work(unit, 125000), large = work(unit, 1000000);

	ok(small && large && large <= small * 10 && large < 1000000ull * STEPS_MAX,
	   "a megabyte of %s: %.1f steps a byte (%.1f in an eighth)", what, (double)large / 1e6,
	   (double)small / 125e3);
}

/* Random bytes, mostly invalid, with some of everything between them: binary files are scanned in
 * many forms, so each form must be cheap. */
static void test_noise(void)
{
	char unit[4096];
	uint32_t random = 1;

	for (size_t i = 0; i < sizeof(unit) - 1; i++) {
		random = random * 1664525 + 1013904223;
		unit[i] = (char)(1 + (random >> 16) % 255);
	}
	unit[sizeof(unit) - 1] = '\0';
	uint64_t took = work(unit, 1000000);
	ok(took && took < 1000000ull * NOISE_STEPS_MAX, "a megabyte of noise: %.1f steps a byte",
	   (double)took / 1e6);
}

/* Runs are normalised in pieces; no piece may end between characters that belong together. */
static void test_pieces(const char *unit, const char *out)
{
	enum { COUNT = 2 * NFKC_PIECE, SHIFTS = 4 };
	static const char before[] = "\xef\xbd\xb1", after[] = "\xe3\x82\xa2"; /* of 3 bytes */
	size_t in_len = strlen(unit), out_len = strlen(out), bad = 0;
	AUTO_FREE char *text = malloc(3 * SHIFTS + COUNT * in_len);

	for (size_t shift = 0; shift < SHIFTS; shift++) {
		struct scan_text raw = {0}, t = {0};
		struct err err;
		for (size_t i = 0; i < shift; i++)
			memcpy(text + 3 * i, before, 3);
		for (size_t i = 0; i < COUNT; i++)
			memcpy(text + 3 * shift + i * in_len, unit, in_len);
		bad += normal_decode(text, 3 * shift + COUNT * in_len, &raw, &err) < 0 ||
		       normal_fold(&raw, &t, &err) < 0 || t.len != 3 * shift + COUNT * out_len;
		for (size_t i = 0; !bad && i < shift; i++)
			bad += memcmp(t.data + 3 * i, after, 3) != 0;
		for (size_t i = 0; !bad && i < COUNT; i++)
			bad += memcmp(t.data + 3 * shift + i * out_len, out, out_len) != 0;
		normal_done(&t);
		normal_done(&raw);
	}
	ok(!bad, "%d times %s in pieces", COUNT, unit);
}

static void test_maxima(void)
{
	AUTO_FREE char *text = calloc(1, NORMAL_TEXT_MAX + 1);
	struct scan_text t;
	struct err err;

	if (!ok(text != NULL, "memory for the longest text"))
		return;
	ok(normal_decode(text, NORMAL_TEXT_MAX, &t, &err) == 0 && t.utf16 == NORMAL_TEXT_MAX,
	   "the longest text, all NUL");
	normal_done(&t);
	ok(normal_decode(text, NORMAL_TEXT_MAX + 1, &t, &err) < 0 && err.code == ERR_LIMIT,
	   "one byte more is refused");
}

/* The normal forms of X, C and Y. */
static bool becomes(uint32_t before, uint32_t c, const char *expected)
{
	char text[16];
	size_t len = utf8_put(text, before);
	struct scan_text raw, t;
	struct err err;

	len += utf8_put(text + len, c);
	text[len++] = 'y';
	if (normal_decode(text, len, &raw, &err) < 0 || normal_fold(&raw, &t, &err) < 0)
		return false;
	bool good = t.len == strlen(expected) && memcmp(t.data, expected, t.len) == 0;
	if (!good)
		printf("# U+%04X\n", c);
	normal_done(&t);
	normal_done(&raw);
	return good;
}

/* Tables of pages are used first: each row must still be found. Some lookalikes are searched only
 * where there is another. */
static void test_every_lookalike(void)
{
	static const struct {
		uint32_t from;
		char to;
	} rows[] = {
#define LOOKALIKE(from, to) {from, to},
#include "scan/text/lookalike.def"
#undef LOOKALIKE
	};
	static const uint32_t dropped[] = {0x180e, 0x200b, 0x200f, 0x202a, 0x202e,
					   0x2060, 0x2066, 0x2069, 0xfeff};
	size_t wrong = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t c = rows[i].from;
		bool alone = c == 0x131 || c == 0x1c0 || (c >= 0x370 && c <= 0x4ff) || c == 0x578;
		wrong += !becomes(0x131, c, (char[]){'i', rows[i].to, 'y', 0});
		wrong += alone && !becomes('x', c, (char[]){'x', rows[i].to, 'y', 0});
	}
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
		wrong += !becomes('x', dropped[i], "xy");
	ok(!wrong, "every lookalike is replaced and invisible characters are dropped: %zu are not",
	   wrong);
}

int main(void)
{
	test_every_lookalike();
	test_decode();
	test_fold();
	test_units();
	test_pieces("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c");
	test_pieces("\xe3\x81\x8b\xe3\x82\x99", "\xe3\x81\x8c");
	test_pieces("\xe0\xa7\x87\xe0\xa6\xbe", "\xe0\xa7\x8b");
	test_pieces("\xe0\xa7\x87\xe0\xa6\xbe\xcc\xa3\xcc\x81", "\xe0\xa7\x8b\xcc\xa3\xcc\x81");
	test_work("\xcc\x81\xcc\xa3", "marks in the wrong order");
	test_work("\xef\xb7\xba", "the longest decomposition");
	test_work("\xd0\xbe", "lookalikes");
	test_work("\xff", "broken bytes");
	test_work("\xea\xb0\x80\xe1\x86\xa8", "syllables");
	test_noise();
	test_maxima();
	return tap_done();
}
