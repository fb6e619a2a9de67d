/* SPDX-License-Identifier: MIT
 *
 * Text of others as it is shown, and what is new in a text.
 */
#include <stdlib.h>

#include "base/linediff.h"
#include "show/terminal.h"
#include "tap.h"

static const struct {
	const char *text, *mark; /* MARK: x where it is marked, or NULL */
	const char *shown;
} rows[] = {
	{"plain text_1", NULL, "plain text_1\n"},
	{"a\x1b[2J\r\t", NULL, "a^[[2J^M^I\n"},
	{"a\xe2\x80\xae"
	 "b\xe2\x80\x8b",
	 NULL, "a\\u202eb\\u200b\n"},
	{"\xff\xc3", NULL, "\\xff\\xc3\n"},
	/* Cyrillic: alone, and in a Latin word */
	{"\xd0\xbf\xd1\x80\xd0\xb8", NULL, "\xd0\xbf\xd1\x80\xd0\xb8\n"},
	{"p\xd0\xb0th \xd0\xb0", NULL, "p\\u0430th \xd0\xb0\n"},
	{"\xd0\xb0_1", NULL, "\xd0\xb0_1\n"},
	{"\xd0\xb0_1x", NULL, "\\u0430_1x\n"},
	/* Greek, full-width and mathematical letters */
	{"x\xce\xbf", NULL, "x\\u03bf\n"},
	{"a\xef\xbd\x82", NULL, "a\\uff42\n"},
	{"a\xf0\x9d\x90\x80", NULL, "a\\u1d400\n"},
	/* other letters are no look-alikes */
	{"na\xc3\xafve", NULL, "na\xc3\xafve\n"},
	/* a dot, a slash and a Roman number that look like others */
	{"pypi\xe2\x80\xa4org\xe2\x88\x95x", NULL, "pypi\\u2024org\\u2215x\n"},
	{"\xe2\x85\xbcs", NULL, "\\u217cs\n"},
	/* Hebrew and Arabic turn the order around them, also without a mark of direction */
	{"a(\"\xd7\x90\", 1, \"\xd8\xa8\")", NULL, "a(\"\\u05d0\", 1, \"\\u0628\")\n"},
	/* marks of other scripts upon a Latin letter, and where they belong */
	{"os\xe0\xa3\xb0", NULL, "os\\u08f0\n"},
	{"a\xe0\xa5\x8d", NULL, "a\\u094d\n"},
	{"\xe0\xa4\xb9\xe0\xa5\x8d", NULL, "\xe0\xa4\xb9\xe0\xa5\x8d\n"},
	/* what is no character yet, and what is everybody's own */
	{"\xf3\xb0\x80\x80", NULL, "\\uf0000\n"},
	/* other languages stay, also beside Latin letters */
	{"caf\xc3\xa9 pandas\xe3\x82\x92 \xe4\xb8\xad\xe6\x96\x87", NULL,
	 "caf\xc3\xa9 pandas\xe3\x82\x92 \xe4\xb8\xad\xe6\x96\x87\n"},
	/* marks: a row below, as wide as what is shown */
	{"abcd", " xx ", "abcd\n> ^^ \n"},
	{"a\x01"
	 "b",
	 " x ", "a^Ab\n> ^^ \n"},
	{"\xc3\xaf"
	 "b",
	 "xx ",
	 "\xc3\xaf"
	 "b\n>^ \n"},
	{"p\xd0\xb0th", " xxx ", "p\\u0430th\n> ^^^^^^^ \n"},
	{"abc", "   ", "abc\n"},
};

static void test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].text), size = 0;
		uint8_t mark[64] = {0};
		char *out = NULL;
		FILE *to = open_memstream(&out, &size);
		for (size_t k = 0; rows[i].mark && k < len; k++)
			mark[k] = rows[i].mark[k] == 'x';
		struct terminal_style how = {.to = to,
					     .below = ">",
					     .more = "",
					     .width = TERMINAL_WIDTH,
					     .mark = rows[i].mark ? mark : NULL};
		terminal_line(&how, 0, rows[i].text, len);
		fclose(to);
		ok(strcmp(out, rows[i].shown) == 0, "row %zu", i + 1);
		if (strcmp(out, rows[i].shown) != 0)
			printf("# %s", out);
		free(out);
	}
}

