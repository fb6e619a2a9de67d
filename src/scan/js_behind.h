/* SPDX-License-Identifier: MIT
 *
 * The part of js_simplify that is about lookbehinds; its promise (js_simplify.h) holds here too.
 */
#ifndef CORDON_SCAN_JS_BEHIND_H
#define CORDON_SCAN_JS_BEHIND_H

#include "scan/js_ast.h"

int js_simplify_behind(struct js_ast *ast, struct err *err);

#endif
