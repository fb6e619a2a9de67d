/* SPDX-License-Identifier: MIT
 *
 * Costs are estimates in nanoseconds per byte of text; a wrong one makes a scan slower and never
 * changes its result. In a match two clauses of one sequence always stand in their order, so the
 * second is searched only after the first, within the gap.
 */
#include "scan/find/literal_plan.h"

#include <string.h>

#include "base/scope.h"

enum { GROUPS_MAX = 6, BRANCHES_MAX = 256, POINTS_MAX = 4096, LONG_MATCH = 64 };

static const double hit_cost = 80, call_cost = 700, start_cost = 2;
static const double literal_cost = 1e-5;
/* Words of one subject occur together. */
static const double together = 6;
/* A text made to be slow repeats the beginning of a long match, which makes a second literal worth
 * its cost. */
static const double alone_cost = 1e-3;

struct planner {
	struct clause_finder find;
	struct table_maker *maker;
	uint32_t number;
	bool bare; /* a branch has no literal */
};

/* An estimate of a reach in bytes. */
static double span_of(const struct planner *p, const struct reach *r)
{
	double sum = r->bound[0];

	for (unsigned i = 0; i < r->runs; i++) {
		const struct reach_set *set = &p->maker->sets.set[r->run[i]];
		sum += set->newline	      ? 2000
		       : !reach_has(set, 'e') ? 2
		       : reach_has(set, ' ')  ? 60
					      : 8;
		sum += r->bound[i + 1];
	}
	return sum;
}

/* From the beginning of clause A to that of B. */
static struct reach gap_of(const struct sequence *q, const struct clause *a, const struct clause *b)
{
	struct reach gap = reach_bytes(0, 0);

	for (uint32_t i = a->from; i < b->from; i++)
		gap = reach_join(&gap, &q->piece[i].reach);
	return gap;
}

static double cost_of_one(const struct planner *p, const struct sequence *q, const struct clause *a)
{
	double starts = span_of(p, &q->start[a->from]);

	if (q->anchored)
		starts = 1;
	return a->rate * hit_cost + a->asked * (call_cost + start_cost * starts) +
	       a->count * literal_cost +
	       (reach_max(&q->start[q->count]) > LONG_MATCH ? alone_cost : 0);
}

static double cost_of_two(const struct planner *p, const struct sequence *q, const struct clause *a,
			  const struct clause *b)
{
	struct reach gap = gap_of(q, a, b);
	double near = a->asked * (span_of(p, &gap) + 1) * together, starts;

	starts = q->anchored ? 1 : span_of(p, &q->start[a->from]) + 1;
	return (a->rate + b->rate) * hit_cost +
	       b->asked * (near < 1 ? near : 1) * (call_cost + start_cost * starts) +
	       (a->count + b->count) * literal_cost;
}

struct choice {
	const struct clause *first, *last; /* LAST may be NULL */
	double cost;
};

static struct choice choose(const struct planner *p, const struct sequence *q)
{
	struct choice best = {0};

	if (!q->clause)
		return best;
	for (uint32_t i = 0; i < q->clauses; i++) {
		double cost = cost_of_one(p, q, &q->clause[i]);
		if (!best.first || cost < best.cost)
			best = (struct choice){&q->clause[i], NULL, cost};
	}
	for (uint32_t i = 0; i < q->clauses; i++) {
		const struct clause *a = &q->clause[i];
		/* If A alone costs more, no pair with it is better. */
		if (a->rate * hit_cost >= best.cost || a->from == a->to)
			continue;
		for (uint32_t k = 0; k < q->clauses; k++) {
			const struct clause *b = &q->clause[k];
			if (b->from < a->to || (a->rate + b->rate) * hit_cost >= best.cost)
				continue;
			double cost = cost_of_two(p, q, a, b);
			if (cost < best.cost)
				best = (struct choice){a, b, cost};
		}
	}
	return best;
}

/* Literals of a clause with the same distance. Above GROUPS_MAX, the distances are united. */
struct groups {
	struct reach reach[GROUPS_MAX];
	uint32_t count;
};

static uint32_t group_of(const struct groups *g, const struct reach *r)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (g->count == 1 || reach_is_same(&g->reach[i], r))
			return i;
	return 0;
}

static struct groups group(struct planner *p, const struct clause *c, const struct reach *before)
{
	struct groups g = {.count = 0};
	struct reach all = {0};
	bool over = false;

	for (uint32_t i = 0; i < c->count; i++) {
		struct reach r = reach_join(before, &c->literal[i].before);
		uint32_t at = 0;

		all = i ? reach_either(&p->maker->sets, &all, &r) : r;
		while (at < g.count && !reach_is_same(&g.reach[at], &r))
			at++;
		over |= at == GROUPS_MAX;
		if (at == g.count && !over)
			g.reach[g.count++] = r;
	}
	return over ? (struct groups){.reach = {all}, .count = 1} : g;
}

