/* SPDX-License-Identifier: MIT
 *
 * Rewrites a tree so that PCRE2 10.42 can take it, and no slower than needed. Whether there is a
 * match never changes. Its end may move (a repeat at the very end is cut to its minimum: nobody
 * asks how far a match reaches), and its start only where ast->start_moved says so.
 */
#ifndef CORDON_SCAN_JS_SIMPLIFY_H
#define CORDON_SCAN_JS_SIMPLIFY_H

#include "scan/js_ast.h"

int js_simplify(struct js_ast *ast, struct err *err);

#endif
