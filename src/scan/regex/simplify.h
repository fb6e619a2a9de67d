/* SPDX-License-Identifier: MIT
 *
 * Rewrites a tree so that PCRE2 10.42 accepts it and is not needlessly slow. Whether there is a
 * match never changes. The end of a match may move (a repeat at the very end is cut to its
 * minimum), because no caller uses it. The start moves only if ast->start_moved is set.
 */
#ifndef CORDON_SCAN_SIMPLIFY_H
#define CORDON_SCAN_SIMPLIFY_H

#include "scan/regex/ast.h"

int js_simplify(struct js_ast *ast, struct err *err);

#endif
