/* SPDX-License-Identifier: MIT
 *
 * Reads a JavaScript regular expression, with the old rules of the web (Annex B: literal braces and
 * brackets, octal escapes, identity escapes) unless the flag u forbids them. What a JavaScript
 * engine takes is taken, what it refuses is refused with the place; groups with modifiers, sets of
 * the flag v and properties other than general categories are refused too.
 */
#ifndef CORDON_SCAN_JS_PARSE_H
#define CORDON_SCAN_JS_PARSE_H

#include "scan/js_ast.h"

/* SOURCE is UTF-8. On success the caller calls js_ast_done(); on failure there is nothing to do. */
int js_parse(const char *source, size_t len, unsigned flags, struct js_ast *ret, struct err *err);

#endif
