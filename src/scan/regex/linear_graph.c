/* SPDX-License-Identifier: MIT
 *
 * Builds the graph of a linear form and turns it into tables. Every array has a maximum. What a node
 * leads to is looked up once for each node that a way out goes to.
 *
 * Characters that no state and no test tells apart have one kind. ASCII gets its kinds when the form
 * is made. Other characters get theirs when they are first read, up to a number, because there are a
 * million of them. The kind of a character must never change what it does.
 */
#include "scan/regex/linear_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

static bool has_char(const struct linear_class *c, uint32_t value)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t mid = (low + high) / 2;
		if (c->range[mid].high < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->count && c->range[low].low <= value;
}

/* Sets the states that take character VALUE. */
static void fill_row(const struct linear *l, uint32_t value, uint64_t *row)
{
	memset(row, 0, l->words * sizeof(*row));
	for (uint32_t i = 0; i < l->classes; i++) {
		const struct linear_list *list = &l->class[i].states;
		if (!has_char(&l->class[i], value))
			continue;
		for (uint32_t k = list->first; k < list->first + list->count; k++)
			row[l->bits[k].word] |= l->bits[k].bits;
	}
}

unsigned linear_side(const struct linear *l, uint32_t c)
{
	bool word = (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_' ||
		    (l->wide_words && (c == 0x17f || c == 0x212a));
	bool edge = c == LINEAR_NO_CHAR ||
		    (l->multiline && (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029));

	return l->has_sides ? (word ? LINEAR_WORD : 0) | (edge ? LINEAR_EDGE : 0) : 0;
}

static bool opens(const struct linear *l, const uint64_t *row)
{
	uint64_t any = l->can_be_empty;

	for (uint32_t i = 0; i < l->words; i++)
		any |= row[i] & l->first[i];
	return any;
}

/* The kind of C, whose row is in the place after the last one; a new kind if no row is equal. */
static uint32_t find_kind(struct linear *l, uint32_t c)
{
	const uint64_t *row = l->row + (size_t)l->kinds * l->words;
	uint8_t side = (uint8_t)linear_side(l, c);
	uint32_t kind = 1;

	while (kind < l->kinds &&
	       (l->side[kind] != side ||
		memcmp(l->row + (size_t)kind * l->words, row, l->words * sizeof(*row)) != 0))
		kind++;
	if (kind < l->kinds)
		return kind;
	l->side[kind] = side;
	l->opens[kind] = opens(l, row);
	l->kinds += l->kinds < l->kinds_room;
	return kind;
}

uint32_t linear_far_kind(struct linear *l, uint32_t c)
{
	struct linear_far *far = &l->far[c % LINEAR_FAR];

	if (far->value == c)
		return far->kind;
	fill_row(l, c, l->row + (size_t)l->kinds * l->words);
	uint32_t kind = find_kind(l, c);
	if (kind < l->kinds)
		*far = (struct linear_far){c, (uint8_t)kind};
	return kind;
}

/* The maximum number of kinds beyond ASCII: kinds change only where a range of a class begins or
 * ends. */
static uint32_t far_kinds(const struct linear_graph *g)
{
	uint32_t most = 2;

	for (uint32_t i = 0; i < g->classes; i++)
		for (size_t k = 0; k < g->class[i].count && most < LINEAR_FAR_KINDS; k++)
			most += g->class[i].range[k].high >= LINEAR_ASCII ? 2 : 0;
	return most < LINEAR_FAR_KINDS ? most : LINEAR_FAR_KINDS;
}

/* Gives ASCII characters that no state and no test tells apart one kind. */
void linear_finish_kinds(struct linear_graph *g)
{
	struct linear *l = g->l;
	uint32_t far = far_kinds(g);

	for (uint32_t i = 0; i < g->tests; i++)
		l->has_sides |= g->test[i].kind != JS_LOOK;
	l->kinds = 1;
	l->kinds_room = LINEAR_ASCII + 1 + far;
	l->far = linear_zeroed(g->arena, LINEAR_FAR, sizeof(*l->far));
	l->side = linear_zeroed(g->arena, l->kinds_room + 1, sizeof(*l->side));
	l->opens = linear_zeroed(g->arena, l->kinds_room + 1, sizeof(*l->opens));
	size_t size = l->words * sizeof(*l->row);
	AUTO_FREE uint64_t *all = calloc(l->kinds_room + 1, size);
	if (!all || g->arena->failed) {
		g->failed = true;
		return;
	}
	l->row = all;
	l->opens[0] = true;
	l->side[0] = (uint8_t)linear_side(l, LINEAR_NO_CHAR);
	for (uint32_t c = 0; c < LINEAR_ASCII; c++) {
		fill_row(l, c, all + (size_t)l->kinds * l->words);
		l->kind_of[c] = (uint8_t)find_kind(l, c);
	}
	memset(l->can_begin, true, sizeof(l->can_begin));
	for (uint32_t c = 0; c < LINEAR_ASCII; c++)
		l->can_begin[c] = l->opens[l->kind_of[c]];
	l->kinds_room = l->kinds + far;
	l->row = arena_alloc(g->arena, (l->kinds_room + 1) * size);
	if (!g->arena->failed)
		memcpy(l->row, all, (l->kinds + 1) * size);
}

enum { ROOM_START = 64 };

/* ARRAY with room for one more than COUNT; unchanged, and FAILED, at the maximum. */
static void *grow(struct linear_graph *g, void *array, uint32_t *room, uint32_t count, size_t size,
		  uint32_t max)
{
	uint32_t want = *room ? *room * 2 : ROOM_START;

	if (g->failed || count < *room)
		return array;
	void *grown = count < max ? reallocarray(array, want, size) : NULL;
	if (!grown) {
		g->failed = true;
		return array;
	}
	*room = want;
	return grown;
}

uint32_t linear_add_node(struct linear_graph *g)
{
	g->way_of =
		grow(g, g->way_of, &g->nodes_room, g->nodes, sizeof(*g->way_of), LINEAR_NODES_MAX);
	if (g->failed)
		return 0;
	g->way_of[g->nodes] = 0;
	return g->nodes++;
}

/* Way 0 is not used: its number ends every list. */
void linear_add_way(struct linear_graph *g, uint32_t from, enum linear_way_kind kind, uint32_t to)
{
	g->ways += !g->ways;
	g->way = grow(g, g->way, &g->ways_room, g->ways, sizeof(*g->way), LINEAR_NODES_MAX * 2);
	if (g->failed)
		return;
	g->way[g->ways] = (struct linear_way){kind, to, g->way_of[from]};
	g->way_of[from] = g->ways++;
}

uint32_t linear_add_state(struct linear_graph *g, uint32_t class)
{
	g->state =
		grow(g, g->state, &g->states_room, g->states, sizeof(*g->state), LINEAR_STATES_MAX);
	g->self = grow(g, g->self, &g->self_room, g->states, sizeof(*g->self), LINEAR_STATES_MAX);
	if (g->failed)
		return 0;
	g->state[g->states] = class;
	g->self[g->states] = false;
	return g->states++;
}

void linear_add_self(struct linear_graph *g, uint32_t state)
{
	if (!g->failed)
		g->self[state] = true;
}

void linear_add_out(struct linear_graph *g, uint32_t from, uint32_t to, uint32_t node)
{
	g->out = grow(g, g->out, &g->outs_room, g->outs, sizeof(*g->out), LINEAR_STATES_MAX);
	if (!g->failed)
		g->out[g->outs++] = (struct linear_out){from, to, node};
}

void linear_add_group(struct linear_graph *g, uint32_t from, uint32_t stride)
{
	if (!stride || stride > LINEAR_STRIDE_MAX || g->states < from + 2 * stride)
		return;
	g->group =
		grow(g, g->group, &g->groups_room, g->groups, sizeof(*g->group), LINEAR_STATES_MAX);
	if (!g->failed)
		g->group[g->groups++] = (struct linear_span){from, g->states - 1, stride};
}

void linear_add_test(struct linear_graph *g, uint32_t from, struct linear_test test, uint32_t to)
{
	g->test = grow(g, g->test, &g->tests_room, g->tests, sizeof(*g->test), LINEAR_STATES_MAX);
	g->test_to =
		grow(g, g->test_to, &g->to_room, g->tests, sizeof(*g->test_to), LINEAR_STATES_MAX);
	linear_add_way(g, from, WAY_TEST, g->tests);
	if (g->failed)
		return;
	g->test[g->tests] = test;
	g->test_to[g->tests++] = to;
}

static bool is_same(const struct linear_class *a, const struct linear_class *b)
{
	return a->count == b->count && a->look == b->look && a->negative == b->negative &&
	       (!a->count || memcmp(a->range, b->range, a->count * sizeof(*a->range)) == 0);
}

uint32_t linear_class_find(struct linear_graph *g, const struct linear_class *like)
{
	size_t size = like->count * sizeof(*like->range);

	for (uint32_t i = 0; i < g->classes; i++)
		if (is_same(&g->class[i], like))
			return i;
	g->class = grow(g, g->class, &g->classes_room, g->classes, sizeof(*g->class),
			LINEAR_CLASSES_MAX);
	void *kept = arena_alloc(g->arena, size + 1);
	if (g->failed || g->arena->failed) {
		g->failed = true;
		return 0;
	}
	if (size)
		memcpy(kept, like->range, size);
	g->class[g->classes] = *like;
	g->class[g->classes].range = kept;
	return g->classes++;
}

struct linear *linear_look_find(const struct linear_graph *g, uint32_t id)
{
	for (uint32_t i = 0; i < g->top->looks; i++)
		if (g->top->look_id[i] == id)
			return g->top->look[i];
	return NULL;
}

static void set_bit(uint64_t *words, uint32_t state)
{
	words[state / 64] |= (uint64_t)1 << state % 64;
}

/* Returns the bits set in DENSE as a list and clears DENSE. */
static struct linear_list take_list(struct linear_graph *g)
{
	struct linear_list list = {g->bitc, 0};

	for (uint32_t w = 0; w < g->l->words; w++) {
		if (!g->dense[w])
			continue;
		g->bits =
			grow(g, g->bits, &g->bits_room, g->bitc, sizeof(*g->bits), LINEAR_BITS_MAX);
		if (!g->failed)
			g->bits[g->bitc++] = (struct linear_bits){g->dense[w], w};
		g->dense[w] = 0;
	}
	list.count = g->bitc - list.first;
	return list;
}

static void visit(struct linear_graph *g, uint32_t node, size_t *depth)
{
	if (g->seen[node] == g->round)
		return;
	g->seen[node] = g->round;
	g->stack[(*depth)++] = node;
}

/* Collects in DENSE all states that NODE leads to: through tests if THROUGH, else up to them. */
static void walk(struct linear_graph *g, uint32_t node, bool through)
{
	size_t depth = 0;

	g->round++;
	visit(g, node, &depth);
	while (depth && !g->failed) {
		node = g->stack[--depth];
		for (uint32_t i = g->way_of[node]; i; i = g->way[i].next) {
			const struct linear_way *way = &g->way[i];
			g->failed |= ++g->visits > LINEAR_VISITS_MAX;
			if (way->kind == WAY_NODE)
				visit(g, way->to, &depth);
			else if (way->kind == WAY_STATE)
				set_bit(g->dense, way->to);
			else if (way->kind == WAY_ACCEPT)
				set_bit(g->dense, g->l->accept);
			else if (through)
				visit(g, g->test_to[way->to], &depth);
			else
				set_bit(g->dense, g->l->first_test + way->to);
		}
	}
}

static struct linear_list list_of(struct linear_graph *g, uint32_t node)
{
	struct linear_list *list = &g->list[node];

	if (!list->count && !g->failed) {
		walk(g, node, false);
		*list = take_list(g);
	}
	return *list;
}

void *linear_zeroed(struct arena *a, size_t count, size_t size)
{
	void *made = arena_alloc(a, count * size + 1);

	return a->failed ? NULL : memset(made, 0, count * size);
}

static bool make_room(struct linear_graph *g)
{
	struct linear *l = g->l;
	size_t w;

	l->first_test = g->states;
	l->testc = g->tests;
	l->accept = g->states + g->tests;
	l->words = l->accept / 64 + 1;
	w = l->words;
	if (g->failed || l->accept >= LINEAR_STATES_MAX)
		return false;
	g->seen = calloc(g->nodes, sizeof(*g->seen));
	g->stack = calloc(g->nodes, sizeof(*g->stack));
	g->list = calloc(g->nodes, sizeof(*g->list));
	g->dense = calloc(w, sizeof(*g->dense));
	l->self = linear_zeroed(g->arena, w, sizeof(*l->self));
	l->exits = linear_zeroed(g->arena, w, sizeof(*l->exits));
	l->tests = linear_zeroed(g->arena, w, sizeof(*l->tests));
	l->first = linear_zeroed(g->arena, w, sizeof(*l->first));
	l->now = linear_zeroed(g->arena, w, sizeof(*l->now));
	l->next = linear_zeroed(g->arena, w, sizeof(*l->next));
	l->made = linear_zeroed(g->arena, g->tests, sizeof(*l->made));
	l->exit_at = linear_zeroed(g->arena, w + 1, sizeof(*l->exit_at));
	return g->seen && g->stack && g->list && g->dense && !g->arena->failed;
}

/* The states of OUT in WORD, one of the words it covers. */
static uint64_t mask_of(const struct linear_out *out, uint32_t word)
{
	uint64_t mask = ~(uint64_t)0;

	if (out->from / 64 == word)
		mask &= ~(uint64_t)0 << out->from % 64;
	if (out->to / 64 == word)
		mask &= ~(uint64_t)0 >> (63 - out->to % 64);
	return mask;
}

static void finish_spans(struct linear_graph *g)
{
	struct linear *l = g->l;

	l->span = linear_zeroed(g->arena, g->outs + g->groups, sizeof(*l->span));
	for (uint32_t i = 0; i < g->outs && !g->arena->failed; i++)
		if (g->out[i].to > g->out[i].from)
			l->span[l->runs++] = (struct linear_span){g->out[i].from, g->out[i].to, 1};
	l->spans = l->runs + g->groups;
	for (uint32_t i = 0; i < g->groups && !g->arena->failed; i++)
		l->span[l->runs + i] = g->group[i];
}

/* Groups ways out by their word. */
static void finish_exits(struct linear_graph *g)
{
	struct linear *l = g->l;
	uint32_t *at = l->exit_at;

	for (uint32_t i = 0; i < g->outs; i++)
		for (uint32_t w = g->out[i].from / 64; w <= g->out[i].to / 64; w++)
			at[w]++;
	for (uint32_t w = 1; w <= l->words; w++)
		at[w] += at[w - 1];
	l->exit = linear_zeroed(g->arena, at[l->words], sizeof(*l->exit));
	/* Sorts from the ends: after all are placed, each end has moved to its beginning. */
	for (uint32_t i = 0; i < g->outs && !g->failed && !g->arena->failed; i++) {
		const struct linear_out *out = &g->out[i];
		struct linear_list then = list_of(g, out->node);
		for (uint32_t w = out->from / 64; w <= out->to / 64; w++) {
			l->exit[--at[w]] = (struct linear_exit){mask_of(out, w), then};
			l->exits[w] |= mask_of(out, w);
		}
	}
}

static void finish_classes(struct linear_graph *g)
{
	for (uint32_t i = 0; i < g->classes && !g->failed; i++) {
		for (uint32_t s = 0; s < g->states; s++)
			if (g->state[s] == i)
				set_bit(g->dense, s);
		g->class[i].states = take_list(g);
	}
	g->l->guard = linear_zeroed(g->arena, g->classes, sizeof(*g->l->guard));
	for (uint32_t i = 0; i < g->classes && !g->arena->failed; i++)
		if (g->class[i].look)
			g->l->guard[g->l->guards++] = i;
	for (uint32_t s = 0; s < g->states; s++)
		if (g->self[s])
			set_bit(g->l->self, s);
	for (uint32_t i = 0; i < g->tests; i++)
		set_bit(g->l->tests, g->l->first_test + i);
}

/* States in which a match can begin, unless a test fails. */
static void finish_start(struct linear_graph *g, uint32_t start)
{
	struct linear *l = g->l;

	l->start = list_of(g, start);
	if (g->failed)
		return;
	walk(g, start, true);
	memcpy(l->first, g->dense, l->words * sizeof(*l->first));
	l->can_be_empty = l->first[l->accept / 64] >> l->accept % 64 & 1;
}

static void *kept(struct linear_graph *g, const void *from, size_t size)
{
	void *to = arena_alloc(g->arena, size + 1);

	if (g->arena->failed || !size)
		return to;
	return memcpy(to, from, size);
}

void linear_finish(struct linear_graph *g, uint32_t start)
{
	struct linear *l = g->l;

	if (!make_room(g)) {
		g->failed = true;
		return;
	}
	finish_classes(g);
	finish_exits(g);
	finish_spans(g);
	for (uint32_t i = 0; i < g->tests; i++)
		g->test[i].then = list_of(g, g->test_to[i]);
	finish_start(g, start);
	l->bits = kept(g, g->bits, g->bitc * sizeof(*g->bits));
	l->class = kept(g, g->class, g->classes * sizeof(*g->class));
	l->test = kept(g, g->test, g->tests * sizeof(*g->test));
	l->classes = g->classes;
}

void linear_graph_done(struct linear_graph *g)
{
	free(g->way_of);
	free(g->way);
	free(g->state);
	free(g->self);
	free(g->out);
	free(g->group);
	free(g->test);
	free(g->test_to);
	free(g->class);
	free(g->bits);
	free(g->seen);
	free(g->stack);
	free(g->list);
	free(g->dense);
}