static void test_colour(void)
{
	uint8_t mark[] = {0, 1, 1, 0};
	size_t size = 0;
	char *out = NULL;
	FILE *to = open_memstream(&out, &size);
	struct terminal_style how = {
		.to = to, .colour = true, .width = TERMINAL_WIDTH, .mark = mark};

	terminal_line(&how, 0, "abcd", 4);
	fclose(to);
	ok(strcmp(out, "a\033[7mbc\033[0md\n") == 0, "marks are colours on a terminal");
	free(out);
}

static const struct {
	const char *text, *mark, *shown;
	bool colour;
} wide[] = {
	{"0123456789", NULL, "0123456789\n", false},
	{"01234567890", NULL, "0123456789\n..| 0\n", false},
	{"01234567890123456", NULL, "0123456789\n..| 012345\n..| 6\n", false},
	/* what is written out, or may be two columns wide, is not parted */
	{"12345678\x1b[", NULL, "12345678^[\n..| [\n", false},
	{"123456789\x1b", NULL, "123456789\n..| ^[\n", false},
	{"123456789\xe4\xb8\xad", NULL, "123456789\n..| \xe4\xb8\xad\n", false},
	/* marks belong to their row */
	{"01234567890", " x        x", "0123456789\n  >  ^        \n..| 0\n  > ^\n", false},
	{"01234567890", "         xx", "012345678\033[7m9\033[0m\n..| \033[7m0\033[0m\n", true},
};

/* A terminal would go on at the beginning of the next row, where only we write. */
static void test_wide(void)
{
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		uint8_t mark[64] = {0};
		size_t size = 0;
		char *out = NULL;
		FILE *to = open_memstream(&out, &size);
		for (size_t k = 0; wide[i].mark && wide[i].mark[k]; k++)
			mark[k] = wide[i].mark[k] == 'x';
		struct terminal_style how = {.to = to,
					     .colour = wide[i].colour,
					     .below = "  > ",
					     .more = "..| ",
					     .width = 10,
					     .mark = mark};
		terminal_line(&how, 0, wide[i].text, strlen(wide[i].text));
		fclose(to);
		if (!ok(strcmp(out, wide[i].shown) == 0, "a long line %zu", i + 1))
			printf("# %s", out);
		free(out);
	}
}

static const struct {
	const char *text, *shown;
} texts[] = {
	{"one two th", "one two th"},
	{"one two three", "one two \n..| three"},
	{"one twothreefour five", "one \n..| twothr\n..| eefour\n..|  five"},
	{"1234567890123456789012345", "1234567890\n..| 123456\n..| 789012\n..| 345"},
	{"a 123456789012345678901234", "a 12345678\n..| 901234\n..| 567890\n..| 1234"},
};

/* In a text words stay whole where they can. */
static void test_texts(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t size = 0;
		char *out = NULL;
		FILE *to = open_memstream(&out, &size);
		struct terminal_style how = {.to = to, .more = "..| ", .width = 10};
		terminal_text(&how, 0, texts[i].text);
		fclose(to);
		if (!ok(strcmp(out, texts[i].shown) == 0, "a text %zu", i + 1))
			printf("# %s\n", out);
		free(out);
	}
}

/* The widest row there can be, with marks all over. */
static void test_widest(void)
{
	char text[TERMINAL_WIDTH_MAX + 1];
	uint8_t mark[TERMINAL_WIDTH_MAX + 1];
	size_t size = 0;
	char *out = NULL;
	FILE *to = open_memstream(&out, &size);
	struct terminal_style how = {
		.to = to, .below = "", .more = "", .width = TERMINAL_WIDTH_MAX, .mark = mark};

	memset(text, 'a', sizeof(text));
	memset(mark, 1, sizeof(mark));
	terminal_line(&how, 0, text, sizeof(text));
	fclose(to);
	ok(size == 2 * (TERMINAL_WIDTH_MAX + 1) + 2 * 2 && out[TERMINAL_WIDTH_MAX] == '\n' &&
		   out[2 * TERMINAL_WIDTH_MAX] == '^' && out[2 * TERMINAL_WIDTH_MAX + 1] == '\n',
	   "the widest row, and one more");
	free(out);
}

