/* SPDX-License-Identifier: MIT
 *
 * Literals that a program puts together are read as one.
 */
#include "trust/evidence/join_literals.h"

#include <string.h>

#include "base/scope.h"
#include "tap.h"

static const struct {
	const char *text, *joined; /* NULL: nothing is */
} cases[] = {
	{"", NULL},
	{"f(\"a\")", NULL},
	{"\"a\" + \"b\"", "\"ab\""},
	{"x = 'ht' +\n\t'tps:' + `//e` + \"vil\";", "x = 'https://evil';"},
	{"(\"a\") + (\"b\")", "(\"ab\")"},
	{"'a' /* b */ + // c\n 'd'", "'ad'"},
	{"'a'.concat('b').concat('c')", "'abc')"},
	{"'a\\'' + '\\\\' + 'b'", "'a\\'\\\\b'"},
	{"'a' + x + 'b'", NULL},
	{"'a' ++ 'b'", NULL},
	{"'a' += 'b'", NULL},
	{"// it's \"a\" + \"b\"\n'c'", NULL},
	{"/* ' */ 'a' + 'b'", "/* ' */ 'ab'"},
	{"it's\n'a' + 'b'", "it's\n'ab'"},
	{"'a' + '", "'a"},
	{"'a' +", NULL},
	{"'a\\", NULL},
	{"/* never ends", NULL},
	{"'a' + /", NULL},
	{"'a'.concat(", NULL},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);
		AUTO_FREE char *text = malloc(len ? len : 1), *ret = malloc(len ? len : 1);
		memcpy(text, cases[i].text,
		       len); /* exactly as long: the sanitizer finds a read past it */
		size_t got = join_literals(text, len, ret);
		const char *want = cases[i].joined ? cases[i].joined : "";
		if (!ok(got == strlen(want) && memcmp(ret, want, got) == 0, "literals %zu", i))
			printf("# got %.*s\n", (int)got, ret);
	}
	return tap_done();
}
