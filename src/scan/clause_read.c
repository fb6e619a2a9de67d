/* SPDX-License-Identifier: MIT
 *
 * From an expression to the pieces that every match has, one after another: groups are opened, what
 * must repeat is written out a few times, neighbours of one string each are joined up to the end of
 * a word. What all matches have besides (control characters, equal words in a row) is noted on the
 * way. A piece may say too much of what it can be, never too little.
 */
#include "scan/clause_read.h"

#include "base/scope.h"

static const struct str *only(const struct strs *all)
{
	return all && all->count == 1 ? &all->str[0] : NULL;
}

/* Does B go on with A's word? */
static bool goes_on(const struct str *a, const struct str *b)
{
	return a && b && a->len + b->len <= CLAUSE_LEN && a->byte[a->len - 1] != ' ';
}

static void push(struct reader *r, uint32_t node, const struct strs *all, struct reach reach,
		 const struct reach_set *bytes)
{
	struct sequence *q = r->q;
	bool joins = q->count && !r->apart && goes_on(only(q->piece[q->count - 1].all), only(all));

	if (only(all) && only(all)->len == 0)
		return;
	if (joins) {
		struct piece *last = &q->piece[q->count - 1];

		last->all = strs_join(&r->f->shapes.maker, last->all, all);
		last->reach = reach_join(&last->reach, &reach);
		reach_set_join(&last->bytes, bytes);
		last->edge_behind = false;
		last->node = JS_NONE;
	} else if (q->count < CLAUSE_PIECES) {
		q->piece[q->count] = (struct piece){all, reach, *bytes, node, r->edge, false};
		q->count++;
	}
	r->edge = r->apart = false;
}

static void read_node(struct reader *r, uint32_t node);

/* Only characters that folding counts as control characters? */
static bool is_control(const struct js_ast *ast, const struct js_node *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		for (uint32_t c = ast->range[n->first + i].low; c <= ast->range[n->first + i].high;
		     c++)
			if (!fold_is_control(c))
				return false;
	return n->count != 0;
}

/* A character of this class is in every match. */
static void look_at_class(struct reader *r, uint32_t node)
{
	const struct js_ast *ast = r->f->shapes.ast;
	const struct js_node *n = js_node_at(ast, node);

	r->q->control |= is_control(ast, n);
	if (n->count && ast->range[n->first].low > 0x7f)
		r->q->beyond = node;
}

static void read_repeat(struct reader *r, uint32_t node)
{
	const struct js_node *n = js_node_at(r->f->shapes.ast, node);
	struct shapes *s = &r->f->shapes;
	const struct shape *shape = shape_of(s, node), *kid;
	uint32_t copies = n->min < CLAUSE_COPIES ? n->min : CLAUSE_COPIES, inner;

	inner = js_kid(s->ast, n, 0);
	kid = shape_of(s, inner);
	bool class = js_node_at(s->ast, inner)->kind == JS_CLASS;
	if (class && n->min)
		look_at_class(r, inner);
	if (shape->all || !n->min || (!kid->all && class)) {
		push(r, node, shape->all, shape->reach, &shape->bytes);
		return;
	}
	for (uint32_t i = 0; i < copies; i++)
		read_node(r, inner);
	if (n->max == copies)
		return;
	uint64_t max = reach_max(&kid->reach);
	struct reach rest = reach_run(0, shape_run_set(s, &kid->bytes));
	if (n->max != JS_UNBOUNDED && max != UINT64_MAX)
		rest = reach_bytes(0, max * (n->max - copies));
	push(r, JS_NONE, NULL, rest, &kid->bytes);
}

/* Assertions: a word's edge, the start, a lookahead whose body must be there. */
static void read_assertion(struct reader *r, uint32_t node)
{
	const struct js_ast *ast = r->f->shapes.ast;
	const struct js_node *n = js_node_at(ast, node);

	if (n->kind == JS_WORD && !n->negative) {
		r->edge = true;
		if (r->q->count)
			r->q->piece[r->q->count - 1].edge_behind = true;
	} else if (n->kind == JS_START && !(ast->flags & JS_MULTILINE)) {
		r->q->anchored |= r->q->count == 0;
	} else if (n->kind == JS_LOOK && !n->behind && !n->negative &&
		   r->looks < ARRAY_SIZE(r->look)) {
		r->look[r->looks] = js_kid(ast, n, 0);
		r->look_at[r->looks++] = r->q->count;
		r->apart = true;
	}
}

