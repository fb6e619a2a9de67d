/* SPDX-License-Identifier: MIT
 *
 * The reader of the code view's answer: what a good one gives, and that everything else is refused
 * with a reason, at each maximum and one beyond it. The answer comes out of an interpreter that may
 * belong to the code it read.
 */
#include "detect/program_language.h"
#include "read/view.h"
#include "read/view_parse.h"

#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"

static struct code_view view;
static struct err err;

static int parse(const char *data, size_t len)
{
	code_view_done(&view);
	memset(&err, 0, sizeof(err));
	return view_parse(data, len, &view, &err);
}

#define PARSE(text) parse(text, sizeof(text) - 1)

static void test_good(void)
{
	ok(PARSE("status 5\nwhole\ntext 4\na\nb\n\neffect 11\nimport 3 os\neffect 9\nenv 7 X Y\n"
		 "end 0\n\n") == 0 &&
		   view.state == CODE_VIEW_WHOLE,
	   "a whole view");
	ok(view.text_len == 4 && strcmp(view.text, "a\nb\n") == 0, "its text");
	ok(view.effectc == 2 && view.effect[0].kind == EFFECT_IMPORT && view.effect[0].line == 3 &&
		   strcmp(view.effect[0].value, "os") == 0,
	   "an effect");
	ok(view.effectc == 2 && view.effect[1].kind == EFFECT_ENV &&
		   strcmp(view.effect[1].value, "X Y") == 0,
	   "an effect with a blank in it");
	ok(PARSE("status 4\nnone\nline 2\n12\nreason 3\nbad\nend 0\n\n") == 0 &&
		   view.state == CODE_VIEW_NONE && view.line == 12 &&
		   strcmp(view.reason, "bad") == 0 && view.text_len == 0,
	   "no view, with its line and reason");
	ok(PARSE("status 4\npart\nreason 2\n\xc3\xa4\ntext 2\n\xc3\xa4\nend 0\n\n") == 0 &&
		   view.state == CODE_VIEW_PART,
	   "a part, and UTF-8");
	ok(!view.limited, "no limit");
	ok(PARSE("status 4\npart\nreason 1\na\nlimit 0\n\ntext 1\na\nend 0\n\n") == 0 &&
		   view.limited,
	   "a part by a limit");
}

static void test_bad(void)
{
#define ROW(text, what)                                                                            \
	{                                                                                          \
		text, sizeof(text) - 1, what                                                       \
	}
	static const struct {
		const char *text;
		size_t len;
		const char *what;
	} rows[] = {
		ROW("", "nothing"),
		ROW("end 0\n\n", "no status"),
		ROW("status 5\nwhole\n", "no end"),
		ROW("status 5\nwhole\nend 0\n", "an end that is cut off"),
		ROW("status 5\nwhole\nend 0\n\nx", "more after the end"),
		ROW("status 5\nwhole\nend 1\nx\n", "an end with something in it"),
		ROW("status 5\nwhole\nstatus 5\nwhole\nend 0\n\n", "a key that comes twice"),
		ROW("status 3\nall\nend 0\n\n", "an unknown status"),
		ROW("status 5\nwhole\nother 0\n\nend 0\n\n", "an unknown key"),
		ROW("status 5\nwhole\nother-than-that 0\n\nend 0\n\n", "a long key"),
		ROW("status 4\nwhole\nend 0\n\n", "a length that is too small"),
		ROW("status 6\nwhole\nend 0\n\n", "a length that is too large"),
		ROW("status 99999999\nwhole\nend 0\n\n", "a length beyond the end"),
		ROW("status 18446744073709551616\nwhole\nend 0\n\n", "a length of 2^64"),
		ROW("status -5\nwhole\nend 0\n\n", "a negative length"),
		ROW("status\n5 whole\nend 0\n\n", "no blank after a key"),
		ROW("status 5 whole\nend 0\n\n", "no line end after a length"),
		ROW("status 4\npart\nend 0\n\n", "a part without a reason"),
		ROW("status 5\nwhole\nlimit 0\n\nend 0\n\n", "a limit without a reason"),
		ROW("status 4\npart\nreason 1\na\nlimit 1\na\nend 0\n\n", "a limit of a letter"),
		ROW("status 4\nnone\nreason 3\na\nb\nend 0\n\n", "a reason of two lines"),
		ROW("status 4\nnone\nreason 2\n\x1b[\nend 0\n\n", "a reason for a terminal"),
		ROW("status 4\nnone\nreason 2\n\xc2\x9b\nend 0\n\n", "a C1 control character"),
		ROW("status 5\nwhole\nline 1\nx\nend 0\n\n", "a line that is no number"),
		ROW("status 5\nwhole\ntext 1\n\xff\nend 0\n\n", "broken UTF-8"),
		ROW("status 5\nwhole\ntext 3\n\xed\xa0\x80\nend 0\n\n", "a surrogate"),
		ROW("status 5\nwhole\ntext 1\n\0\nend 0\n\n", "a NUL"),
		ROW("status 5\nwhole\neffect 8\nother 3 x\nend 0\n\n", "an effect's length"),
		ROW("status 5\nwhole\neffect 9\nother 3 x\nend 0\n\n", "an unknown effect"),
		ROW("status 5\nwhole\neffect 6\nimport\nend 0\n\n", "an effect without a line"),
		ROW("status 5\nwhole\neffect 8\nimport x\nend 0\n\n", "an effect's odd line"),
		ROW("status 5\nwhole\neffect 8\nimport 3\nend 0\n\n", "an effect without value"),
		ROW("status 5\nwhole\neffect 9\nimport 3 \nend 0\n\n", "an effect of nothing"),
		ROW("status 5\nwhole\neffect 10\nimport 0 x\nend 0\n\n", "an effect on line 0"),
		ROW("status 5\nwhole\neffect 10\nimport 3\nx\nend 0\n\n", "an effect of two lines"),
	};
#undef ROW

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		/* Of its exact size, so that the sanitizer sees a read past the end. */
		AUTO_FREE char *copy = malloc(rows[i].len + !rows[i].len);
		memcpy(copy, rows[i].text, rows[i].len);
		ok(parse(copy, rows[i].len) < 0 && err.code == ERR_LIMIT && err.cause[0],
		   "refused: %s", rows[i].what);
	}
}