static void test_plain(void)
{
	static const struct {
		const char *text;
		bool plain;
	} lines[] = {
		{"", true},
		{"x = '^M \\u202e'\t# caf\xc3\xa9", true},
		{"a\r\nb\n", true},
		{"a\r", true},
		{"# a\rb", false},
		{"a\x1b", false},
		{"a\xe2\x80\xae", false},
		{"p\xd0\xb0th", false},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ok(terminal_is_plain(lines[i].text, strlen(lines[i].text)) == lines[i].plain,
		   "plain or not %zu", i + 1);
	FILE *none = fopen("/dev/null", "w");
	ok(none && terminal_width(none) == TERMINAL_WIDTH,
	   "where there is no terminal it has a width");
	if (none)
		fclose(none);
}

static void add(void *context, const struct linediff_line *l)
{
	char *out = context;

	sprintf(out + strlen(out), "%c%zu%.*s ", l->added ? '+' : '-', l->number, (int)l->len,
		l->text);
}

static int diff(const char *from, const char *to, char *ret)
{
	ret[0] = '\0';
	return linediff((struct linediff_text){from, strlen(from)},
			(struct linediff_text){to, strlen(to)}, add, ret);
}

static const struct {
	const char *from, *to, *lines;
} diffs[] = {
	{"", "", ""},
	{"a\nb\n", "a\nb\n", ""},
	{"a\nb", "a\nb\n", "-2b +2b "},
	{"", "a\n", "+1a "},
	{"a\n", "", "-1a "},
	{"a\nb\nc\n", "a\nc\n", "-2b "},
	{"a\nc\n", "a\nb\nc\n", "+2b "},
	{"a\nb\nc\n", "a\nx\nc\n", "-2b +2x "},
	{"a\nb\nc\nd\ne\n", "b\nc\nx\ne\nf\n", "-1a -4d +3x +5f "},
	{"a\n\n", "a\n", "-2 "},
};

/* Neither side alike, of COUNT lines. */
static int diff_many(size_t count, size_t *ret_lines)
{
	char *from = malloc(2 * count + 1), *to = malloc(2 * count + 1), *out = calloc(count, 24);

	for (size_t i = 0; i < count; i++) {
		memcpy(from + 2 * i, "a\n", 2);
		memcpy(to + 2 * i, "b\n", 2);
	}
	int r = linediff((struct linediff_text){from, 2 * count},
			 (struct linediff_text){to, 2 * count}, add, out);
	*ret_lines = 0;
	for (char *p = out; *p; p++)
		*ret_lines += *p == ' ';
	free(from);
	free(to);
	free(out);
	return r;
}

static void test_diff(void)
{
	char out[256];
	size_t lines;

	for (size_t i = 0; i < sizeof(diffs) / sizeof(diffs[0]); i++) {
		int r = diff(diffs[i].from, diffs[i].to, out);
		ok(r == 0 && strcmp(out, diffs[i].lines) == 0, "difference %zu: %s", i + 1, out);
	}
	ok(diff_many(LINEDIFF_LINES_MAX, &lines) == 0 && lines == 2UL * LINEDIFF_LINES_MAX,
	   "as many lines as are compared");
	ok(diff_many(LINEDIFF_LINES_MAX + 1, &lines) == 1 && lines == 2UL * LINEDIFF_LINES_MAX + 2,
	   "one more: all of them are shown");
}

/* LEN bytes of C, with LAST at its end: how many of them are left out, and is so much of it shown? */
static void test_one_short(size_t len, const char *last, size_t more, const char *what)
{
	char text[TERMINAL_SHORT + 16], *out = NULL;
	size_t n = 0;

	memset(text, 'c', sizeof(text));
	memcpy(text + len - strlen(last), last, strlen(last));
	memcpy(text + len, "ccc", 3);
	FILE *to = open_memstream(&out, &n);
	size_t left = terminal_short(to, text, len + 3);
	fclose(to);
	ok(left == more && n == len + 3 - more, "%s: %zu shown, %zu left", what, n, left);
	free(out);
}

static void test_short(void)
{
	test_one_short(TERMINAL_SHORT - 3, "", 0, "as long as may be");
	test_one_short(TERMINAL_SHORT - 2, "", 1, "one more");
	test_one_short(TERMINAL_SHORT + 1, "\xc3\xa4", 5, "a character at the end");
	test_one_short(TERMINAL_SHORT, "\\\\", 5, "backslashes there");
}

int main(void)
{
	test_rows();
	test_colour();
	test_wide();
	test_texts();
	test_widest();
	test_plain();
	test_short();
	test_diff();
	return tap_done();
}
