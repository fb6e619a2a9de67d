/* SPDX-License-Identifier: MIT
 *
 * A reader of shell code that is started before there is code: its interpreter has loaded everything and
 * waits. It reads one program. Whatever goes wrong, view_reader reads the code in a box of its own.
 */
#ifndef CORDON_READ_VIEW_READY_H
#define CORDON_READ_VIEW_READY_H

#include "read/view.h"

struct view_ready;

/* NULL: it could not be started. */
struct view_ready *view_ready_new(void);
/* 0: *RET is the view of the code. -1: the reader was not ready yet, or it failed. Only a reader that was not
 * ready can be used again. */
int view_ready_use(struct view_ready *v, const char *code, size_t len, struct code_view *ret);
/* It was used, or its time is over. */
bool view_ready_is_over(const struct view_ready *v);
void view_ready_free(struct view_ready *v);

#endif