/* KEY with PREFIX and COUNT letters after it, REPEAT times. */
static int parse_large(const char *key, const char *prefix, size_t count, size_t repeat)
{
	size_t len = 0, one = strlen(prefix) + count, size = repeat * (one + 64) + 64;
	AUTO_FREE char *data = malloc(size);

	len += (size_t)snprintf(data, size, "status 5\nwhole\n");
	for (size_t i = 0; i < repeat; i++) {
		len += (size_t)snprintf(data + len, size - len, "%s %zu\n%s", key, one, prefix);
		memset(data + len, 'x', count);
		len += count;
		data[len++] = '\n';
	}
	len += (size_t)snprintf(data + len, size - len, "end 0\n\n");
	return parse(data, len);
}

static void test_maxima(void)
{
	ok(parse_large("text", "", VIEW_TEXT_MAX, 1) == 0, "the longest text");
	ok(parse_large("text", "", VIEW_TEXT_MAX + 1, 1) < 0, "a longer one");
	ok(parse_large("reason", "", VIEW_VALUE_MAX, 1) == 0, "the longest reason");
	ok(parse_large("reason", "", VIEW_VALUE_MAX + 1, 1) < 0, "a longer one");
	ok(parse_large("effect", "host 1 ", VIEW_VALUE_MAX, 1) == 0, "the longest value");
	ok(parse_large("effect", "host 1 ", VIEW_VALUE_MAX + 1, 1) < 0, "a longer one");
	ok(parse_large("effect", "host 1 ", 1, VIEW_EFFECTS_MAX) == 0 &&
		   view.effectc == VIEW_EFFECTS_MAX,
	   "as many effects as there can be");
	ok(parse_large("effect", "host 1 ", 1, VIEW_EFFECTS_MAX + 1) < 0, "one more");
}

static void test_languages(void)
{
	static const struct {
		const char *name, *code, *lang;
	} rows[] = {
		{"a.py", "", "python"},
		{"a.sh", "", "bash"},
		{"dir.py/a.bash", "", "bash"},
		{"a.txt", "", NULL},
		{".py", "", NULL},
		{NULL, "", NULL},
		{NULL, "#!/usr/bin/env python3\nx", "python"},
		{"run", "#!/bin/sh -e\nx", "bash"},
		{NULL, "#!/bin/bash", "bash"},
		{NULL, "#!/usr/bin/env node\n# python", NULL},
		{NULL, "# /bin/sh", NULL},
		{"A.SH", "", "bash"},
		{"b.Py", "", "python"},
		{"x.pth", "", "python"},
		{"home/.bashrc", "", "bash"},
		{".profile", "", "bash"},
		{".ZSHRC", "", "bash"},
		{".profile.txt", "", NULL},
		{"bashrc/notes", "", NULL},
		{NULL, "#!/bin/ash\nx", "bash"},
		{NULL, "#!/bin/dash", "bash"},
		{NULL, "#! /usr/bin/zsh -f\r\nx", "bash"},
		{NULL, "#!/bin/ksh93\nx", "bash"},
		{NULL, "#!/usr/bin/env -S python3.11 -u\nx", "python"},
		{NULL, "#!/bin/busybox sh\nx", "bash"},
		{NULL, "#!/usr/bin/fish\nx", NULL},
		{NULL, "#!/home/bash/bin/perl\nx", NULL},
		{"a/Makefile", "", "make"},
		{"rules.mk", "", "make"},
		{"Dockerfile", "", "docker"},
		{NULL, "#!", NULL},
		{NULL, "#!/", NULL},
		{NULL, "#!/bin/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nx", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got =
			program_language(rows[i].name, rows[i].code, strlen(rows[i].code));
		ok(rows[i].lang ? got && strcmp(got, rows[i].lang) == 0 : !got, "%s with \"%.*s\"",
		   rows[i].name ? rows[i].name : "no name", (int)strcspn(rows[i].code, "\n"),
		   rows[i].code);
	}
	ok(view_reader.has_language("python") && view_reader.has_language("bash") &&
		   view_reader.has_language("sh") && !view_reader.has_language("node"),
	   "languages with a view");
	code_view_done(&view);
	ok(view_reader.read("node", "", 0, &view, &err) < 0 && err.code == ERR_USAGE,
	   "one without");
	ok(view_reader.read("python", "", (size_t)VIEW_CODE_MAX + 1, &view, &err) < 0 &&
		   err.code == ERR_LIMIT,
	   "more code than is read");
}

int main(void)
{
	test_good();
	test_bad();
	test_maxima();
	test_languages();
	code_view_done(&view);
	return tap_done();
}
