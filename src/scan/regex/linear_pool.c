/* SPDX-License-Identifier: MIT
 *
 * Stores the states that forms have been in: sets of a form's states, before the tests of a place,
 * found by a hash of their bits. All forms of a thread share one block of memory, which is emptied
 * when it is full and has paid for itself. No caller may hold a state across that.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "scan/regex/linear_pool.h"

enum {
	/* This many new states are always worth keeping; beyond that, one for this many
	 * characters. */
	FREE_STATES = 300,
	WORTH = 10,
	NEARLY_FULL = LINEAR_POOL_BYTES / 4 * 3,
};

struct linear_pool *linear_pool_new(void)
{
	struct linear_pool *pool = pages_new(sizeof(*pool));

	if (pool)
		pool->memory = pages_new(LINEAR_POOL_BYTES);
	if (pool && pool->memory) {
		pool->used = LINEAR_UNIT; /* nothing is at 0 */
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

void *linear_pool_take(struct linear_pool *pool, size_t size)
{
	void *taken = pool->memory + pool->used;

	size = (size + LINEAR_UNIT - 1) / LINEAR_UNIT * LINEAR_UNIT;
	if (pool->full || size > LINEAR_POOL_BYTES - pool->used) {
		pool->full = true;
		return NULL;
	}
	pool->used += size;
	return memset(taken, 0, size);
}

/* Its moves, and padding so that its bits are aligned after them. */
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
	struct linear_state *s = linear_pool_take(pool, sizeof(*s) + size_of_moves(l) + bits);

	if (!s)
		return NULL;
	*s = (struct linear_state){.serial = l->serial,
				   .hash = hash,
				   .chain = pool->bucket[hash % LINEAR_BUCKETS],
				   .adding = l->adding,
				   .empty = l->empty,
				   .side = (uint8_t)side};
	memcpy(bits_of(l, s), l->now, bits);
	pool->bucket[hash % LINEAR_BUCKETS] = s;
	return s;
}

struct linear_state *linear_pool_state(struct linear_walk *w, const struct linear *l, unsigned side)
{
	struct linear_pool *pool = w->pool;
	uint32_t hash;

	if (pool->useless)
		return NULL;
	hash = hash_of(l, side);
	for (struct linear_state *s = pool->bucket[hash % LINEAR_BUCKETS]; s; s = s->chain)
		if (s->hash == hash && s->serial == l->serial && s->adding == l->adding &&
		    s->side == side && !memcmp(bits_of(l, s), l->now, l->words * sizeof(*l->now)))
			return s;
	w->top->known++;
	return make_state(pool, l, side, hash);
}

void linear_pool_load(struct linear *l)
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

/* The pool may have been emptied since L used it, or L's number may be another form's now. */
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
		l->state = l->begin[side] = linear_pool_state(w, l, side);
}

void linear_stop_adding(struct linear *l, struct linear_walk *w)
{
	struct linear_state *from = l->state;

	if (from && !from->still) {
		linear_pool_load(l);
		l->adding = false;
		from->still = linear_pool_state(w, l, from->side);
	}
	l->adding = false;
	if (from)
		l->state = from->still;
}

/* Do the form's states hardly ever recur? Those of its lookarounds count as its own. */
static bool is_useless(const struct linear_walk *w)
{
	const struct linear *l = w->top;

	return l->known > FREE_STATES && l->known * WORTH > l->taken + w->taken;
}

static void empty(struct linear_pool *pool)
{
	memset(pool->bucket, 0, sizeof(pool->bucket));
	pool->used = LINEAR_UNIT;
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

/* Forms in one of the pool's states leave it before the pool is emptied. */
static void start_again(struct linear_pool *pool, struct linear_walk *w)
{
	linear_pool_load(w->top);
	for (uint32_t i = 0; i < w->top->looks; i++)
		linear_pool_load(w->top->look[i]);
	empty(pool);
	join(pool, w->top);
}

void linear_pool_check(struct linear_pool *pool, struct linear_walk *w)
{
	pool->useless = is_useless(w);
	if (pool->full && !pool->useless)
		start_again(pool, w);
}
