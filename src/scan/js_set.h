/* SPDX-License-Identifier: MIT
 *
 * A set of characters while it is being made: ranges in any order until js_set_close() puts them
 * in order. A set that could not grow says so in failed, once, at the end.
 */
#ifndef CORDON_SCAN_JS_SET_H
#define CORDON_SCAN_JS_SET_H

#include "scan/js_ast.h"

enum { JS_SET_MAX = 65536 };

struct js_set {
	struct js_range *range;
	size_t count, room;
	bool failed;
};

/* The escapes d, s, w and the line ends a dot does not match. */
enum js_named { JS_DIGIT, JS_SPACE, JS_WORDS, JS_LINES };

void js_set_add(struct js_set *set, uint32_t low, uint32_t high);
/* With NEGATIVE what it is not, up to MAX. UNICODE_CASE: the flags i and u together. */
void js_set_add_named(struct js_set *set, enum js_named name, bool negative, bool unicode_case,
		      uint32_t max);
/* Adds the other cases of everything in it. */
void js_set_fold(struct js_set *set, bool unicode);
/* In order and apart. */
void js_set_close(struct js_set *set);
/* Everything up to MAX that is not in it; the set is closed before and after. */
void js_set_negate(struct js_set *set, uint32_t max);
void js_set_done(struct js_set *set);

#endif
