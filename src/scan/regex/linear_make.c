/* SPDX-License-Identifier: MIT
 *
 * Makes the linear form of a tree. First a graph: nodes, and ways from one node to the next that
 * take no character, lead into a state, or into a test. A run of characters is a row of states;
 * the one after it is the way out. A class with a bounded repeat has as many states as repeats,
 * and most of them are ways out. Then, for each way out, all states that can follow are computed
 * once, so a run never has to. Greedy and lazy repeats are the same here, because only the
 * existence of a match counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/regex/char_set.h"
#include "scan/regex/linear_graph.h"

static uint32_t build(struct linear_graph *g, uint32_t id, uint32_t from);

static struct linear *build_look(struct linear_graph *g, uint32_t id);

static bool is_single(const struct js_node *n)
{
	return n->kind == JS_CHAR || n->kind == JS_CLASS;
}

static uint32_t class_of(struct linear_graph *g, uint32_t id, struct linear_class like)
{
	const struct js_ast *ast = g->ast;
	const struct js_node *n = js_node_at(ast, id);
	uint32_t all[JS_CASE_MAX] = {n->value}, found;
	struct js_set set = {0};
	size_t count = 1;

	if (n->kind == JS_CLASS) {
		like.range = n->count ? ast->range + n->first : NULL;
		like.count = n->count;
		return linear_class_find(g, &like);
	}
	if (ast->flags & JS_IGNORE_CASE)
		count = js_case_all(n->value, ast->flags & JS_UNICODE, all);
	for (size_t i = 0; i < count; i++)
		js_set_add(&set, all[i], all[i]);
	js_set_close(&set);
	g->failed |= set.failed;
	like.range = set.range;
	like.count = set.count;
	found = linear_class_find(g, &like);
	js_set_done(&set);
	return found;
}

/* A character, or one that a lookahead restricts: (?!x)[^]. As tests, hundreds of these in a row
 * would be too many. LINEAR_NO_CLASS: neither. */
static uint32_t single_class(struct linear_graph *g, uint32_t id)
{
	const struct js_node *n = js_node_at(g->ast, id), *look;
	struct linear_class like = {0};

	while (n->kind == JS_GROUP || (n->kind == JS_SEQ && n->count == 1)) {
		id = js_kid(g->ast, n, 0);
		n = js_node_at(g->ast, id);
	}
	if (is_single(n))
		return class_of(g, id, like);
	if (n->kind != JS_SEQ || n->count != 2 ||
	    !is_single(js_node_at(g->ast, js_kid(g->ast, n, 1))))
		return LINEAR_NO_CLASS;
	look = js_node_at(g->ast, js_kid(g->ast, n, 0));
	if (look->kind != JS_LOOK)
		return LINEAR_NO_CLASS;
	like.look = build_look(g, js_kid(g->ast, n, 0));
	like.negative = look->negative;
	return class_of(g, js_kid(g->ast, n, 1), like);
}

/* Characters in a row: where they begin, and whether there is one yet. */
struct chain {
	uint32_t node;
	bool open;
};

static void take_char(struct linear_graph *g, struct chain *c, uint32_t class)
{
	uint32_t state = linear_add_state(g, class);

	if (!c->open)
		linear_add_way(g, c->node, WAY_STATE, state);
	c->open = true;
}

/* The node behind it. */
static uint32_t end_chain(struct linear_graph *g, struct chain *c)
{
	if (!c->open)
		return c->node;
	uint32_t last = linear_add_state(g, LINEAR_NO_CLASS);
	c->open = false;
	c->node = linear_add_node(g);
	linear_add_out(g, last, last, c->node);
	return c->node;
}

static uint32_t build_seq(struct linear_graph *g, const struct js_node *n, uint32_t from)
{
	struct chain c = {from, false};

	for (uint32_t i = 0; i < n->count && !g->failed; i++) {
		uint32_t kid = js_kid(g->ast, n, g->l->backwards ? n->count - 1 - i : i);
		if (is_single(js_node_at(g->ast, kid)))
			take_char(g, &c, class_of(g, kid, (struct linear_class){0}));
		else
			c.node = build(g, kid, end_chain(g, &c));
	}
	return end_chain(g, &c);
}

