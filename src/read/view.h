/* SPDX-License-Identifier: MIT
 *
 * Makes code views. Python's own parser reads the code in a box (runtime/python), because parsing
 * hostile code is as dangerous as running it, and its answer is hostile too. If there is no view,
 * the error says why: code without a view must never count as clean code.
 */
#ifndef CORDON_READ_VIEW_H
#define CORDON_READ_VIEW_H

#include "model/code_view.h"
#include "model/request.h"

/* Reads code in the strongest box that this machine can build. */
extern const struct code_reader view_reader;

/* For view_ready.c: the request of a reader, without its arguments and its input. */
void view_request(struct request *ret, enum tier tier);
/* Parses the view that the early reader has sent (live/early_reader.h). */
int view_answer(const char *data, size_t len, struct code_view *ret, struct err *err);

#endif