static void read_node(struct reader *r, uint32_t node)
{
	const struct js_ast *ast = r->f->shapes.ast;
	const struct js_node *n = js_node_at(ast, node);
	const struct shape *shape = shape_of(&r->f->shapes, node);

	r->q->dead |= shape->dead;
	/* What is behind the last piece does not matter, but pieces must not be left out. */
	if (r->q->count == CLAUSE_PIECES)
		return;
	switch (n->kind) {
	case JS_SEQ:
		for (uint32_t i = 0; i < n->count; i++)
			read_node(r, js_kid(ast, n, i));
		break;
	case JS_GROUP:
		read_node(r, js_kid(ast, n, 0));
		break;
	case JS_REPEAT:
		read_repeat(r, node);
		break;
	case JS_CLASS:
		look_at_class(r, node);
		push(r, node, shape->all, shape->reach, &shape->bytes);
		break;
	case JS_CHAR:
	case JS_ALT:
	case JS_BACKREF:
		push(r, node, shape->all, shape->reach, &shape->bytes);
		break;
	default:
		read_assertion(r, node);
	}
}

/* Does every match go through group ID? */
static bool is_top(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *root = js_node_at(ast, ast->root);

	for (uint32_t i = 0; root->kind == JS_SEQ && i < root->count; i++)
		if (js_kid(ast, root, i) == id)
			return true;
	return false;
}

/* Is it what a group holds that every match has, and holds it part of one word only? The group's
 * own words are ASCII, so that folded they are equal when the expression says so. Returns how many
 * bytes that are at least; 0: it is not. */
static uint32_t word_ref(const struct clause_finder *f, const struct piece *p)
{
	const struct js_ast *ast = f->shapes.ast;
	const struct js_node *n = p->node == JS_NONE ? NULL : js_node_at(ast, p->node);

	if (!n || n->kind != JS_BACKREF)
		return 0;
	for (uint32_t i = 0; i < ast->nodes; i++) {
		const struct js_node *g = js_node_at(ast, i);
		const struct shape *s = &f->shapes.shape[i];
		if (g->kind != JS_GROUP || g->value != n->value)
			continue;
		bool word = s->known && !reach_has(&s->bytes, ' ') && !s->bytes.bits[2] &&
			    !s->bytes.bits[3] && is_top(ast, i);
		return word ? s->reach.min : 0;
	}
	return 0;
}

static bool is_gap(const struct piece *p)
{
	const struct str *one = only(p->all);

	return one && one->len == 1 && one->byte[0] == ' ';
}

/* (\w+)\s+\1\s+\1\s+\1: all but the first and the last are whole words between spaces. */
static void find_equal_words(const struct clause_finder *f, struct sequence *q)
{
	uint32_t now = 0, most = 0;

	for (uint32_t i = 1; i < q->count; i++) {
		uint32_t len = word_ref(f, &q->piece[i]);
		bool again = now && i >= 2 && q->piece[i].node != JS_NONE &&
			     q->piece[i - 2].node != JS_NONE &&
			     f->shapes.ast->node[q->piece[i].node].value ==
				     f->shapes.ast->node[q->piece[i - 2].node].value;
		if (is_gap(&q->piece[i]))
			continue;
		if (!len || !is_gap(&q->piece[i - 1]))
			now = 0;
		else
			now = again ? now + 1 : 1;
		if (now <= most)
			continue;
		most = now;
		q->equal_len = len;
	}
	q->equal = most > 1 ? most - 1 : 0;
}

void clause_read(struct reader *r, uint32_t node)
{
	read_node(r, node);
	find_equal_words(r->f, r->q);
}