static uint32_t build_alt(struct linear_graph *g, const struct js_node *n, uint32_t from)
{
	uint32_t to = linear_add_node(g);

	for (uint32_t i = 0; i < n->count && !g->failed; i++)
		linear_add_way(g, build(g, js_kid(g->ast, n, i), from), WAY_NODE, to);
	return to;
}

/* Of one class. State FIRST + k has taken k characters. */
static uint32_t build_run(struct linear_graph *g, const struct js_node *n, uint32_t class,
			  uint32_t from)
{
	uint32_t least = n->min ? n->min : 1, first = g->states, to = linear_add_node(g), last = 0;
	bool endless = n->max == JS_UNBOUNDED;

	for (uint32_t i = 0; i < (endless ? least : n->max) && !g->failed; i++)
		last = linear_add_state(g, class);
	if (endless)
		linear_add_self(g, last);
	last = linear_add_state(g, LINEAR_NO_CLASS);
	linear_add_way(g, from, WAY_STATE, first);
	linear_add_out(g, endless ? last : first + least, last, to);
	if (!n->min)
		linear_add_way(g, from, WAY_NODE, to);
	return to;
}

/* The last one may repeat. It begins at a node of its own, because other parts begin at FROM. */
static uint32_t build_endless(struct linear_graph *g, const struct js_node *n, uint32_t from)
{
	uint32_t node = from, begin = from;

	for (uint32_t i = 0; i < (n->min ? n->min : 1) && !g->failed; i++) {
		begin = linear_add_node(g);
		linear_add_way(g, node, WAY_NODE, begin);
		node = build(g, js_kid(g->ast, n, 0), begin);
	}
	uint32_t to = linear_add_node(g);
	linear_add_way(g, node, WAY_NODE, begin);
	linear_add_way(g, node, WAY_NODE, to);
	if (!n->min)
		linear_add_way(g, from, WAY_NODE, to);
	return to;
}

static uint32_t build_repeat(struct linear_graph *g, const struct js_node *n, uint32_t from)
{
	uint32_t kid = js_kid(g->ast, n, 0), node = from, class;

	if (n->max == 0)
		return from;
	class = single_class(g, kid);
	if (class != LINEAR_NO_CLASS)
		return build_run(g, n, class, from);
	if (n->max == JS_UNBOUNDED)
		return build_endless(g, n, from);
	uint32_t to = linear_add_node(g), from_state = g->states;
	for (uint32_t i = 0; i < n->max && !g->failed; i++) {
		if (i >= n->min)
			linear_add_way(g, node, WAY_NODE, to);
		if (i + 1 == n->min)
			from_state = g->states;
		node = build(g, kid, node);
	}
	linear_add_way(g, node, WAY_NODE, to);
	linear_add_group(g, from_state,
			 (g->states - from_state) / (n->max - n->min + (n->min > 0)));
	return to;
}

/* The maximum number of characters; UINT64_MAX when unbounded. */
static uint64_t longest(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);
	uint64_t sum = 0;

	if (is_single(n))
		return 1;
	if (n->kind == JS_BACKREF)
		return UINT64_MAX;
	if (n->kind == JS_LOOK)
		return 0;
	for (uint32_t i = 0; i < n->count; i++) {
		uint64_t one = longest(ast, js_kid(ast, n, i));
		if (n->kind == JS_ALT)
			sum = one > sum ? one : sum;
		else if (__builtin_add_overflow(sum, one, &sum))
			return UINT64_MAX;
	}
	if (n->kind == JS_REPEAT && sum &&
	    (n->max == JS_UNBOUNDED || __builtin_mul_overflow(sum, (uint64_t)n->max, &sum)))
		return UINT64_MAX;
	return sum;
}

/* A lookaround is a form of its own. For a lookbehind, the node before it was spread is smaller. A
 * lookahead that may read to the text's end is read from there, once for all places. */
