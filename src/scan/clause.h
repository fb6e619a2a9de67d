/* SPDX-License-Identifier: MIT
 *
 * An expression as a sequence of pieces, and the clauses that follow from it: sets of literals of
 * which every match has one, each with its distance from where the clause begins. Any one clause
 * is enough to find all matches; plan.c chooses.
 */
#ifndef CORDON_SCAN_CLAUSE_H
#define CORDON_SCAN_CLAUSE_H

#include "scan/guard.h"
#include "scan/rate.h"
#include "scan/shape.h"

enum {
	CLAUSE_LEN = 16, /* bytes of a literal; what is longer is cut */
	CLAUSE_PIECES = 300,
	CLAUSE_CLAUSES = 400,
	CLAUSE_LITERALS = 400,
	CLAUSE_COPIES = 3, /* of what must repeat */
};

struct literal {
	struct str str;
	struct reach before; /* back to where the clause begins */
	struct guard guard;
};

/* A part that every match has; what comes behind the last piece kept is not looked at. */
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
	double asked; /* of those that get past their guards */
};

struct sequence {
	struct piece *piece;
	struct reach *start; /* of each piece, back to where the match begins */
	uint32_t count;
	struct clause *clause;
	uint32_t clauses;
	uint32_t equal;	    /* words, apart by space, that are the same and stand in a row */
	uint32_t equal_len; /* bytes that each of them has at least */
	uint32_t beyond;    /* a class without ASCII that every match has; JS_NONE */
	bool control;	    /* has control characters that text has not */
	bool anchored;	    /* matches only at the text's start */
	bool dead;
};

/* Finds clauses of an expression in one form; everything lives in its arena. */
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
/* The alternation that is all of the sequence, JS_NONE when it is not one. */
uint32_t clause_only_alt(const struct clause_finder *f, const struct sequence *q);

#endif
