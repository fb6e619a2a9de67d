/* SPDX-License-Identifier: MIT
 *
 * rule PACK ID <TEXT: prints the numbers of the expressions of a rule that match the text, one a
 * line. Fields and lanes are ignored: the test asks whether a view contains the words of a rule.
 * Exit status: 0 if one matched, 1 if none did, 2 if that is undecided.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/scope.h"
#include "rule/load.h"
#include "scan/regex/match.h"

enum { TEXT_MAX = 1 << 20 };

static enum match_answer ask(struct text pattern, const struct scan_text *text)
{
	struct err err;
	struct match_scratch *s = match_scratch_new(NULL, &err);
	struct match_code *code = NULL;
	struct regex regex;
	size_t skip;
	unsigned flags = regex_of_rule(pattern.s, pattern.len, &skip);
	enum match_answer answer = MATCH_UNDECIDED;

	if (regex_translate(pattern.s + skip, pattern.len - skip, flags, &regex, &err) == 0) {
		code = match_compile(&regex, &err);
		regex_done(&regex);
	}
	if (s && code)
		answer = match_run(code, s, text, NULL);
	match_free(code);
	match_scratch_free(s);
	return answer;
}

int main(int argc, char **argv)
{
	AUTO_FREE char *data = malloc(TEXT_MAX);
	struct pack pack = {0};
	struct pack_options options = {0};
	struct scan_text text;
	struct err err;
	int status = 1;

	ssize_t len = data ? io_read_full(STDIN_FILENO, data, TEXT_MAX) : -1;
	if (argc != 3 || len < 0 || pack_load(&pack, argv[1], &options, &err) < 0 ||
	    normal_decode(data, (size_t)len, &text, &err) < 0)
		return 2;
	const struct rule *rule = pack_find(&pack, argv[2]);
	for (size_t i = 0; rule && i < rule->conditionc; i++)
		for (size_t p = 0; p < rule->condition[i].patternc; p++) {
			enum match_answer answer = ask(rule->condition[i].pattern[p], &text);
			if (answer == MATCH_UNDECIDED)
				status = 2;
			if (answer != MATCH_YES)
				continue;
			printf("%zu\n", i);
			status = status == 2 ? 2 : 0;
		}
	normal_done(&text);
	pack_done(&pack);
	return rule ? status : 2;
}
