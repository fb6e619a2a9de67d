/* SPDX-License-Identifier: MIT
 *
 * show LANG|- <CODE: prints the code view for tests: a line about the view, the effects, then the
 * text. With "-" the language is guessed from the code. Exit status: 0 if there is a text, 1 if
 * there is only a reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "detect/program_language.h"
#include "read/view.h"

int main(int argc, char **argv)
{
	static const char *const states[] = {"none", "part", "whole"};
	AUTO_FREE char *code = malloc(VIEW_CODE_MAX + 1);
	struct code_view v;
	struct err err = {0};

	ssize_t len = code ? io_read_full(STDIN_FILENO, code, VIEW_CODE_MAX + 1) : -1;
	if (argc != 2 || len < 0)
		return 2;
	const char *lang =
		strcmp(argv[1], "-") == 0 ? program_language(NULL, code, (size_t)len) : argv[1];
	if (!lang)
		return 2;
	if (view_reader.read(lang, code, (size_t)len, &v, &err) < 0) {
		printf("%s, line %u: %s%s%s\n", err_row(&err)->name, v.line, err.message,
		       err.cause[0] ? ": " : "", err.cause);
		return 1;
	}
	printf("%s%s, tier %s, line %u: %s\n", states[v.state], v.limited ? " by a limit" : "",
	       tier_row(v.tier)->name, v.line, v.reason);
	for (size_t i = 0; i < v.effectc; i++)
		printf("%s %u %s\n", effect_name(v.effect[i].kind), v.effect[i].line,
		       v.effect[i].value);
	printf("\n%s", v.text);
	code_view_done(&v);
	return 0;
}
