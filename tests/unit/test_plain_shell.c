/* SPDX-License-Identifier: MIT
 *
 * What is plain of the facts that the reader tells of a shell program: row by row, and everything that is
 * no fact is not plain. tests/cli/plan_shell.bats has the same from the program's text on.
 */
#include "flow/plain_shell.h"

#include <stdlib.h>

#include "base/scope.h"

#define JUDGE plain_shell
#include "uses.h"

static void test_plain(void)
{
	static const char *const rows[] = {
		"",
		"1 c echo \\u\n1 c wc \\q\n",
		"1 c [ \\q -gt 10 ]\n2 c test -n \\q\n3 c [ \\q = \\q ]\n",
		"1 c [ \\d -gt 10 ]\n2 c [ \\k = x ]\n3 c [ -v name ]\n4 c [ -v a[3] ]\n",
		"1 c [ \\q = -v ]\n2 c [ \\q = -v -o \\q = x ]\n",
		"1 c [[ \\q == a\\20b ]]\n2 c [[ \\d -eq 3 && -v x ]]\n",
		"1 c printf \\q\n2 c printf %s \\u\n3 c printf -v x %s \\q\n",
		"4 c printf -- \\q \\q\n",
		"1 c printf a\\q \\q\n2 c printf \\kx \\q\n",
		"1 c read -r -p \\q x y\n2 c read -ra x\n3 c read\n4 c read -d \\e x\n",
		"1 c mapfile -t x\n2 c unset -v x y\n3 c getopts ab: x \\u\n",
		"1 c local x=\\q\n2 c declare -r x=\\q y\n3 c export x=\n",
		"4 c local OPTIND=1\n",
		"1 c local OPTIND\n2 s OPTIND 1\n3 s SECONDS \\d\n4 s x \\q\n5 n x\n",
		"6 f x\n",
		"1 c trap x EXIT\n2 c trap \\e INT\n3 c wait\n4 c wait \\d\n5 c jobs -l\n",
		"1 c set -e -- \\u\n2 c set -euo pipefail\n3 c shopt -s nullglob\n",
		"1 c exec\n2 c command -v \\q\n3 c command ls \\q\n",
	};

	are_plain(rows, ARRAY_SIZE(rows));
}

static void test_words(void)
{
	static const struct row rows[] = {
		{"3 c [ \\u -gt 10 ]\n", "line 3: [ gets what is computed"},
		{"1 c test \\q \\q\n", "test gets what is computed"},
		{"1 c [ -\\q \\q ]\n", "gets what is computed"},
		{"1 c [ \\q a[i] ]\n", "gets what is computed"},
		{"1 c [ -v x\\q ]\n", "gets what is computed"},
		{"1 c [ -v a[i] ]\n", "something else than the name"},
		{"1 c [[ -v x\\q ]]\n", "gets what is computed"},
		{"1 c [[ \\q -eq 1 ]]\n", "computes with what is computed"},
		{"1 c [[ x -lt 1 ]]\n", "computes with what is computed"},
		{"1 c [[ \\k -lt 1 ]]\n", "computes with what is computed"},
		{"1 c [[ x\n", "has no end"},
		{"1 c printf \\q \\q\n", "gets what is computed"},
		{"1 c printf \\u\n", "gets what is computed"},
		{"1 c printf -v\\q %s x\n", "gets what is computed"},
		{"1 c printf -v x\\q %s x\n", "gets what is computed"},
		{"1 c printf -v RANDOM %s x\n", "makes code or numbers of"},
		{"1 c printf -v x \\q \\q\n", "gets what is computed"},
		{"1 c read x\\q\n", "gets what is computed"},
		{"1 c read \\u\n", "gets what is computed"},
		{"1 c read -\\q x\n", "an option"},
		{"1 c read OPTIND\n", "makes code or numbers of"},
		{"1 c mapfile -C x y\n", "an option"},
		{"1 c unset \\q\n", "gets what is computed"},
		{"1 c unset a[i]\n", "something else than the name"},
		{"1 c getopts \\q x\n", "gets what is computed"},
		{"1 c getopts a \\q\n", "gets what is computed"},
		{"1 c declare x_\\q=1\n", "gets what is computed"},
		{"1 c declare -i x=1\n", "an option"},
		{"1 c declare -n x\n", "an option"},
		{"1 c export \\u\n", "gets what is computed"},
		{"1 c local RANDOM=\\q\n", "makes code or numbers of"},
	};

	are_not_plain(rows, ARRAY_SIZE(rows));
}

static void test_commands(void)
{
	static const struct row rows[] = {
		{"1 c trap \\q EXIT\n", "gets what is computed"},
		{"1 c command trap x EXIT\n", "gets what is computed"},
		{"1 c builtin test \\q \\q\n", "test gets what is computed"},
		{"1 c command eval x\n", "eval is on no list"},
		{"1 c exec -a x y\n", "an option"},
		{"1 c wait \\u\n", "gets what is computed"},
		{"1 c wait -n\n", "gets what is computed"},
		{"1 c jobs -x ls\n", "an option"},
		{"1 c set \\u\n", "gets what is computed"},
		{"1 c shopt -s compat31\n", "is on no list"},
		{"1 c let x\n", "let is on no list"},
		{"1 c \\q x\n", "line 1: $ is a command that is computed"},
		{"1 s RANDOM \\q\n", "makes code or numbers of"},
		{"1 s OPTIND x\n", "makes code or numbers of"},
		{"1 s PS4 x\n", "makes code or numbers of"},
		{"1 s LD_PRELOAD x\n", "makes code or numbers of"},
		{"1 n PATH\n", "makes code or numbers of"},
		{"1 n \\u\n", "gets what is computed"},
		{"1 x arithmetic\\20of\\20it\n", "arithmetic of it is not plain"},
		{"1 z new\n", "is nothing that anybody knows"},
		{NULL, "nobody could read"},
		{"x", "nobody could read"},
		{"1 c\n", "nobody could read"},
		{"1 c \n", "nobody could read"},
		{"1 c echo \\zz\n", "nobody could read"},
		{"1 c echo \\2\n", "nobody could read"},
		{"1 c echo \\\n", "nobody could read"},
		{"1 c [[ \x03 -eq 1 ]]\n",
		 "computes with what is computed"}, /* no mark of the reader's */
	};

	are_not_plain(rows, ARRAY_SIZE(rows));
}

/* The most words, and one more. */
static void test_maxima(void)
{
	enum { WORDS = 4096 };
	char text[16 + 2 * WORDS];
	int at = snprintf(text, sizeof(text), "1 c echo");

	for (int i = 1; i < WORDS; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, " a");
	ok(is_plain(text), "the most words");
	snprintf(text + at, sizeof(text) - (size_t)at, " a");
	ok(!is_plain(text), "one more");
}

int main(void)
{
	test_plain();
	test_words();
	test_commands();
	test_maxima();
	return tap_done();
}
