/* SPDX-License-Identifier: MIT
 *
 * A JavaScript regular expression as a tree. Nodes are in one array and refer to each other by
 * number, so a rewrite can share parts without copying, and nothing is freed one by one.
 * Characters are what a JavaScript engine compares: UTF-16 code units, or code points under the
 * flag u. A class lists exactly what it matches: ordered, disjoint ranges, closed under case and
 * already negated. All maxima are here; no source can make a larger tree.
 */
#ifndef CORDON_SCAN_AST_H
#define CORDON_SCAN_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	JS_SOURCE_MAX = 65536,	/* characters of one expression */
	JS_DEPTH_MAX = 120,	/* groups within groups */
	JS_NODES_MAX = 131072,	/* includes nodes that rewriting adds */
	JS_RANGES_MAX = 262144, /* of all classes together */
	JS_GROUPS_MAX = 1000,
	JS_REPEAT_MAX = 65535, /* the maximum of PCRE2; JavaScript has none */
	JS_NAME_MAX = 32,
	JS_BEHIND_MAX = 1024, /* alternatives that a lookbehind may be spread into */
	JS_UNIT_MAX = 0xffff,
	JS_POINT_MAX = 0x10ffff,
};

#define JS_UNBOUNDED UINT32_MAX

enum js_flag {
	JS_IGNORE_CASE = 1,
	JS_UNICODE = 2,
	JS_MULTILINE = 4,
	JS_DOT_ALL = 8,
};

enum js_kind {
	JS_SEQ,	    /* kids, one after another; no kids: the empty text */
	JS_ALT,	    /* kids, one of them */
	JS_CHAR,    /* value */
	JS_CLASS,   /* one character of the ranges */
	JS_GROUP,   /* capturing group number value around one kid */
	JS_REPEAT,  /* one kid, min to max times; lazy */
	JS_LOOK,    /* one kid; behind, negative; value: the node before it was spread, plus 1 */
	JS_START,   /* ^ */
	JS_END,	    /* $ */
	JS_WORD,    /* \b; negative: \B */
	JS_BACKREF, /* to group value */
	JS_KINDS,
};

struct js_range {
	uint32_t low, high;
};

struct js_node {
	enum js_kind kind;
	bool lazy, negative, behind;
	uint32_t value;
	uint32_t min, max;
	uint32_t first, count; /* of ast->kids, or of ast->ranges for a class */
};

struct js_ast {
	struct js_node *node;
	uint32_t *kid;
	struct js_range *range;
	uint32_t nodes, kids, ranges;
	uint32_t nodes_room, kids_room, ranges_room;
	uint32_t root;
	uint32_t groups;
	unsigned flags; /* enum js_flag */
	bool has_backref;
	/* Rewriting keeps only whether there is a match, not where it starts; see simplify.h. */
	bool start_moved;
};

#define JS_NONE UINT32_MAX

/* The new node's number, or JS_NONE when a maximum is reached or memory is out. */
uint32_t js_node_add(struct js_ast *ast, struct js_node node);
/* The same with COUNT kids. */
uint32_t js_node_add_kids(struct js_ast *ast, struct js_node node, const uint32_t *kids,
			  size_t count);
uint32_t js_node_add_class(struct js_ast *ast, const struct js_range *range, size_t count);
void js_ast_done(struct js_ast *ast);

static inline const struct js_node *js_node_at(const struct js_ast *ast, uint32_t id)
{
	return &ast->node[id];
}

static inline uint32_t js_kid(const struct js_ast *ast, const struct js_node *n, uint32_t i)
{
	return ast->kid[n->first + i];
}

/* Does it match only the empty text? */
static inline bool js_is_empty(const struct js_ast *ast, uint32_t id)
{
	return ast->node[id].kind == JS_SEQ && ast->node[id].count == 0;
}

/* The largest character of a text that this expression is matched against. */
static inline uint32_t js_char_max(const struct js_ast *ast)
{
	return ast->flags & JS_UNICODE ? JS_POINT_MAX : JS_UNIT_MAX;
}

#endif
