/* SPDX-License-Identifier: MIT
 *
 * An expression as a sequence of pieces, and its clauses. A clause is a set of literals of which
 * every match has one, each with its distance from the clause's beginning. Any one clause finds
 * all matches; literal_plan.c chooses.
 */
#ifndef CORDON_SCAN_CLAUSE_H
#define CORDON_SCAN_CLAUSE_H

#include "scan/find/guard.h"
#include "scan/find/rate.h"
#include "scan/find/shape.h"

enum {
	CLAUSE_LEN = 16, /* bytes of a literal; a longer one is cut */
	CLAUSE_PIECES = 300,
	CLAUSE_CLAUSES = 400,
	CLAUSE_LITERALS = 400,
	CLAUSE_COPIES = 3, /* of what must repeat */
};

struct literal {
	struct str str;
	struct reach before; /* back to the clause's beginning */
	struct guard guard;
};

/* A part that every match has. The text after the last piece is ignored. */
struct piece {
	const struct strs *all;
	struct reach reach;
	struct reach_set bytes;
	uint32_t node; /* JS_NONE: several */
	bool edge_before, edge_behind;
};

struct clause {
	uint32_t from, to; /* pieces */
	uint32_t count;
	const struct literal *literal;
	double rate;  /* of all literals */
	double asked; /* of those whose guards hold */
};

struct sequence {
	struct piece *piece;
	struct reach *start; /* of each piece, back to the beginning of the match */
	uint32_t count;
	struct clause *clause;
	uint32_t clauses;
	uint32_t equal;	    /* equal words in a row, separated by spaces */
	uint32_t equal_len; /* the minimum length of each in bytes */
	/* a class without ASCII of which every match has a character; or JS_NONE */
	uint32_t beyond;
	bool control;  /* contains control characters that ordinary text does not */
	bool anchored; /* matches only at the text's start */
	bool dead;
};

/* Finds the clauses of an expression in one form. All memory is the arena's. */
struct clause_finder {
	struct shapes shapes;
	const struct clause **best; /* by node */
	bool *asked;
	double rate[RATE_BYTES];
};

int clause_finder_init(struct clause_finder *f, const struct js_ast *ast, enum js_form form,
		       struct reach_sets *sets, struct arena *arena, struct err *err);
/* NULL when memory is out. */
struct sequence *clause_sequence(struct clause_finder *f, uint32_t node);
/* The alternation that is the whole sequence, or JS_NONE. */
uint32_t clause_only_alt(const struct clause_finder *f, const struct sequence *q);

#endif
