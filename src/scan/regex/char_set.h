/* SPDX-License-Identifier: MIT
 *
 * Sets of characters, and which characters JavaScript takes for the same under the flag i. PCRE2
 * differs: without u, JavaScript compares upper-case forms of single code units, and a character
 * beyond ASCII never equals one of ASCII (the long s is not an s, the Kelvin sign not a k). With u,
 * JavaScript folds. A set has ranges in any order until js_set_close() sorts them. When a set cannot
 * grow, `failed` is set and the caller checks it once, at the end.
 */
#ifndef CORDON_SCAN_CHAR_SET_H
#define CORDON_SCAN_CHAR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/regex/ast.h"

enum { JS_SET_MAX = 65536 };

struct js_set {
	struct js_range *range;
	size_t count, room;
	bool failed;
};

/* The escapes d, s, w, and the line ends that a dot does not match. */
enum js_named { JS_DIGIT, JS_SPACE, JS_WORDS, JS_LINES };

void js_set_add(struct js_set *set, uint32_t low, uint32_t high);
/* With NEGATIVE the complement, up to MAX. UNICODE_CASE: the flags i and u together. */
void js_set_add_named(struct js_set *set, enum js_named name, bool negative, bool unicode_case,
		      uint32_t max);
/* Adds the other cases of all its characters. */
void js_set_fold(struct js_set *set, bool unicode);
/* In order and apart. */
void js_set_close(struct js_set *set);
/* Replaces the set by its complement up to MAX; the set is closed before and after. */
void js_set_negate(struct js_set *set, uint32_t max);
void js_set_done(struct js_set *set);

enum { JS_CASE_MAX = 8 };

/* All characters equal to C, C itself first; returns how many. */
size_t js_case_all(uint32_t c, bool unicode, uint32_t ret[JS_CASE_MAX]);
/* No character outside these ranges has another case. The last range is empty (low > high). */
extern const struct js_range js_case_blocks[];

#endif