static struct linear *build_look(struct linear_graph *g, uint32_t id)
{
	const struct js_node *n = js_node_at(g->ast, id);
	uint32_t body = n->behind && n->value ? n->value - 1 : js_kid(g->ast, n, 0);
	struct linear *look = linear_look_find(g, id), *top = g->top;

	if (look)
		return look;
	if (top->looks == LINEAR_LOOKS_MAX) {
		g->failed = true;
		return NULL;
	}
	look = arena_alloc(g->arena, sizeof(*look));
	if (g->arena->failed)
		return NULL;
	memset(look, 0, sizeof(*look));
	top->look_id[top->looks] = id;
	look->index = top->looks;
	top->look[top->looks++] = look;
	uint64_t most = longest(g->ast, body);
	look->behind = n->behind;
	look->backwards = !n->behind && most == UINT64_MAX;
	if ((n->behind && most > JS_REPEAT_MAX) || linear_make_part(g, look, body) < 0)
		g->failed = true;
	look->back = n->behind ? most * UTF8_CHAR_MAX : 0;
	return look;
}

static uint32_t build_test(struct linear_graph *g, const struct js_node *n, uint32_t id,
			   uint32_t from)
{
	struct linear_test test = {.kind = n->kind, .negative = n->negative};
	uint32_t to = linear_add_node(g);

	if (n->kind == JS_LOOK)
		test.look = build_look(g, id);
	linear_add_test(g, from, test, to);
	return to;
}

/* Builds the part ID after FROM; returns the node after it. */
static uint32_t build(struct linear_graph *g, uint32_t id, uint32_t from)
{
	const struct js_node *n = js_node_at(g->ast, id);
	struct chain c = {from, false};

	if (g->failed)
		return from;
	switch (n->kind) {
	case JS_CHAR:
	case JS_CLASS:
		take_char(g, &c, class_of(g, id, (struct linear_class){0}));
		return end_chain(g, &c);
	case JS_SEQ:
		return build_seq(g, n, from);
	case JS_ALT:
		return build_alt(g, n, from);
	case JS_GROUP:
		return build(g, js_kid(g->ast, n, 0), from);
	case JS_REPEAT:
		return build_repeat(g, n, from);
	case JS_LOOK:
	case JS_START:
	case JS_END:
	case JS_WORD:
		return build_test(g, n, id, from);
	default: /* a back-reference */
		g->failed = true;
		return from;
	}
}

int linear_make_part(const struct linear_graph *outer, struct linear *l, uint32_t body)
{
	struct linear_graph g = {
		.ast = outer->ast, .arena = outer->arena, .top = outer->top, .l = l};
	const struct js_ast *ast = g.ast;

	l->multiline = ast->flags & JS_MULTILINE;
	l->wide_words = ast->flags & JS_IGNORE_CASE && ast->flags & JS_UNICODE;
	uint32_t start = linear_add_node(&g), end = build(&g, body, start);
	linear_add_way(&g, end, WAY_ACCEPT, 0);
	linear_finish(&g, start);
	if (!g.failed && !g.arena->failed)
		linear_finish_kinds(&g);
	bool good = !g.failed && !g.arena->failed;
	linear_graph_done(&g);
	return good ? 0 : -1;
}

static struct linear *make(const struct js_ast *ast, bool backwards, struct err *err)
{
	struct linear *l = calloc(1, sizeof(*l));
	struct arena arena = {0};
	struct linear_graph outer = {.ast = ast, .arena = &arena, .top = l};

	if (l)
		l->backwards = backwards;
	if (l && linear_make_part(&outer, l, ast->root) == 0) {
		l->arena = arena;
		return l;
	}
	bool memory = !l || arena.failed;
	arena_done(&arena);
	free(l);
	if (memory)
		err_memory(err);
	else
		err_set(err, ERR_LIMIT, "regular expression: too large for the linear matcher");
	return NULL;
}

struct linear *linear_new(const struct js_ast *ast, struct err *err)
{
	return make(ast, false, err);
}

struct linear *linear_new_back(const struct js_ast *ast, struct err *err)
{
	return make(ast, true, err);
}

void linear_free(struct linear *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->looks; i++)
		free(l->look[i]->map);
	arena_done(&l->arena);
	free(l);
}
