/* SPDX-License-Identifier: MIT
 *
 * Of the pieces of an expression (clause_read.c), every run that can be written out is a clause; so is
 * what an alternation always begins with, and for an alternation that cannot be written out the best
 * clauses of its branches together.
 */
#include "scan/clause.h"

#include <string.h>

#include "base/scope.h"
#include "scan/clause_read.h"

enum { INNER_MIN = 8 }; /* strings of a piece that may as well be looked into */

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

/* Literals that begin where piece FROM does; MORE as with guards. */
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

/* What may stand between a piece's beginning and the next piece: of a class that repeats its own
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

/* A clause of what stands inside piece AT, or in a lookahead before it. */
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

/* Too large for the stack of who recurses. */
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
	clause_read(&r, node);
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

/* To look at a literal's guards costs less than what comes behind them. */
static double weight(const struct clause *c)
{
	return c->rate * 0.15 + c->asked;
}

/* The best clause of a sequence, told from where the sequence begins. */
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

/* The branches' clauses together. */
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
