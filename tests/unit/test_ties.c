/* SPDX-License-Identifier: MIT
 *
 * What overlaps is told once; what is elsewhere, in another source or in another form is not taken for it.
 */
#include "show/ties.h"

#include "base/scope.h"
#include "tap.h"

#define TIE(s, h, cf, ct, sf, st)                                                                  \
	{                                                                                          \
		.source = (s), .how = (h), .tie = "span", .code_from = (cf), .code_to = (ct),      \
		.source_from = (sf), .source_to = (st)                                             \
	}

static const struct {
	const char *what;
	size_t count, left;
	struct report_tie list[4], first;
} rows[] = {
	{"nothing", 0, 0, {{0}}, {0}},
	{"one address three ways",
	 3,
	 1,
	 {TIE("a", "", 10, 40, 100, 130), TIE("a", "", 12, 45, 102, 135),
	  TIE("a", "", 20, 30, 110, 120)},
	 TIE("a", "", 10, 45, 100, 135)},
	{"a third that reaches both",
	 3,
	 1,
	 {TIE("a", "", 10, 20, 10, 20), TIE("a", "", 30, 40, 30, 40), TIE("a", "", 15, 35, 15, 35)},
	 TIE("a", "", 10, 40, 10, 40)},
	{"another source",
	 2,
	 2,
	 {TIE("a", "", 10, 40, 10, 40), TIE("b", "", 10, 40, 10, 40)},
	 TIE("a", "", 10, 40, 10, 40)},
	{"another form",
	 2,
	 2,
	 {TIE("a", "", 10, 40, 10, 40), TIE("a", "code view", 10, 40, 10, 40)},
	 TIE("a", "", 10, 40, 10, 40)},
	{"side by side",
	 2,
	 2,
	 {TIE("a", "", 10, 40, 10, 40), TIE("a", "", 40, 50, 40, 50)},
	 TIE("a", "", 10, 40, 10, 40)},
	{"the other way round",
	 2,
	 2,
	 {TIE("a", "", 40, 50, 40, 50), TIE("a", "", 10, 40, 10, 40)},
	 TIE("a", "", 40, 50, 40, 50)},
	{"another place of the source",
	 2,
	 2,
	 {TIE("a", "", 10, 40, 10, 40), TIE("a", "", 10, 40, 60, 90)},
	 TIE("a", "", 10, 40, 10, 40)},
	{"another place of the code",
	 2,
	 2,
	 {TIE("a", "", 10, 40, 10, 40), TIE("a", "", 60, 90, 10, 40)},
	 TIE("a", "", 10, 40, 10, 40)},
	{"a module's, which has none there",
	 2,
	 1,
	 {TIE("a", "module x", 0, 0, 10, 40), TIE("a", "module x", 0, 0, 20, 50)},
	 TIE("a", "module x", 0, 0, 10, 50)},
	{"a module's and the code's",
	 2,
	 2,
	 {TIE("a", "module x", 0, 0, 10, 40), TIE("a", "module x", 5, 9, 10, 40)},
	 TIE("a", "module x", 0, 0, 10, 40)},
	{"all over the source",
	 2,
	 2,
	 {TIE("a", "", 10, 40, 0, 0), TIE("a", "", 10, 40, 0, 0)},
	 TIE("a", "", 10, 40, 0, 0)},
	{"no names",
	 2,
	 1,
	 {TIE(NULL, NULL, 1, 9, 1, 9), TIE(NULL, NULL, 2, 8, 2, 8)},
	 TIE(NULL, NULL, 1, 9, 1, 9)},
};

static bool is_same(const struct report_tie *a, const struct report_tie *b)
{
	return a->code_from == b->code_from && a->code_to == b->code_to &&
	       a->source_from == b->source_from && a->source_to == b->source_to;
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report_tie list[4];
		memcpy(list, rows[i].list, sizeof(list));
		size_t left = ties_merge(list, rows[i].count);
		ok(left == rows[i].left && (!left || is_same(&list[0], &rows[i].first)), "%s: %zu",
		   rows[i].what, left);
	}
	return tap_done();
}
