/* SPDX-License-Identifier: MIT
 *
 * Text of others as it is shown, and what is new in a text.
 */
#include <stdlib.h>

#include "cli/linediff.h"
#include "cli/shown.h"
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
		struct shown how = {.to = to, .below = ">", .mark = rows[i].mark ? mark : NULL};
		int r = shown_line(&how, rows[i].text, len);
		fclose(to);
		ok(r == 0 && strcmp(out, rows[i].shown) == 0, "row %zu", i + 1);
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
	struct shown how = {.to = to, .colour = true, .mark = mark};

	shown_line(&how, "abcd", 4);
	fclose(to);
	ok(strcmp(out, "a\033[7mbc\033[0md\n") == 0, "marks are colours on a terminal");
	free(out);
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
	{"a\nb", "a\nb\n", ""},
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

int main(void)
{
	test_rows();
	test_colour();
	test_diff();
	return tap_done();
}
