/* SPDX-License-Identifier: MIT
 *
 * Remembers how linear forms moved, so that a character costs one look into a table wherever the
 * same states meet the same kind of character again: a lazy automaton. Its states are sets of a
 * form's states, kept as they are before a place's tests; a move is found by the next character's
 * kind and, when lookarounds were asked, through a small tree of their answers. All forms of a
 * thread share one piece of memory, which is emptied when it is full and that has paid. What is not
 * known, or does not fit, is done by bits (linear_step.c): the answers are the same, and so are the
 * steps, which are counted by character. It must never remember what was found when steps ran out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "scan/linear_private.h"

enum {
	UNIT = 16, /* bytes: where something is, is counted in these */
	BUCKETS = 1 << 14,
	/* Of a move. The rest of its bits say where the next state, or the next question, is. */
	MOVE_KNOWN = 1,
	MOVE_FOUND = 2,
	MOVE_EMPTY = 4, /* nobody is left */
	MOVE_ASK = 8,
	MOVE_FLAGS = 15,
	MOVE_SHIFT = 4,
	/* So many new states are always worth it; beyond, there is one for so many characters. */
	FREE_STATES = 300,
	WORTH = 10,
	NEARLY_FULL = LINEAR_POOL_BYTES / 4 * 3,
};

_Static_assert(LINEAR_POOL_BYTES / UNIT < 1 << (32 - MOVE_SHIFT), "a move can say where");

struct linear_state {
	uint64_t serial;		    /* whose */
	struct linear_state *chain, *still; /* STILL: the same, and no match begins any more */
	uint32_t hash;			    /* of its bits, which are behind its moves */
	bool adding, empty;
	uint8_t side;
	uint32_t move[]; /* by kind */
};

/* The lookaround says which way. */
struct question {
	struct linear_asked asked;
	uint32_t move[2];
};

struct linear_pool {
	uint8_t *memory;
	size_t used;
	struct linear_state *bucket[BUCKETS];
	uint64_t generation, serials;
	bool full;
	bool useless; /* for the form that runs: nothing new is kept */
};

struct linear_pool *linear_pool_new(void)
{
	struct linear_pool *pool = pages_new(sizeof(*pool));

	if (pool)
		pool->memory = pages_new(LINEAR_POOL_BYTES);
	if (pool && pool->memory) {
		pool->used = UNIT; /* nothing is at 0 */
		pool->generation = 1;
		return pool;
	}
	linear_pool_free(pool);
	return NULL;
}

void linear_pool_free(struct linear_pool *pool)
{
	if (pool)
		pages_free(pool->memory);
	pages_free(pool);
}

size_t linear_pool_used(const struct linear_pool *pool)
{
	return pool->used;
}

static void *take(struct linear_pool *pool, size_t size)
{
	void *taken = pool->memory + pool->used;

	size = (size + UNIT - 1) / UNIT * UNIT;
	if (pool->full || size > LINEAR_POOL_BYTES - pool->used) {
		pool->full = true;
		return NULL;
	}
	pool->used += size;
	return memset(taken, 0, size);
}

static uint32_t move_to(const struct linear_pool *pool, const void *to, unsigned flags)
{
	size_t at = to ? (size_t)((const uint8_t *)to - pool->memory) / UNIT : 0;

	return (uint32_t)(at << MOVE_SHIFT | flags | MOVE_KNOWN);
}

static inline void *moved_to(const struct linear_pool *pool, uint32_t move)
{
	return move >> MOVE_SHIFT ? pool->memory + (size_t)(move >> MOVE_SHIFT) * UNIT : NULL;
}

/* Its moves, and whatever is needed for its bits to begin in their place. */
static size_t size_of_moves(const struct linear *l)
{
	return (l->kinds_room + 1) / 2 * sizeof(uint64_t);
}

static uint64_t *bits_of(const struct linear *l, struct linear_state *s)
{
	return (uint64_t *)((uint8_t *)s->move + size_of_moves(l));
}

static uint32_t hash_of(const struct linear *l, unsigned side)
{
	uint64_t hash = l->serial << 3 | side << 1 | l->adding;

	for (uint32_t w = linear_live(l, 0); w != LINEAR_NO_WORD; w = linear_live(l, w + 1)) {
		if (!l->now[w])
			continue;
		hash = (hash ^ l->now[w] ^ w) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash >> 16);
}

static struct linear_state *make_state(struct linear_pool *pool, const struct linear *l,
				       unsigned side, uint32_t hash)
{
	size_t bits = l->words * sizeof(*l->now);
	struct linear_state *s = take(pool, sizeof(*s) + size_of_moves(l) + bits);

	if (!s)
		return NULL;
	*s = (struct linear_state){.serial = l->serial,
				   .hash = hash,
				   .chain = pool->bucket[hash % BUCKETS],
				   .adding = l->adding,
				   .empty = l->empty,
				   .side = (uint8_t)side};
	memcpy(bits_of(l, s), l->now, bits);
	pool->bucket[hash % BUCKETS] = s;
	return s;
}