static void add_word(struct planner *p, const struct literal *l, struct table_entry entry)
{
	struct table_guard guard = {.set = {0}};

	for (unsigned i = 0; i < l->guard.count; i++) {
		guard.at[i] = l->guard.at[i];
		guard.set[i] = reach_set_find(&p->maker->guard_sets, &l->guard.set[i]);
	}
	entry.guard = l->guard.count ? table_add_guard(p->maker, &guard) : 0;
	table_add_word(p->maker, &l->str, entry);
}

static void add_words(struct planner *p, const struct clause *c, const struct reach *before,
		      const struct groups *g, uint32_t at, struct table_entry entry)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct reach r = reach_join(before, &c->literal[i].before);
		if (group_of(g, &r) == at)
			add_word(p, &c->literal[i], entry);
	}
}

static void emit_one(struct planner *p, const struct sequence *q, const struct clause *a)
{
	const struct reach *before = &q->start[a->from];
	struct groups g = group(p, a, before);

	for (uint32_t i = 0; i < g.count; i++) {
		struct table_slot slot = {.pattern = p->number,
					  .reach = table_add_reach(p->maker, &g.reach[i])};
		struct table_entry entry = {.slot = table_add_slot(p->maker, slot),
					    .stage = TABLE_ONLY};
		add_words(p, a, before, &g, i, entry);
	}
}

static void emit_two(struct planner *p, const struct sequence *q, const struct clause *a,
		     const struct clause *b)
{
	const struct reach *before = &q->start[a->from];
	struct reach gap = gap_of(q, a, b);
	struct groups g = group(p, a, before), h = group(p, b, &gap);

	for (uint32_t i = 0; i < g.count; i++) {
		for (uint32_t k = 0; k < h.count; k++) {
			uint64_t span = reach_max(&h.reach[k]);
			struct table_slot slot = {
				.pattern = p->number,
				.reach = table_add_reach(p->maker, &g.reach[i]),
				.gap = table_add_reach(p->maker, &h.reach[k]),
				.span = span < UINT32_MAX ? (uint32_t)span : UINT32_MAX,
			};
			uint32_t at = table_add_slot(p->maker, slot);
			add_words(p, a, before, &g, i,
				  (struct table_entry){.slot = at, .stage = TABLE_FIRST});
			add_words(p, b, &gap, &h, k,
				  (struct table_entry){.slot = at, .stage = TABLE_LAST});
		}
	}
}

/* A match is one of a branch: each branch has its own plan. */
static int plan_node(struct planner *p, uint32_t node, struct err *err)
{
	struct sequence *q = clause_sequence(&p->find, node);
	const struct js_ast *ast = p->find.shapes.ast;
	uint32_t alt = q ? clause_only_alt(&p->find, q) : JS_NONE;

	if (!q)
		return err_memory(err);
	if (q->dead)
		return 0;
	if (alt != JS_NONE && ast->node[alt].count <= BRANCHES_MAX) {
		for (uint32_t i = 0; i < ast->node[alt].count; i++)
			if (plan_node(p, js_kid(ast, &ast->node[alt], i), err) < 0)
				return -1;
		return 0;
	}
	struct choice best = choose(p, q);
	if (!best.first)
		p->bare = true;
	else if (best.last)
		emit_two(p, q, best.first, best.last);
	else
		emit_one(p, q, best.first);
	return 0;
}

/* Does it look more than a character behind its own beginning? */
static bool has_look_behind(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind == JS_CLASS)
		return false;
	if (n->kind == JS_LOOK && n->behind)
		return true;
	for (uint32_t i = 0; i < n->count; i++)
		if (has_look_behind(ast, js_kid(ast, n, i)))
			return true;
	return false;
}

/* Does it look at the text after it? */
static bool has_look(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind == JS_CLASS)
		return false;
	if (n->kind == JS_LOOK || n->kind == JS_END || n->kind == JS_BACKREF || n->kind == JS_WORD)
		return true;
	for (uint32_t i = 0; i < n->count; i++)
		if (has_look(ast, js_kid(ast, n, i)))
			return true;
	return false;
}

/* The maximum reach of a match of ID and its lookaheads together. With an assertion for the end,
 * or a back-reference, it is the whole rest of the text. */
static struct reach extent_of(struct planner *p, uint32_t id)
{
	const struct js_ast *ast = p->find.shapes.ast;
	const struct js_node *n = js_node_at(ast, id);
	const struct shape *shape = shape_of(&p->find.shapes, id);
	struct reach_sets *sets = &p->maker->sets;
	struct reach all = reach_bytes(0, 0);
	bool first = true;

