/* SPDX-License-Identifier: MIT
 *
 * The shape of every match of a part of an expression in folded text, for one form of text: all
 * strings if they are few, its length, and its bytes. Assertions are ignored, so a shape may
 * accept too much and never too little.
 */
#ifndef CORDON_SCAN_SHAPE_H
#define CORDON_SCAN_SHAPE_H

#include "scan/find/match_reach.h"
#include "scan/find/strs.h"
#include "scan/regex/ast.h"
#include "scan/regex/emit.h"

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
/* Strings such that every match begins with one; NULL when there is no such set. */
const struct strs *shape_heads(struct shapes *s, uint32_t node);

/* The number of a run's set, completed with all bytes that folded text of this form never has. So
 * a set of all characters becomes a run of everything, which needs no walk. */
uint16_t shape_run_set(const struct shapes *s, const struct reach_set *bytes);

#endif
