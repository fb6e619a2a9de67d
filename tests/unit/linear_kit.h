/* SPDX-License-Identifier: MIT
 *
 * Runs a linear form in every way: by its bits only, with a pool that has no moves yet, and with
 * one that has them. Answers and steps must be equal, so comparing one answer with another
 * engine's compares all three.
 */
#ifndef CORDON_TESTS_LINEAR_KIT_H
#define CORDON_TESTS_LINEAR_KIT_H

#include <stdio.h>

#include "scan/regex/linear.h"

enum { LINEAR_DIFFERS = -1 };

/* enum match_answer, or LINEAR_DIFFERS. STEPS goes down. */
static inline int linear_run_all(struct linear *l, struct linear_pool *pool, const char *data,
				 const struct match_window *w, uint64_t *steps)
{
	uint64_t first = *steps, second = *steps;
	enum match_answer plain = linear_run(l, NULL, data, w, steps);
	enum match_answer fresh = linear_run(l, pool, data, w, &first);
	enum match_answer known = linear_run(l, pool, data, w, &second);

	if (pool && plain == fresh && fresh == known && *steps == first && first == second)
		return (int)plain;
	printf("# by bits %d, %llu steps left; with a pool %d, %llu; once more %d, %llu\n", plain,
	       (unsigned long long)*steps, fresh, (unsigned long long)first, known,
	       (unsigned long long)second);
	return LINEAR_DIFFERS;
}

/* The same for an expression and a whole text, also read from its end. LINEAR_DIFFERS also when
 * there is no such form. */
static inline int linear_ask_all(const struct js_ast *ast, struct linear_pool *pool,
				 const char *data, size_t len)
{
	struct match_window w = {.to = len, .end = len};
	struct err err;
	struct linear *ahead = linear_new(ast, &err), *back = linear_new_back(ast, &err);
	uint64_t steps = UINT64_MAX;
	int answer = LINEAR_DIFFERS;

	if (ahead && back)
		answer = linear_run_all(ahead, pool, data, &w, &steps);
	steps = UINT64_MAX;
	if (answer != LINEAR_DIFFERS && linear_run_all(back, pool, data, &w, &steps) != answer)
		answer = LINEAR_DIFFERS;
	linear_free(ahead);
	linear_free(back);
	return answer;
}

#endif
