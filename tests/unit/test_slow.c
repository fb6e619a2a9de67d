/* SPDX-License-Identifier: MIT
 *
 * Sources that the reference refuses, and similar ones that it accepts. tests/atr/slow.mjs
 * compares many more with the reference itself.
 */
#include "detect/slow_regex.h"

#include "base/scope.h"
#include "tap.h"

static const struct {
	const char *source;
	bool refused;
} rows[] = {
	{"", false},
	{"(a+)+", true},
	{"x(?:\\w*)*y", true},
	{"([^]]+)+", false}, /* two classes, for the reference */
	{"([]+)+", true},
	{"([a\\]+)*", true},
	{"([a(?:[b]+)*", true}, /* a class may hold brackets that open */
	{"[(a+)+", true},
	{"(a+){2}", false},
	{"(a+)?", false},
	{"(ab+)+", false},
	{"(a+b)+", false},
	{"(-+)+", false},
	{"(_+)+", false},
	{"(.+)+", true},
	{"(Z*)+", true},
	{"(9+)*", true},
	{"(\\b+)+", false},
	{"(\\x+)+", false},
	{"(?=a+)+", false},
	{"(?:a+)", false},
	{"(a+)", false},
	{"a+)+", false},
	{"?:a+)+", false},
	{")+", false},
	{"+)+", false},
	{"]+)+", false},
	{"\\(a+)+", true}, /* the reference does not see the escape */
	{"(ab|ab)*", true},
	{"(ab|ab)", false},
	{"(ab|ab){2,}", false},
	{"(ab|abc)+", false},
	{"(|)+", false},
	{"((ab|(ab)+", true},
	{"(ab|ab|ab)+", false},
	{"(?:a|a)+", false}, /* the sign belongs to the first half */
	{"(?:a|?:a)+", true},
	{"a|a)+", false},
	{"|a)+", false},
	{"(\xc3\xa9|\xc3\xa9)+", true},
	{"(\xc3\xa9|\xc3\xa8)+", false},
	{".*.*.*", true},
	{"x\\.*.*.*", true},
	{".*.*", false},
	{".*.*a.*", false},
	{".*.*.", false},
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text source = {rows[i].source, strlen(rows[i].source)};
		ok(slow_is_refused(source) == rows[i].refused, "%s is %s", rows[i].source,
		   rows[i].refused ? "refused" : "taken");
	}
	ok(slow_is_refused((struct text){"(a+)+", 4}) == false, "a source ends at its length");
	ok(slow_is_refused((struct text){"\0(a+)+", 6}), "a NUL is a character");
	return tap_done();
}
