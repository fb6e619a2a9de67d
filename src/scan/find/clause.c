/* SPDX-License-Identifier: MIT
 *
 * Reads an expression into pieces that every match has, one after another: groups are opened, what
 * must repeat is written out a few times, neighbours of one string each are joined up to the end of a
 * word. What all matches have besides (control characters, equal words in a row) is noted on the way.
 * A piece may allow more than the expression, never less.
 *
 * Every run of pieces that can be written out is a clause. So is the beginning that all branches of
 * an alternation share, and, where an alternation cannot be written out, the union of its branches'
 * best clauses.
 */
#include "scan/find/clause.h"

#include <string.h>

#include "base/scope.h"

/* A sequence being read. */
struct reader {
	struct clause_finder *f;
	struct sequence *q;
	bool edge;  /* a word's edge stands before the next part */
	bool apart; /* the next part must begin a piece, because its place is recorded */
	uint32_t look[8], look_at[8], looks;
};

static const struct str *only(const struct strs *all)
{
	return all && all->count == 1 ? &all->str[0] : NULL;
}

/* Does B continue A's word? */
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

/* Records that a character of this class is in every match. */
static void note_class(struct reader *r, uint32_t node)
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
		note_class(r, inner);
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

/* Assertions: a word's edge, the start, a lookahead whose body must match. */
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
	/* Text after the last piece does not matter, but no piece may be left out. */
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
		note_class(r, node);
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

/* Does every match contain the group's text, and does the group match only part of one word? Its
 * own words must be ASCII, so that texts equal for the expression are equal when folded. Returns
 * the minimum length in bytes; 0: no. */
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

static void read_pieces(struct reader *r, uint32_t node)
{
	read_node(r, node);
	find_equal_words(r->f, r->q);
}

enum { INNER_MIN = 8 }; /* a piece with this many strings is also looked into */

int clause_finder_init(struct clause_finder *f, const struct js_ast *ast, enum js_form form,
		       struct reach_sets *sets, struct arena *arena, struct err *err)
{
	if (shapes_init(&f->shapes, ast, form, sets, arena, err) < 0)
		return -1;
	f->best = arena_alloc(arena, (ast->nodes + 1) * sizeof(const struct clause *));
	f->asked = arena_alloc(arena, ast->nodes + 1);
	if (arena->failed)
		return err_memory(err);
	memset(f->asked, 0, ast->nodes + 1);
	rate_bytes(f->rate);
	return 0;
}

static bool is_word(char c)
{
	return (unsigned)c - 'a' < 26 || (unsigned)c - '0' < 10 || c == '_';
}

/* One byte is enough only when it is rare. */
static bool is_usable(const struct strs *all)
{
	for (uint32_t i = 0; i < all->count; i++) {
		const struct str *s = &all->str[i];
		if (s->len == 0 || (s->len == 1 && (is_word(s->byte[0]) || s->byte[0] == ' ')))
			return false;
	}
	return all->count > 0;
}

static const struct strs *with_edges(struct clause_finder *f, const struct strs *all, bool before,
				     bool behind)
{
	struct strs *s;

	if (!before && !behind)
		return all;
	s = arena_alloc(f->shapes.maker.arena, sizeof(*s) + all->count * sizeof(s->str[0]));
	if (f->shapes.maker.arena->failed)
		return NULL;
	*s = *all;
	memcpy(s->str, all->str, all->count * sizeof(s->str[0]));
	for (uint32_t i = 0; i < s->count; i++) {
		struct str *x = &s->str[i];
		if (before && x->len && is_word(x->byte[0]))
			x->edge |= STR_EDGE_BEFORE;
		if (behind && x->len && is_word(x->byte[x->len - 1]))
			x->edge |= STR_EDGE_BEHIND;
	}
	return s;
}

static void add_clause(struct sequence *q, struct clause c)
{
	c.rate = c.asked = 0;
	for (uint32_t i = 0; i < c.count; i++) {
		double rate = rate_of(&c.literal[i].str);
		c.rate += rate;
		c.asked += rate * c.literal[i].guard.share;
	}
	if (q->clauses < CLAUSE_CLAUSES)
		q->clause[q->clauses++] = c;
}

