/* SPDX-License-Identifier: MIT
 *
 * Parses the answer of runtime/python/codeview.py: records "key length\nbytes\n", the last one
 * "end". The code may have taken over the interpreter that read it, so every key, length, number
 * and character is checked. One error makes the whole answer invalid.
 */
#ifndef CORDON_READ_VIEW_PARSE_H
#define CORDON_READ_VIEW_PARSE_H

#include "model/code_view.h"

/* The caller passes *RET zeroed, and frees it with code_view_done also on failure. Its strings are
 * copies. The status "none" is not a failure: it gives the state CODE_VIEW_NONE with a reason. */
int view_parse(const char *data, size_t len, struct code_view *ret, struct err *err);

#endif
