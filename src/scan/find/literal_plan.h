/* SPDX-License-Identifier: MIT
 *
 * Chooses the literals by which an expression's matches are found: one clause, or two in order
 * with the gap between them, at the lowest estimated cost on ordinary text.
 */
#ifndef CORDON_SCAN_LITERAL_PLAN_H
#define CORDON_SCAN_LITERAL_PLAN_H

#include "scan/find/clause.h"
#include "scan/find/literal_table.h"

/* Adds the literals of NUMBER in the form to the table. A pattern without literals goes on the
 * list of those that are always asked. */
int plan_pattern(const struct js_ast *ast, enum js_form form, uint32_t number,
		 struct table_maker *maker, struct err *err);

#endif