/* Literals that begin at piece FROM; MORE as in guard.h. */
static void add_strs(struct clause_finder *f, struct sequence *q, uint32_t from, uint32_t to,
		     const struct strs *all, bool behind, const struct reach_set *more)
{
	struct guarded beside = {.q = q, .from = from, .to = to, .more = more, .rate = f->rate};
	const struct strs *cut;
	struct literal *list;

	if (!all || !is_usable(all))
		return;
	all = with_edges(f, all, q->piece[from].edge_before, behind);
	cut = all ? strs_reduce(&f->shapes.maker, all, CLAUSE_LEN) : NULL;
	if (!cut)
		return;
	list = arena_alloc(f->shapes.maker.arena, cut->count * sizeof(*list));
	if (f->shapes.maker.arena->failed)
		return;
	beside.all = all;
	for (uint32_t i = 0; i < cut->count; i++)
		list[i] = (struct literal){.str = cut->str[i],
					   .guard = guard_of(&beside, &cut->str[i])};
	add_clause(q,
		   (struct clause){.from = from, .to = to, .count = cut->count, .literal = list});
}

/* What may stand between a piece's beginning and the next piece: for a class that repeats its own
 * bytes, else anything. */
static const struct reach_set *rest_of(struct clause_finder *f, const struct piece *p)
{
	const struct js_ast *ast = f->shapes.ast;
	const struct js_node *n = js_node_at(ast, p->node);

	if (n->kind != JS_REPEAT || !shape_of(&f->shapes, js_kid(ast, n, 0))->all)
		return &reach_everything;
	return &p->bytes;
}

/* All runs that begin with piece FROM. */
static void add_runs(struct clause_finder *f, struct sequence *q, uint32_t from)
{
	struct strs_maker *m = &f->shapes.maker;
	const struct strs *now = strs_one(m, "", 0);

	for (uint32_t i = from; i < q->count && now; i++) {
		const struct piece *p = &q->piece[i];
		if (!p->all) {
			const struct strs *heads =
				p->node != JS_NONE ? shape_heads(&f->shapes, p->node) : NULL;
			if (heads)
				add_strs(f, q, from, i + 1, strs_join(m, now, heads), false,
					 rest_of(f, p));
			return;
		}
		now = strs_join(m, now, p->all);
		if (now)
			add_strs(f, q, from, i + 1, now, p->edge_behind, NULL);
		if (now && strs_shortest(now) >= CLAUSE_LEN)
			return;
	}
}

static const struct clause *best_of(struct clause_finder *f, uint32_t node);

/* A clause from inside piece AT, or from a lookahead before it. */
static void add_inner(struct clause_finder *f, struct sequence *q, uint32_t at, uint32_t to,
		      uint32_t node)
{
	const struct clause *inner = node == JS_NONE ? NULL : best_of(f, node);

	if (inner)
		add_clause(q, (struct clause){.from = at,
					      .to = to,
					      .count = inner->count,
					      .literal = inner->literal});
}

/* Too large for the stack of a recursive function. */
struct room {
	struct piece piece[CLAUSE_PIECES];
	struct reach start[CLAUSE_PIECES + 1];
	struct clause clause[CLAUSE_CLAUSES];
};

static void find_clauses(struct clause_finder *f, const struct reader *r)
{
	struct sequence *q = r->q;

	q->start[0] = reach_bytes(0, 0);
	for (uint32_t i = 0; i < q->count; i++)
		q->start[i + 1] = reach_join(&q->start[i], &q->piece[i].reach);
	for (uint32_t i = 0; i < q->count && !q->dead; i++) {
		add_runs(f, q, i);
		if (!q->piece[i].all || q->piece[i].all->count > INNER_MIN)
			add_inner(f, q, i, i + 1, q->piece[i].node);
	}
	for (uint32_t i = 0; i < r->looks && !q->dead; i++)
		add_inner(f, q, r->look_at[i], r->look_at[i], r->look[i]);
}