/* The state that L is in by its bits; NULL: there is no room for it. */
static struct linear_state *state_of(struct linear_walk *w, const struct linear *l, unsigned side)
{
	struct linear_pool *pool = w->pool;
	uint32_t hash;

	if (pool->useless)
		return NULL;
	hash = hash_of(l, side);
	for (struct linear_state *s = pool->bucket[hash % BUCKETS]; s; s = s->chain)
		if (s->hash == hash && s->serial == l->serial && s->adding == l->adding &&
		    s->side == side && !memcmp(bits_of(l, s), l->now, l->words * sizeof(*l->now)))
			return s;
	w->top->known++;
	return make_state(pool, l, side, hash);
}

/* From a state to bits. */
static void load(struct linear *l)
{
	const uint64_t *bits = l->state ? bits_of(l, l->state) : NULL;

	if (!bits)
		return;
	linear_clear(l);
	for (uint32_t w = 0; w < l->words; w++)
		if (bits[w])
			linear_set(l, w, bits[w]);
	l->empty = l->state->empty;
	l->state = NULL;
}

/* The pool may have been emptied since L used it, or have another L's number. */
static void join(struct linear_pool *pool, struct linear *l)
{
	if (l->generation == pool->generation)
		return;
	l->generation = pool->generation;
	l->serial = ++pool->serials;
	l->known = l->taken = 0;
	memset(l->begin, 0, sizeof(l->begin));
}

void linear_begin(struct linear *l, struct linear_walk *w, unsigned side)
{
	bool whole = l == w->top;

	if (w->pool)
		join(w->pool, l);
	l->adding = whole || l->behind || l->backwards;
	l->empty = l->adding;
	l->state = w->pool ? l->begin[side] : NULL;
	if (l->state)
		return;
	linear_clear(l);
	if (!l->adding)
		linear_add(l, l->start);
	if (w->pool)
		l->state = l->begin[side] = state_of(w, l, side);
}

void linear_stop_adding(struct linear *l, struct linear_walk *w)
{
	struct linear_state *from = l->state;

	if (from && !from->still) {
		load(l);
		l->adding = false;
		from->still = state_of(w, l, from->side);
	}
	l->adding = false;
	if (from)
		l->state = from->still;
}

/* Follows what lookarounds say; 0: nobody has been there. */
static uint32_t follow(struct linear_walk *w, uint32_t move, const struct linear_place *p)
{
	while (move & MOVE_ASK) {
		const struct question *q = moved_to(w->pool, move);
		size_t at = q->asked.next ? p->next : p->at;
		move = q->move[linear_look(w->top->look[q->asked.look], w, at)];
	}
	return move;
}

/* Where the move is to be noted, after the answers that L got; NULL: nowhere. */
static uint32_t *way_to(struct linear_pool *pool, const struct linear *l, uint32_t *move)
{
	for (uint32_t i = 0; i < l->askedc; i++) {
		struct question *q;
		if (!*move) {
			q = take(pool, sizeof(*q));
			if (!q)
				return NULL;
			q->asked = l->asked[i];
			*move = move_to(pool, q, MOVE_ASK);
		}
		q = moved_to(pool, *move);
		move = &q->move[l->asked[i].answer];
	}
	return move;
}

/* By bits, and it is noted. */
static bool step_and_note(struct linear *l, struct linear_walk *w, const struct linear_place *p,
			  uint32_t kind)
{
	struct linear_pool *pool = w->pool;
	struct linear_state *from = l->state, *to = NULL;
	bool found, whole;
	uint32_t *move;

	load(l);
	found = linear_step(l, w, p, kind);
	if (!pool || w->spent)
		return found;
	whole = p->c != LINEAR_NO_CHAR && (!found || l->behind || l->backwards);
	if (whole)
		l->state = to = state_of(w, l, l->side[kind]);
	if (!from || (whole && !to) || kind >= l->kinds_room || l->askedc > LINEAR_ASKED_MAX)
		return found;
	move = way_to(pool, l, &from->move[kind]);
	if (move)
		*move = move_to(pool, to, (found ? MOVE_FOUND : 0) | (l->empty ? MOVE_EMPTY : 0));
	return found;
}

bool linear_move(struct linear *l, struct linear_walk *w, const struct linear_place *p)
{
	uint32_t kind = linear_kind(l, p->c), move = 0;

	w->taken++;
	if (l->state && kind < l->kinds_room)
		move = follow(w, l->state->move[kind], p);
	if (!move || w->spent)
		return step_and_note(l, w, p, kind);
	l->state = moved_to(w->pool, move);
	l->empty = move & MOVE_EMPTY;
	return move & MOVE_FOUND;
}

