/* SPDX-License-Identifier: MIT
 *
 * What every match of a part of an expression looks like in folded text, for one form of text: all
 * it can be, if that is little; how long it is; of which bytes. Assertions count as nothing, so a
 * shape says yes too often, never too rarely.
 */
#ifndef CORDON_SCAN_SHAPE_H
#define CORDON_SCAN_SHAPE_H

#include "scan/js_ast.h"
#include "scan/js_emit.h"
#include "scan/reach.h"
#include "scan/strs.h"

struct shape {
	const struct strs *all; /* NULL: too many, or too long */
	struct reach reach;
	struct reach_set bytes;
	bool dead; /* matches no text of this form */
	bool known;
};

/* One expression in one form. */
struct shapes {
	const struct js_ast *ast;
	enum js_form form;
	struct strs_maker maker;
	struct reach_sets *sets;
	struct shape *shape; /* by node */
};

int shapes_init(struct shapes *s, const struct js_ast *ast, enum js_form form,
		struct reach_sets *sets, struct arena *arena, struct err *err);
const struct shape *shape_of(struct shapes *s, uint32_t node);
/* Strings of which every match begins with one, NULL when there is no such set. */
const struct strs *shape_heads(struct shapes *s, uint32_t node);

/* The number of a run's set, with all bytes that folded text of this form never has: what takes any
 * character is then a run of everything, and so is no walk. */
uint16_t shape_run_set(const struct shapes *s, const struct reach_set *bytes);

#endif
