/* SPDX-License-Identifier: MIT
 *
 * Which code is refused for its encoding, and the line that the error names.
 * tests/cli/encoding.bats holds the same rule against real interpreters.
 */
#include "live/encoding.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "tap.h"

#define ROW(lang, code, words)                                                                     \
	{                                                                                          \
		lang, code, sizeof(code) - 1, words                                                \
	}

static const struct {
	const char *lang, *code;
	size_t len;
	const char *words; /* of the error; NULL: it is taken */
} rows[] = {
	ROW("python", "", NULL),
	ROW("python", "print(1)\n", NULL),
	ROW("python", "print('\xc3\xa4')\n", NULL),
	ROW("python", "\xef\xbb\xbfprint(1)\n", NULL),
	ROW("python", "# coding: utf-8\n", NULL),
	ROW("python", "# -*- coding: UTF-8 -*-\n", NULL),
	ROW("python", "# vim: set fileencoding=utf8 :\n", NULL),
	ROW("python", "# coding: utf-8-sig\n", NULL),
	ROW("python", "# coding: ascii\n", NULL),
	ROW("python", "# coding:\n", NULL),
	ROW("python", "# coding", NULL),
	ROW("python", "# coding=", NULL),
	ROW("python", "import io; f = io.open('x', encoding=enc)\n", NULL),
	ROW("python", "def f(encoding=latin):\n    pass\n", NULL),
	ROW("python", "x = 1\n# coding: utf-7\n", NULL),
	ROW("python", "\n\n# coding: utf-7\n", NULL),
	ROW("python", "x = 1\r# coding: utf-7\n", NULL),
	ROW("python", "# coding: utf-7\n", "line 1: Python would read"),
	ROW("python", "# coding: utf-7", "line 1"),
	ROW("python", "#coding=latin-1\n", "line 1"),
	ROW("python", "# -*- coding:\t cp037 -*-\n", "line 1"),
	ROW("python", "# vim: set fileencoding=latin-1\n", "line 1"),
	ROW("python", "#!/usr/bin/python3\n# coding=latin-1", "line 2"),
	ROW("python", "\n# coding: utf-7\n", "line 2"),
	ROW("python", " \t\n# coding: utf-7\n", "line 2"),
	ROW("python", "\f# coding: utf-7\n", "line 1"),
	ROW("python", "\f\n\f # coding: utf-7\n", "line 2"),
	ROW("python", "#\r# coding: utf-7\r\n", "line 1"),
	ROW("python", "\r# coding: utf-7\r", "line 1"),
	ROW("python", "#\r\n# coding: utf-7\r\n", "line 2"),
	ROW("python", "# a coding: style\n", "line 1"),
	ROW("python", "# coding: utf-8 coding: utf-7\n", "line 1"),
	ROW("python", "\xef\xbb\xbf# coding: latin-1\n", "line 1"),
	ROW("python", "# coding: utf-8x\n", "line 1"),
	ROW("python", "a\nb\nc = '\xe4'\n", "line 3: the byte 0xe4"),
	ROW("python", "\xed\xa0\x80", "line 1: the byte 0xed"),
	ROW("python", "\xc0\x80", "line 1: the byte 0xc0"),
	ROW("python", "x\0y", "line 1"),
	ROW("python", "\xff\xfep\0r\0", "byte order mark of UTF-16"),
	ROW("python", "\xfe\xff\0p", "byte order mark of UTF-16"),
	ROW("python", "\xff\xfe\0\0p\0\0\0", "byte order mark of UTF-32"),
	ROW("python", "\0\0\xfe\xff\0\0\0p", "byte order mark of UTF-32"),
	ROW("python", "p\0r\0", "line 1"),
	ROW("node", "// \xe4\n", "line 1: the byte 0xe4"),
	ROW("node", "\xff\xfe/\0", "byte order mark of UTF-16"),
	ROW("node", "a\n\0", "line 2"),
	ROW("node", "# coding: utf-7\n", NULL),
	ROW("bash", "echo \xe4\n", "line 1: the byte 0xe4"),
	ROW("bash", "echo a\0b\n", "line 1"),
	ROW("bash", "# coding: utf-7\necho \xc3\xa4\n", NULL),
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = {0};
		int r = encoding_check(profile_find(rows[i].lang), "x", rows[i].code, rows[i].len,
				       &err);
		bool right = rows[i].words
				     ? r < 0 && strstr(err.cause, rows[i].words) && err.cure[0]
				     : r == 0;
		ok(right, "row %zu (%s)", i, r < 0 ? err.cause : "taken");
	}
	return tap_done();
}