static void *keep(struct arena *a, const void *from, size_t size)
{
	void *kept = arena_alloc(a, size + 1);

	return a->failed ? NULL : memcpy(kept, from, size);
}

struct sequence *clause_sequence(struct clause_finder *f, uint32_t node)
{
	struct arena *a = f->shapes.maker.arena;
	AUTO_FREE struct room *room = malloc(sizeof(*room));
	struct sequence *q = arena_alloc(a, sizeof(*q));
	struct reader r = {.f = f, .q = q};

	if (a->failed || !room)
		return NULL;
	*q = (struct sequence){.piece = room->piece,
			       .start = room->start,
			       .clause = room->clause,
			       .beyond = JS_NONE};
	read_pieces(&r, node);
	find_clauses(f, &r);
	q->piece = keep(a, q->piece, sizeof(*q->piece) * q->count);
	q->start = keep(a, q->start, sizeof(*q->start) * (q->count + 1));
	q->clause = keep(a, q->clause, sizeof(*q->clause) * q->clauses);
	return a->failed ? NULL : q;
}

uint32_t clause_only_alt(const struct clause_finder *f, const struct sequence *q)
{
	uint32_t node = q->count == 1 ? q->piece[0].node : JS_NONE;

	return node != JS_NONE && f->shapes.ast->node[node].kind == JS_ALT ? node : JS_NONE;
}

/* Testing a literal's guards costs less than the work that follows them. */
static double weight(const struct clause *c)
{
	return c->rate * 0.15 + c->asked;
}

/* The best clause of a sequence, with distances from the sequence's beginning. */
static const struct clause *best_of_sequence(struct clause_finder *f, const struct sequence *q)
{
	struct arena *a = f->shapes.maker.arena;
	const struct clause *best = NULL;

	for (uint32_t i = 0; i < q->clauses; i++)
		if (!best || weight(&q->clause[i]) < weight(best))
			best = &q->clause[i];
	if (!best)
		return NULL;
	struct clause *c = arena_alloc(a, sizeof(*c));
	struct literal *list = arena_alloc(a, best->count * sizeof(*list));
	if (a->failed)
		return NULL;
	*c = *best;
	c->literal = list;
	for (uint32_t i = 0; i < c->count; i++) {
		list[i] = best->literal[i];
		list[i].before = reach_join(&q->start[c->from], &best->literal[i].before);
	}
	return c;
}

/* The union of the branches' clauses. */
static const struct clause *best_of_alt(struct clause_finder *f, const struct js_node *n)
{
	struct arena *a = f->shapes.maker.arena;
	AUTO_FREE struct literal *list = malloc(CLAUSE_LITERALS * sizeof(*list));
	struct clause all = {0}, *c;

	if (!list)
		return NULL;
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t kid = js_kid(f->shapes.ast, n, i);
		if (shape_of(&f->shapes, kid)->dead)
			continue;
		const struct clause *one = best_of(f, kid);
		if (!one || all.count + one->count > CLAUSE_LITERALS)
			return NULL;
		memcpy(list + all.count, one->literal, one->count * sizeof(list[0]));
		all.count += one->count;
		all.rate += one->rate;
		all.asked += one->asked;
	}
	c = arena_alloc(a, sizeof(*c));
	struct literal *kept = arena_alloc(a, (all.count + 1) * sizeof(*kept));
	if (a->failed || !all.count)
		return NULL;
	memcpy(kept, list, all.count * sizeof(list[0]));
	all.literal = kept;
	*c = all;
	return c;
}

static const struct clause *best_of(struct clause_finder *f, uint32_t node)
{
	const struct js_node *n = js_node_at(f->shapes.ast, node);
	const struct sequence *q;

	if (f->asked[node])
		return f->best[node];
	f->asked[node] = true;
	f->best[node] = NULL;
	if (n->kind == JS_REPEAT && !n->min)
		return NULL;
	if (n->kind == JS_ALT)
		return f->best[node] = best_of_alt(f, n);
	q = clause_sequence(f, node);
	return f->best[node] = q && !q->dead ? best_of_sequence(f, q) : NULL;
}
