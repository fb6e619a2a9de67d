/* SPDX-License-Identifier: MIT
 *
 * What runtime/python/codeview.py answers: records "key length\nbytes\n", the last one "end". The
 * interpreter may have been taken over by the code it reads, so none of it is believed: every key,
 * length, number and character is checked, and one that is off makes all of it worthless.
 */
#ifndef CORDON_FLOW_VIEW_PARSE_H
#define CORDON_FLOW_VIEW_PARSE_H

#include "flow/view.h"

/* *RET is zeroed; its strings are copies. A status of "none" is a view without text: state
 * CODE_VIEW_NONE with a reason. On failure *RET is to be thrown away with view_done. */
int view_parse(const char *data, size_t len, struct code_view *ret, struct err *err);

#endif
