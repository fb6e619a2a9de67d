/* SPDX-License-Identifier: MIT
 *
 * Writes a tree as a PCRE2 pattern with JavaScript's meaning, in one of two forms: WIDE for texts
 * in UTF-8 (code units of an expression without u: see normal.h), ASCII for texts without a byte
 * beyond 0x7f, in byte mode, which compiles and runs many times faster. All meaning is in the
 * pattern: PCRE2's own idea of case, space and line end is used only where it is the same.
 */
#ifndef CORDON_SCAN_JS_EMIT_H
#define CORDON_SCAN_JS_EMIT_H

#include "scan/js_ast.h"

enum { JS_PATTERN_MAX = 1 << 20, JS_SUBS_MAX = 16 };

enum js_form { JS_WIDE, JS_ASCII, JS_FORMS };

struct js_pattern {
	char *text; /* the caller frees it; NULL when never */
	size_t len;
	bool never; /* no text of this form can match */
};

/* The pattern is for PCRE2_DOTALL and PCRE2_MATCH_UNSET_BACKREF; WIDE also for PCRE2_UTF with
 * PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES, ASCII for PCRE2_CASELESS if the tree ignores case. */
int js_emit(const struct js_ast *ast, enum js_form form, struct js_pattern *ret, struct err *err);

#endif
