/* SPDX-License-Identifier: MIT
 *
 * Which literals to look for so that an expression's matches are found: one clause, or two in
 * order with the gap between them. Chosen by what they would cost on ordinary text.
 */
#ifndef CORDON_SCAN_PLAN_H
#define CORDON_SCAN_PLAN_H

#include "scan/clause.h"
#include "scan/table.h"

/* Adds what NUMBER needs in the form to the table. A pattern without literals is put on the list
 * of those that are asked always. */
int plan_pattern(const struct js_ast *ast, enum js_form form, uint32_t number,
		 struct table_maker *maker, struct err *err);

#endif
