/* SPDX-License-Identifier: MIT
 *
 * Writes a tree as a PCRE2 pattern with JavaScript's meaning, in one of two forms. WIDE is for
 * texts in UTF-8 (of code units for an expression without u: see normal.h). ASCII is for texts
 * without a byte above 0x7f, in byte mode, which compiles and runs many times faster. The pattern
 * states the whole meaning: PCRE2's own case, space and line end are used only where they agree
 * with JavaScript's.
 */
#ifndef CORDON_SCAN_EMIT_H
#define CORDON_SCAN_EMIT_H

#include "scan/regex/ast.h"

enum { JS_PATTERN_MAX = 1 << 20, JS_SUBS_MAX = 16 };

enum js_form { JS_WIDE, JS_ASCII, JS_FORMS };

struct js_pattern {
	char *text; /* the caller frees it; NULL if NEVER */
	size_t len;
	bool never; /* no text of this form can match */
};

/* The pattern needs PCRE2_DOTALL and PCRE2_MATCH_UNSET_BACKREF; WIDE also PCRE2_UTF with
 * PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES, ASCII also PCRE2_CASELESS if the tree ignores case. */
int js_emit(const struct js_ast *ast, enum js_form form, struct js_pattern *ret, struct err *err);

#endif
