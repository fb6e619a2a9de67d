/* SPDX-License-Identifier: MIT
 *
 * Three rewrites, and then those of lookbehinds (js_behind.c). The tail: what may repeat at the end
 * of an expression, or of a lookahead, need not; back-references forbid it. Lookaheads over the
 * whole rest of the text, and nothing else, need to be tried only once. Two repeats of one class in
 * a row, which PCRE2 tries in every division, are one.
 */
#include "scan/js_simplify.h"

#include <string.h>

#include "scan/js_behind.h"

/* ID without what can be left out at its end: itself, changed, or a part of it. */
static uint32_t trim(struct js_ast *ast, uint32_t id)
{
	struct js_node *n = &ast->node[id];
	uint32_t *kid = n->kind != JS_CLASS && n->count ? ast->kid + n->first : NULL;

	if (!kid) /* a leaf */
		return id;
	switch (n->kind) {
	case JS_SEQ:
		while (n->count) {
			uint32_t last = trim(ast, kid[n->count - 1]);
			kid[n->count - 1] = last;
			if (!js_is_empty(ast, last))
				break;
			n->count--;
		}
		return id;
	case JS_ALT:
		for (uint32_t i = 0; i < n->count; i++) {
			kid[i] = trim(ast, kid[i]);
			if (js_is_empty(ast, kid[i]))
				return kid[i];
		}
		return id;
	case JS_REPEAT:
		n->max = n->min;
		n->lazy = false;
		if (n->min > 1)
			return id;
		if (n->min == 1)
			return trim(ast, kid[0]);
		*n = (struct js_node){.kind = JS_SEQ};
		return id;
	case JS_GROUP:
		return trim(ast, kid[0]);
	default:
		return id;
	}
}

static void trim_all(struct js_ast *ast)
{
	ast->root = trim(ast, ast->root);
	for (uint32_t i = 0; i < ast->nodes; i++) {
		const struct js_node *n = &ast->node[i];
		if (n->kind == JS_LOOK && !n->behind)
			ast->kid[n->first] = trim(ast, ast->kid[n->first]);
	}
}

static bool is_same_class(const struct js_ast *ast, uint32_t a, uint32_t b)
{
	const struct js_node *x = js_node_at(ast, a), *y = js_node_at(ast, b);

	return x->kind == JS_CLASS && y->kind == JS_CLASS && x->count == y->count && x->count &&
	       !memcmp(ast->range + x->first, ast->range + y->first,
		       x->count * sizeof(*ast->range));
}

static uint32_t add_times(uint32_t a, uint32_t b)
{
	return a == JS_UNBOUNDED || b == JS_UNBOUNDED ? JS_UNBOUNDED : a + b;
}

/* Makes kid AT + 1 part of kid AT; false when they are not the same or too many. */
static bool merge(struct js_ast *ast, struct js_node *seq, uint32_t at)
{
	uint32_t *kid = ast->kid + seq->first;
	struct js_node *a = &ast->node[kid[at]], b = ast->node[kid[at + 1]];

	if (a->kind != JS_REPEAT || b.kind != JS_REPEAT || a->lazy != b.lazy ||
	    !is_same_class(ast, js_kid(ast, a, 0), js_kid(ast, &b, 0)))
		return false;
	struct js_node both = *a;
	both.min += b.min;
	both.max = add_times(a->max, b.max);
	if (both.min > JS_REPEAT_MAX || (both.max > JS_REPEAT_MAX && both.max != JS_UNBOUNDED))
		return false;
	*a = both;
	memmove(kid + at + 1, kid + at + 2, (seq->count - at - 2) * sizeof(*kid));
	seq->count--;
	return true;
}

/* X{a,b}X{c,d} is X{a+c,b+d}. Before other rewrites: nodes are not shared yet. */
static void merge_all(struct js_ast *ast)
{
	for (uint32_t id = 0; id < ast->nodes; id++)
		for (uint32_t i = 0; ast->node[id].kind == JS_SEQ && i + 1 < ast->node[id].count;)
			i += !merge(ast, &ast->node[id], i);
}

/* (?=[^]*...): true at a place, it is true at every place before. */
static bool looks_anywhere(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind != JS_LOOK || n->behind || n->negative)
		return false;
	n = js_node_at(ast, js_kid(ast, n, 0));
	if (n->kind != JS_SEQ || !n->count)
		return false;
	n = js_node_at(ast, js_kid(ast, n, 0));
	if (n->kind != JS_REPEAT || n->min || n->max != JS_UNBOUNDED)
		return false;
	n = js_node_at(ast, js_kid(ast, n, 0));
	return n->kind == JS_CLASS && n->count == 1 && ast->range[n->first].low == 0 &&
	       ast->range[n->first].high == js_char_max(ast);
}

/* An expression of nothing else matches at the start or not at all. */
static int anchor(struct js_ast *ast)
{
	const struct js_node *root = js_node_at(ast, ast->root);
	uint32_t count = root->kind == JS_SEQ ? root->count : 1, both[2];

	for (uint32_t i = 0; i < count; i++)
		if (!looks_anywhere(ast, root->kind == JS_SEQ ? js_kid(ast, root, i) : ast->root))
			return 0;
	if (!count || ast->flags & JS_MULTILINE)
		return 0;
	both[0] = js_node_add(ast, (struct js_node){.kind = JS_START});
	both[1] = ast->root;
	uint32_t all = js_node_add_kids(ast, (struct js_node){.kind = JS_SEQ}, both, 2);
	if (both[0] == JS_NONE || all == JS_NONE)
		return -1;
	ast->root = all;
	return 0;
}

int js_simplify(struct js_ast *ast, struct err *err)
{
	merge_all(ast);
	if (!ast->has_backref)
		trim_all(ast);
	if (anchor(ast) < 0)
		return err_set(err, ERR_LIMIT, "regular expression: it is too large");
	return js_simplify_behind(ast, err);
}