	if (n->kind == JS_END || n->kind == JS_BACKREF)
		return reach_run(0, 0);
	if (n->kind == JS_WORD)
		return reach_bytes(0, 1);
	if (n->kind == JS_CHAR || n->kind == JS_CLASS)
		return shape->reach;
	if (n->kind == JS_REPEAT && !has_look(ast, id))
		return shape->reach;
	if (n->kind == JS_REPEAT)
		return reach_run(0, 0);
	if (n->kind == JS_LOOK && n->behind)
		return all;
	for (uint32_t i = 0; i < n->count; i++) {
		struct reach one = extent_of(p, js_kid(ast, n, i));
		if (n->kind == JS_ALT)
			all = first ? one : reach_either(sets, &all, &one);
		else
			all = reach_join(&all, &one);
		first = false;
	}
	return all;
}

/* Characters of which every match has one, as bits of fold.h. */
struct points {
	uint64_t bits[FOLD_POINTS / 64];
	uint64_t size;
};

static void gather_class(const struct js_ast *ast, uint32_t node, struct points *ret)
{
	const struct js_node *n = js_node_at(ast, node);

	for (uint32_t i = 0; i < n->count; i++) {
		const struct js_range *r = &ast->range[n->first + i];
		/* Folding does not record halves of surrogate pairs. */
		bool has_half = r->low <= 0xdfff && r->high >= 0xd800;
		ret->size += has_half ? POINTS_MAX + 1 : r->high - r->low + 1;
		for (uint32_t c = r->low; c <= r->high && ret->size <= POINTS_MAX; c++)
			ret->bits[c % FOLD_POINTS / 64] |= (uint64_t)1 << c % 64;
	}
}

/* False: some match has none of them. Of alternatives, each must have some. */
static bool gather_points(struct planner *p, const struct sequence *q, struct points *ret)
{
	const struct js_ast *ast = p->find.shapes.ast;
	uint32_t alt = q ? clause_only_alt(&p->find, q) : JS_NONE;

	if (q && q->beyond != JS_NONE)
		gather_class(ast, q->beyond, ret);
	else if (alt == JS_NONE || ast->node[alt].count > BRANCHES_MAX)
		return false;
	for (uint32_t i = 0; alt != JS_NONE && q->beyond == JS_NONE && i < ast->node[alt].count;
	     i++) {
		uint32_t kid = js_kid(ast, &ast->node[alt], i);
		if (!shape_of(&p->find.shapes, kid)->dead &&
		    !gather_points(p, clause_sequence(&p->find, kid), ret))
			return false;
	}
	return ret->size <= POINTS_MAX;
}

static void add_points(struct planner *p, const struct sequence *q, struct table_pattern *about)
{
	struct points points = {0};

	if (!gather_points(p, q, &points))
		return;
	about->point = (uint32_t)p->maker->points.count;
	for (unsigned i = 0; i < FOLD_POINTS; i++)
		if (points.bits[i / 64] >> i % 64 & 1)
			table_add_point(p->maker, (uint16_t)i);
	about->points = (uint32_t)p->maker->points.count - about->point;
}

static int plan(struct planner *p, struct err *err)
{
	const struct js_ast *ast = p->find.shapes.ast;
	struct table_pattern *about = table_about(p->maker, p->number);
	const struct sequence *q = clause_sequence(&p->find, ast->root);
	struct table_maker *m = p->maker;
	size_t words = m->words, slots = m->slots.count;

	if (!q)
		return err_memory(err);
	about->never = q->dead;
	about->anchored = q->anchored;
	about->equal = (uint8_t)(q->equal < UINT8_MAX ? q->equal : UINT8_MAX);
	about->equal_len = q->equal ? q->equal_len : 0;
	about->unicode = (ast->flags & JS_UNICODE) != 0;
	struct reach extent = extent_of(p, ast->root);
	about->extent = table_add_reach(m, &extent);
	about->control = q->control;
	about->behind = has_look_behind(ast, ast->root);
	if (p->find.shapes.form == JS_WIDE && !q->dead)
		add_points(p, q, about);
	if (plan_node(p, ast->root, err) < 0)
		return -1;
	if (p->bare) {
		m->words = words;
		m->slots.count = slots;
		table_add_always(m, p->number);
	}
	return 0;
}

int plan_pattern(const struct js_ast *ast, enum js_form form, uint32_t number,
		 struct table_maker *maker, struct err *err)
{
	struct arena arena = {0};
	struct planner p = {.maker = maker, .number = number};
	int status = clause_finder_init(&p.find, ast, form, &maker->sets, &arena, err);

	if (status == 0)
		status = plan(&p, err);
	if (status == 0 && (arena.failed || maker->failed))
		status = err_memory(err);
	arena_done(&arena);
	return status;
}
