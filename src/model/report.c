/* SPDX-License-Identifier: MIT
 *
 * See report.h.
 */
#include "model/report.h"

void report_done(struct report *r)
{
	arena_done(&r->arena);
	*r = (struct report){0};
}

void report_reason(struct report *r, const char *words)
{
	if (r->reasonc < REPORT_REASONS_MAX)
		r->reason[r->reasonc++] = arena_dup(&r->arena, words);
}
