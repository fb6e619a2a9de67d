/* SPDX-License-Identifier: MIT
 *
 * From the source of a rule's regular expression to what PCRE2 compiles: read, simplified, written
 * in both forms. The tree stays, for whoever looks for literals in it.
 */
#ifndef CORDON_SCAN_REGEX_H
#define CORDON_SCAN_REGEX_H

#include "scan/js_ast.h"
#include "scan/js_emit.h"

struct regex {
	struct js_ast ast;
	struct js_pattern form[JS_FORMS];
};

int regex_translate(const char *source, size_t len, unsigned flags, struct regex *ret,
		    struct err *err);
void regex_done(struct regex *r);

/* How a rule's condition is meant: one leading (?imsx) is skipped and not applied, case is always
 * ignored, and u holds when the rest has \u{ or \p{ in it. Returns the flags. */
unsigned regex_of_rule(const char *value, size_t len, size_t *ret_skip);

#endif
