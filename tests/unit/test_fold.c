/* SPDX-License-Identifier: MIT
 *
 * Folded text beyond its literals: rows of equal words, where only some places are tested,
 * compared with a plain search; and counting UTF-16 eight bytes at a time compared with one by
 * one.
 */
#include "scan/text/fold.h"

#include "base/utf8.h"
#include "scan/text/normal.h"
#include "tap.h"

enum { TEXTS = 4000, TEXT_MAX = 400, COUNT_MAX = 16, LEN_MAX = 6 };

static uint32_t state = 1;

static uint32_t draw(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

/* Words of three letters, often repeated: rows of any length. */
static size_t make_up(char *text)
{
	char word[40] = "a";
	size_t len = 0, letters = 1;

	while (len < TEXT_MAX - 50 && draw(60)) {
		if (!draw(8)) {
			letters = 1 + draw(draw(10) ? 7 : 39);
			for (size_t i = 0; i < letters; i++)
				word[i] = (char)('a' + draw(3));
		}
		memcpy(text + len, word, letters);
		len += letters;
		for (uint32_t n = !!draw(40); n; n = !draw(10))
			text[len++] = " \n\t"[draw(3)];
	}
	return len;
}

static size_t word_at(const struct folded *f, size_t at)
{
	size_t len = 0;

	while (at + len < f->len && f->byte[at + len] != ' ')
		len++;
	return len;
}

/* From every word on, as far as it repeats. */
static bool has_row(const struct folded *f, size_t count, size_t least)
{
	for (size_t at = 0; at < f->len; at++) {
		size_t len = word_at(f, at), row = len >= least, next = at + len + 1;

		if (at && f->byte[at - 1] != ' ')
			continue;
		while (row && next < f->len && word_at(f, next) == len &&
		       !memcmp(f->byte + next, f->byte + at, len)) {
			row++;
			next += len + 1;
		}
		if (row >= count)
			return true;
	}
	return false;
}

static void test_equal_words(void)
{
	size_t wrong = 0, yes = 0, no = 0;
	struct folded f = {0};
	char text[TEXT_MAX];
	struct err err;

	for (int i = 0; i < TEXTS; i++) {
		size_t len = make_up(text);
		if (fold_text(&f, text, len, true, &err) < 0)
			wrong++;
		for (size_t count = 1; count <= COUNT_MAX; count++) {
			size_t least = 1 + draw(LEN_MAX);
			bool said = fold_has_equal_words(&f, count, least);
			wrong += said != has_row(&f, count, least);
			said ? yes++ : no++;
		}
	}
	fold_done(&f);
	ok(!wrong && yes > TEXTS && no > TEXTS,
	   "rows of equal words: %zu wrong, %zu found, %zu not", wrong, yes, no);
}

/* Each row: as many words as required, at the text's end and before more text. */
static void test_edges_of_rows(void)
{
	size_t wrong = 0;
	struct folded f = {0};
	struct err err;

	for (size_t count = 1; count <= COUNT_MAX; count++) {
		for (int more = 0; more < 4; more++) {
			char text[TEXT_MAX] = "";
			if (more & 1)
				strcat(text, "one ");
			for (size_t i = 0; i < count; i++)
				strcat(text, i ? " word" : "word");
			if (more & 2)
				strcat(text, " end");
			wrong += fold_text(&f, text, strlen(text), true, &err) < 0 ||
				 !fold_has_equal_words(&f, count, 4) ||
				 fold_has_equal_words(&f, count + 1, 4) ||
				 fold_has_equal_words(&f, count, 5);
		}
	}
	fold_done(&f);
	ok(!wrong, "a row of as many words, of one more, and of longer ones: %zu wrong", wrong);
}

static void test_utf16(void)
{
	static const uint32_t kinds[] = {'a', 0xe9, 0x20ac, 0x1f600};
	char text[TEXT_MAX];
	size_t wrong = 0;

	for (int i = 0; i < TEXTS; i++) {
		size_t len = 0, units = 0, most = draw(40);
		struct scan_text t;
		struct err err;
		for (size_t n = 0; n < most; n++) {
			uint32_t c = kinds[draw(draw(2) ? 1 : 4)];
			len += utf8_put(text + len, c);
			units += 1 + (c > 0xffff);
		}
		wrong += normal_decode(text, len, &t, &err) < 0 || t.utf16 != units ||
			 normal_utf16_at(text, len) != units;
		normal_done(&t);
	}
	ok(!wrong, "code units of %d texts: %zu wrong", TEXTS, wrong);
}

/* A table of pages is used first for a text; every character must give the same as alone. */
static void test_every_character(void)
{
	size_t wrong = 0;

	for (uint32_t c = 0x80; c <= 0x10ffff; c++) {
		char text[UTF8_CHAR_MAX + 3] = "x", out[UTF8_CHAR_MAX];
		size_t len = 1 + utf8_put(text + 1, c), n = fold_char(c, out);
		struct folded f = {0};
		struct err err;
		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		text[len] = 'y';
		wrong += fold_text(&f, text, len + 1, false, &err) < 0 || f.len != n + 2 ||
			 memcmp(f.byte + 1, n == 1 ? out : text + 1, n) != 0;
		fold_done(&f);
	}
	ok(!wrong, "every character folds in a text as it does alone: %zu differ", wrong);
}

int main(void)
{
	test_every_character();
	test_equal_words();
	test_edges_of_rows();
	test_utf16();
	return tap_done();
}
