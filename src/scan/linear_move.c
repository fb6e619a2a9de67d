/* SPDX-License-Identifier: MIT
 *
 * Remembers how linear forms moved, so that a character costs one look into a table wherever the
 * same states meet the same kind of character again: a lazy automaton. A move is found by the next
 * character's kind and, when lookarounds were asked, through a small tree of their answers. What is
 * not known, or does not fit, is done by bits (linear_step.c): the answers are the same, and so are
 * the steps, which are counted by character. It must never remember what was found when steps ran
 * out.
 */
#include "scan/linear_pool.h"

enum {
	/* Of a move. The rest of its bits say where the next state, or the next question, is. */
	MOVE_KNOWN = 1,
	MOVE_FOUND = 2,
	MOVE_EMPTY = 4, /* nobody is left */
	MOVE_ASK = 8,
	MOVE_FLAGS = 15,
	MOVE_SHIFT = 4,
};

_Static_assert(LINEAR_POOL_BYTES / LINEAR_UNIT < 1 << (32 - MOVE_SHIFT), "a move can say where");

/* The lookaround says which way. */
struct question {
	struct linear_asked asked;
	uint32_t move[2];
};

static uint32_t move_to(const struct linear_pool *pool, const void *to, unsigned flags)
{
	size_t at = to ? (size_t)((const uint8_t *)to - pool->memory) / LINEAR_UNIT : 0;

	return (uint32_t)(at << MOVE_SHIFT | flags | MOVE_KNOWN);
}

static inline void *moved_to(const struct linear_pool *pool, uint32_t move)
{
	return move >> MOVE_SHIFT ? pool->memory + (size_t)(move >> MOVE_SHIFT) * LINEAR_UNIT
				  : NULL;
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
			q = linear_pool_take(pool, sizeof(*q));
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

	linear_pool_load(l);
	found = linear_step(l, w, p, kind);
	if (!pool || w->spent)
		return found;
	whole = p->c != LINEAR_NO_CHAR && (!found || l->behind || l->backwards);
	if (whole)
		l->state = to = linear_pool_state(w, l, l->side[kind]);
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

/* The character that is read from AT on. */
static inline uint8_t read_at(const struct linear_walk *w, size_t at, bool back)
{
	return w->data[back ? at - 1 : at];
}

/* From AT to STOP, which BACK says is before it; each caller's copy knows its direction. */
static inline size_t hurry(struct linear *l, struct linear_walk *w, size_t at, size_t stop,
			   uint64_t cost, bool back)
{
	struct hurry h = {.s = l->state, .memory = w->pool->memory};
	const size_t from = at, step = back ? (size_t)-1 : 1;

	while (at != stop && read_at(w, at, back) < LINEAR_ASCII) {
		uint32_t move = h.s->move[l->kind_of[read_at(w, at, back)]];
		size_t next = at + step;

		if ((move & MOVE_FLAGS) != MOVE_KNOWN) {
			if (!is_pause(l, move))
				break;
			while (next != stop && !l->can_begin[read_at(w, next, back)])
				next += step;
			if (next == stop)
				break;
		}
		if (next == at + step)
			h.s = (const void *)(h.memory + (size_t)(move >> MOVE_SHIFT) * LINEAR_UNIT);
		else if (l->can_be_empty || !hurry_on(l, &h, read_at(w, next - step, back),
						      (back ? at - next : next - at) - 1))
			break;
		at = next;
	}
	hurry_end(l, w, &h, back ? from - at : at - from, cost);
	return at;
}

size_t linear_hurry(struct linear *l, struct linear_walk *w, size_t at, size_t stop, uint64_t cost)
{
	uint64_t most = w->left / cost;

	return hurry(l, w, at, stop - at > most ? at + most : stop, cost, false);
}

size_t linear_hurry_back(struct linear *l, struct linear_walk *w, size_t at, uint64_t cost)
{
	uint64_t most = w->left / cost;

	return hurry(l, w, at, at > most ? at - most : 0, cost, true);
}
