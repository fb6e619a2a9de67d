/* SPDX-License-Identifier: MIT
 *
 * The problems that verify reports.
 */
#include <stdarg.h>
#include <stdio.h>

#include "store/verify_walk.h"

static const char *const names[VERIFY_PROBLEMS] = {
	[VERIFY_GOOD] = "good",		[VERIFY_FORM] = "form",
	[VERIFY_EDITED] = "edited",	[VERIFY_MISSING] = "missing",
	[VERIFY_ORDER] = "order",	[VERIFY_SIGNATURE] = "signature",
	[VERIFY_FORKED] = "forked",	[VERIFY_TRUNCATED] = "truncated",
	[VERIFY_REPLACED] = "replaced", [VERIFY_HEAD] = "head",
	[VERIFY_UNKEPT] = "unkept",	[VERIFY_INDEX] = "index",
};

const char *verify_problem_name(enum verify_problem problem)
{
	return names[problem];
}

int verify_fail(struct verify_walk *w, enum verify_problem problem, uint64_t first, uint64_t last,
		const char *fmt, ...)
{
	struct verify_report *r = w->report;
	va_list ap;

	r->problem = problem;
	r->has_record = true;
	r->first_bad = first;
	r->last_bad = last;
	va_start(ap, fmt);
	vsnprintf(r->words, sizeof(r->words), fmt, ap);
	va_end(ap);
	return 1;
}
