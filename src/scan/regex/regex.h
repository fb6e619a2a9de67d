/* SPDX-License-Identifier: MIT
 *
 * Translates the source of a rule's regular expression for PCRE2: parsed, simplified, written in
 * both forms. The tree is kept for the search for literals.
 */
#ifndef CORDON_SCAN_REGEX_H
#define CORDON_SCAN_REGEX_H

#include "scan/regex/ast.h"
#include "scan/regex/emit.h"

struct regex {
	struct js_ast ast;
	struct js_pattern form[JS_FORMS];
};

int regex_translate(const char *source, size_t len, unsigned flags, struct regex *ret,
		    struct err *err);
void regex_done(struct regex *r);

/* The flags of a rule's condition: one leading (?imsx) is skipped and not applied, case is always
 * ignored, and u is set when the rest contains \u{ or \p{. */
unsigned regex_of_rule(const char *value, size_t len, size_t *ret_skip);

#endif
