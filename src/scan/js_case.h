/* SPDX-License-Identifier: MIT
 *
 * Which characters JavaScript takes for the same under the flag i. Not what PCRE2 takes: without
 * u, JavaScript compares upper-case forms of single code units and never lets a character beyond
 * ASCII equal one of ASCII (the long s is no s, the Kelvin sign no k); with u it folds.
 */
#ifndef CORDON_SCAN_JS_CASE_H
#define CORDON_SCAN_JS_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/js_ast.h"

enum { JS_CASE_MAX = 8 };

/* All characters equal to C, C itself first; returns how many. */
size_t js_case_all(uint32_t c, bool unicode, uint32_t ret[JS_CASE_MAX]);
/* Ranges outside of which no character has another case; the last is empty (low > high). */
extern const struct js_range js_case_blocks[];

#endif