/* A run over characters whose moves are known. */
struct hurry {
	const struct linear_state *s;
	const uint8_t *memory;
	uint64_t
		skipped; /* bytes that nothing can begin with, for which steps are paid otherwise */
	uint64_t paid;
};

/* Nobody is left, and nobody begins before NEXT, behind SKIPPED bytes: what linear.c does when it
 * begins again. BESIDE is the character on the side that has been read. False: not known here. */
static inline bool hurry_on(const struct linear *l, struct hurry *h, uint8_t beside, size_t skipped)
{
	const struct linear_state *begin =
		beside < LINEAR_ASCII ? l->begin[l->side[l->kind_of[beside]]] : NULL;

	if (!begin)
		return false;
	h->s = begin;
	h->skipped += skipped;
	h->paid += skipped / LINEAR_SKIP_BYTES;
	return true;
}

/* READ is how many bytes were read. */
static void hurry_end(struct linear *l, struct linear_walk *w, const struct hurry *h, size_t read,
		      uint64_t cost)
{
	uint64_t taken = read - h->skipped;

	l->state = (struct linear_state *)h->s;
	l->empty = h->s->empty;
	w->left -= taken * cost + h->paid;
	w->taken += taken;
}

/* Does the move leave nobody, so that the text may be skipped to where somebody begins? */
static inline bool is_pause(const struct linear *l, uint32_t move)
{
	return (move & MOVE_FLAGS) == (MOVE_KNOWN | MOVE_EMPTY) && l->adding;
}

size_t linear_hurry(struct linear *l, struct linear_walk *w, size_t at, size_t stop, uint64_t cost)
{
	struct hurry h = {.s = l->state, .memory = w->pool->memory};
	size_t from = at;

	if (stop - at > w->left / cost)
		stop = at + w->left / cost;
	while (at < stop && w->data[at] < LINEAR_ASCII) {
		uint32_t move = h.s->move[l->kind_of[w->data[at]]];
		size_t next = at + 1;

		if ((move & MOVE_FLAGS) != MOVE_KNOWN) {
			if (!is_pause(l, move))
				break;
			while (next < stop && !l->can_begin[w->data[next]])
				next++;
			if (next >= stop)
				break;
		}
		if (next == at + 1)
			h.s = (const void *)(h.memory + (size_t)(move >> MOVE_SHIFT) * UNIT);
		else if (l->can_be_empty || !hurry_on(l, &h, w->data[next - 1], next - at - 1))
			break;
		at = next;
	}
	hurry_end(l, w, &h, at - from, cost);
	return at;
}

size_t linear_hurry_back(struct linear *l, struct linear_walk *w, size_t at, uint64_t cost)
{
	struct hurry h = {.s = l->state, .memory = w->pool->memory};
	size_t from = at, stop = at > w->left / cost ? at - w->left / cost : 0;

	while (at > stop && w->data[at - 1] < LINEAR_ASCII) {
		uint32_t move = h.s->move[l->kind_of[w->data[at - 1]]];
		size_t next = at - 1;

		if ((move & MOVE_FLAGS) != MOVE_KNOWN) {
			if (!is_pause(l, move))
				break;
			while (next > stop && !l->can_begin[w->data[next - 1]])
				next--;
			if (next <= stop)
				break;
		}
		if (next == at - 1)
			h.s = (const void *)(h.memory + (size_t)(move >> MOVE_SHIFT) * UNIT);
		else if (l->can_be_empty || !hurry_on(l, &h, w->data[next], at - 1 - next))
			break;
		at = next;
	}
	hurry_end(l, w, &h, from - at, cost);
	return at;
}

/* Do the form's states hardly ever come again? Its lookarounds' count as its own. */
static bool is_useless(const struct linear_walk *w)
{
	const struct linear *l = w->top;

	return l->known > FREE_STATES && l->known * WORTH > l->taken + w->taken;
}

static void empty(struct linear_pool *pool)
{
	memset(pool->bucket, 0, sizeof(pool->bucket));
	pool->used = UNIT;
	pool->full = false;
	pool->generation++;
}

void linear_pool_start(struct linear_pool *pool, struct linear_walk *w)
{
	if (pool->used > NEARLY_FULL)
		empty(pool);
	join(pool, w->top);
	pool->useless = is_useless(w);
}

/* Whoever is in one of the pool's states leaves it before it is emptied. */
static void start_again(struct linear_pool *pool, struct linear_walk *w)
{
	load(w->top);
	for (uint32_t i = 0; i < w->top->looks; i++)
		load(w->top->look[i]);
	empty(pool);
	join(pool, w->top);
}

void linear_pool_look(struct linear_pool *pool, struct linear_walk *w)
{
	pool->useless = is_useless(w);
	if (pool->full && !pool->useless)
		start_again(pool, w);
}
