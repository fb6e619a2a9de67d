/* SPDX-License-Identifier: MIT
 *
 * The graph from which a linear form is made, see linear_make.c. Exceeding a maximum sets FAILED;
 * after that nothing is added.
 */
#ifndef CORDON_SCAN_LINEAR_GRAPH_H
#define CORDON_SCAN_LINEAR_GRAPH_H

#include "base/utf8.h"
#include "scan/regex/linear_private.h"

#define LINEAR_NO_CLASS UINT32_MAX

enum linear_way_kind { WAY_NODE, WAY_STATE, WAY_TEST, WAY_ACCEPT };

/* An item of a list: from a node to a node, a state or a test. */
struct linear_way {
	enum linear_way_kind kind;
	uint32_t to, next;
};

/* A run in one of these states is at NODE. */
struct linear_out {
	uint32_t from, to, node;
};

struct linear_graph {
	const struct js_ast *ast;
	struct arena *arena; /* what stays */
	struct linear *top, *l;
	uint32_t *way_of; /* by node, its first way; 0: none */
	struct linear_way *way;
	uint32_t *state; /* its class */
	uint8_t *self;	 /* by state */
	struct linear_out *out;
	struct linear_span *group; /* that repeat */
	struct linear_test *test;
	uint32_t *test_to;
	struct linear_class *class;
	struct linear_bits *bits;
	uint32_t nodes, ways, states, outs, groups, tests, classes, bitc;
	uint32_t nodes_room, ways_room, states_room, self_room, outs_room, groups_room, tests_room,
		to_room, classes_room, bits_room;
	bool failed;
	/* While it is finished. */
	uint32_t *seen, *stack, round;
	struct linear_list *list; /* by node */
	uint64_t *dense;
	uint64_t visits;
};

uint32_t linear_add_node(struct linear_graph *g);
void linear_add_way(struct linear_graph *g, uint32_t from, enum linear_way_kind kind, uint32_t to);
uint32_t linear_add_state(struct linear_graph *g, uint32_t class);
/* Marks a state that may take many characters. */
void linear_add_self(struct linear_graph *g, uint32_t state);
void linear_add_out(struct linear_graph *g, uint32_t from, uint32_t to, uint32_t node);
/* The states from FROM on repeat every STRIDE. */
void linear_add_group(struct linear_graph *g, uint32_t from, uint32_t stride);
void linear_add_test(struct linear_graph *g, uint32_t from, struct linear_test test, uint32_t to);
/* LIKE: its range, count, look and negative. */
uint32_t linear_class_find(struct linear_graph *g, const struct linear_class *like);
/* The form of lookaround ID, or one not made yet. */
struct linear *linear_look_find(const struct linear_graph *g, uint32_t id);

/* Makes the form of BODY, a part of OUTER's tree, in L. */
int linear_make_part(const struct linear_graph *outer, struct linear *l, uint32_t body);
/* Fills all tables of L that are made from the graph. */
void linear_finish(struct linear_graph *g, uint32_t start);
/* Finds its kinds of characters; its classes and states must be complete. */
void linear_finish_kinds(struct linear_graph *g);
/* Zeroed memory of the arena, or NULL. */
void *linear_zeroed(struct arena *a, size_t count, size_t size);
void linear_graph_done(struct linear_graph *g);

#endif
