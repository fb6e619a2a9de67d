/* SPDX-License-Identifier: MIT
 *
 * Runs a linear form over a text. The form keeps all states that the text so far can lead to; each
 * character moves all of them at once (linear_move.c). Where every move is in the pool and no
 * match begins or ends, an inner loop skips through the text. The result depends only on the text,
 * the expression and STEPS.
 */
#include "scan/regex/linear_pool.h"
#include "scan/regex/linear_text.h"

/* A run over characters whose moves are in the pool. */
struct hurry {
	const struct linear_state *s;
	const uint8_t *memory;
	uint64_t
		/* bytes skipped because no match can begin with them; restart() charges for
		 * these */
		skipped;
	uint64_t paid;
};

/* Does what restart() does, for a form without active states: no match can begin before NEXT,
 * after SKIPPED bytes. BESIDE is the character on the side already read. False: the pool has no
 * answer. */
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

/* READ: the number of bytes read. */
static void hurry_end(struct linear *l, struct linear_walk *w, const struct hurry *h, size_t read,
		      uint64_t cost)
{
	uint64_t taken = read - h->skipped;

	l->state = (struct linear_state *)h->s;
	l->empty = h->s->empty;
	w->left -= taken * cost + h->paid;
	w->taken += taken;
}

/* Does the move leave no active state, so that the text may be skipped to the next possible
 * beginning? */
static inline bool is_pause(const struct linear *l, uint32_t move)
{
	return (move & LINEAR_MOVE_FLAGS) == (LINEAR_MOVE_KNOWN | LINEAR_MOVE_EMPTY) && l->adding;
}

/* Reads the character at AT. */
static inline uint8_t read_at(const struct linear_walk *w, size_t at, bool back)
{
	return w->data[back ? at - 1 : at];
}

/* Reads from AT to STOP, which is before AT if BACK. Each caller's inlined copy has a constant
 * direction. */
static inline size_t hurry(struct linear *l, struct linear_walk *w, size_t at, size_t stop,
			   uint64_t cost, bool back)
{
	struct hurry h = {.s = l->state, .memory = w->pool->memory};
	const size_t from = at, step = back ? (size_t)-1 : 1;

	while (at != stop && read_at(w, at, back) < LINEAR_ASCII) {
		uint32_t move = h.s->move[l->kind_of[read_at(w, at, back)]];
		size_t next = at + step;

		if ((move & LINEAR_MOVE_FLAGS) != LINEAR_MOVE_KNOWN) {
			if (!is_pause(l, move))
				break;
			while (next != stop && !l->can_begin[read_at(w, next, back)])
				next += step;
			if (next == stop)
				break;
		}
		if (next == at + step)
			h.s = (const void *)(h.memory +
					     (size_t)(move >> LINEAR_MOVE_SHIFT) * LINEAR_UNIT);
		else if (l->can_be_empty || !hurry_on(l, &h, read_at(w, next - step, back),
						      (back ? at - next : next - at) - 1))
			break;
		at = next;
	}
	hurry_end(l, w, &h, back ? from - at : at - from, cost);
	return at;
}

/* Reads ASCII characters up to STOP, each at COST, while every move is known and no match ends. */
static size_t hurry_ahead(struct linear *l, struct linear_walk *w, size_t at, size_t stop,
			  uint64_t cost)
{
	uint64_t most = w->left / cost;

	return hurry(l, w, at, stop - at > most ? at + most : stop, cost, false);
}

/* The same backwards, towards the text's beginning. */
static size_t hurry_back(struct linear *l, struct linear_walk *w, size_t at, uint64_t cost)
{
	uint64_t most = w->left / cost;

	return hurry(l, w, at, at > most ? at - most : 0, cost, true);
}

/* Clears what earlier runs left, which is about other texts. */
static void forget(struct linear *l)
{
	l->state = NULL;
	for (uint32_t i = 0; i < l->looks; i++) {
		l->look[i]->state = NULL;
		l->look[i]->at = l->look[i]->last = LINEAR_NOWHERE;
	}
}

/* The next place up to TO at which a match can begin. */
static size_t skip(const struct linear *l, struct linear_walk *w, size_t at, size_t to)
{
	size_t from = at;

	while (at <= to && at < w->end && !l->can_begin[w->data[at]])
		at++;
	linear_spend(w, (at - from) / LINEAR_SKIP_BYTES);
	return at;
}

/* Without active states: moves to the next place where a match can begin. False: there is none up
 * to TO. */
static bool restart(struct linear *l, struct linear_walk *w, size_t *at, size_t to)
{
	size_t from = *at;

	if (!l->can_be_empty)
		*at = skip(l, w, from, to);
	if (*at > to)
		return false;
	if (*at != from)
		linear_begin(l, w, linear_side(l, linear_char_before(w, *at)));
	return true;
}

/* Reads from AT to the end. */
static bool run(struct linear *l, struct linear_walk *w, size_t at, size_t to)
{
	const uint64_t cost = linear_char_cost(l);

	linear_begin(l, w, linear_side(l, linear_char_before(w, at)));
	for (;;) {
		if (l->adding && at > to)
			linear_stop_adding(l, w);
		if (l->empty && !(l->adding && restart(l, w, &at, to)))
			return false;
		if (l->state) {
			size_t stop = l->adding && to < w->end ? to + 1 : w->end;
			at = hurry_ahead(l, w, at, stop, cost);
			if (l->adding && at > to)
				continue;
		}
		struct linear_place p = linear_ahead_of(w, at);
		if (linear_move(l, w, &p))
			return true;
		if (at >= w->end || !linear_spend(w, cost))
			return false;
		at = p.next;
		if (w->pool)
			linear_pool_check(w->pool, w);
	}
}

/* The next place, backwards, at which a match can end. */
static size_t restart_back(struct linear *l, struct linear_walk *w, size_t from)
{
	size_t at = from;

	while (!l->can_be_empty && at && !l->can_begin[w->data[at - 1]])
		at--;
	linear_spend(w, (from - at) / LINEAR_SKIP_BYTES);
	if (at != from)
		linear_begin(l, w, linear_side(l, linear_char_behind(w, at)));
	return at;
}

/* Reads from the end to the beginning. */
static bool run_back(struct linear *l, struct linear_walk *w)
{
	const uint64_t cost = linear_char_cost(l);
	size_t at = w->end;

	linear_begin(l, w, linear_side(l, LINEAR_NO_CHAR));
	for (;;) {
		if (l->empty)
			at = restart_back(l, w, at);
		if (l->state)
			at = hurry_back(l, w, at, cost);
		struct linear_place p = linear_back_from(w, at);
		if (linear_move(l, w, &p))
			return true;
		if (!at || !linear_spend(w, cost))
			return false;
		at = p.next;
		if (w->pool)
			linear_pool_check(w->pool, w);
	}
}

enum match_answer linear_run(struct linear *l, struct linear_pool *pool, const char *data,
			     const struct match_window *window, uint64_t *steps)
{
	struct linear_walk w = {.data = (const uint8_t *)data,
				.end = window->end,
				.top = l,
				.pool = pool,
				.left = *steps};

	forget(l);
	if (pool)
		linear_pool_start(pool, &w);
	bool found = l->backwards ? run_back(l, &w) : run(l, &w, window->from, window->to);
	*steps = w.left;
	l->taken += w.taken;
	/* When a lookaround ran out of steps, its answers are not reliable. */
	return w.spent ? MATCH_UNDECIDED : found ? MATCH_YES : MATCH_NO;
}

uint64_t linear_cost(const struct linear *l, size_t len)
{
	return (uint64_t)len * linear_char_cost(l);
}
