/* SPDX-License-Identifier: MIT
 *
 * Moves a linear form over one character: by its bits, or by a remembered move. The result depends
 * only on the bits, on whether a match may begin here, on the kinds of the two characters beside
 * the place, and on the answers of lookarounds. A move is remembered under exactly these (a lazy
 * automaton), so it must never depend on anything else. A result found after the steps ran out is
 * never remembered.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/regex/linear_pool.h"
#include "scan/regex/linear_text.h"

/* Does a lookaround hold at a place? */
static bool look(struct linear *l, struct linear_walk *w, size_t at);

static bool ask(struct linear *l, struct linear *around, struct linear_walk *w, size_t at,
		bool next)
{
	bool answer = look(around, w, at);

	if (l->askedc < LINEAR_ASKED_MAX)
		l->asked[l->askedc] = (struct linear_asked){around->index, next, answer};
	l->askedc += l->askedc <= LINEAR_ASKED_MAX;
	return answer;
}

/* A place, and what is on both sides of it. */
struct spot {
	size_t at;
	unsigned before, behind;
};

static struct spot spot_of(const struct linear *l, const struct linear_walk *w,
			   const struct linear_place *p, uint32_t kind)
{
	unsigned next = l->side[kind];
	uint32_t last = l->backwards ? linear_char_behind(w, p->at) : linear_char_before(w, p->at);
	unsigned side = linear_side(l, last);

	return (struct spot){p->at, l->backwards ? next : side, l->backwards ? side : next};
}

static bool holds(struct linear *l, const struct linear_test *test, struct linear_walk *w,
		  const struct spot *spot)
{
	bool yes;

	if (test->kind == JS_LOOK)
		return ask(l, test->look, w, spot->at, false) != test->negative;
	if (test->kind == JS_START)
		yes = spot->before & LINEAR_EDGE;
	else if (test->kind == JS_END)
		yes = spot->behind & LINEAR_EDGE;
	else
		yes = (spot->before ^ spot->behind) & LINEAR_WORD;
	return yes != test->negative;
}

static bool has_tests(const struct linear *l)
{
	uint64_t any = 0;

	for (uint32_t i = l->first_test / 64; l->testc && i < l->words; i++)
		any |= l->now[i] & l->tests[i];
	return any;
}

/* Evaluates the tests of one word that active states stand before. */
static void test_word(struct linear *l, struct linear_walk *w, const struct spot *spot,
		      uint32_t word)
{
	for (uint64_t b; (b = l->now[word] & l->tests[word]);) {
		uint32_t n = word * 64 + (uint32_t)__builtin_ctzll(b) - l->first_test;
		l->now[word] &= ~(b & -b);
		if (l->made[n])
			continue;
		l->made[n] = true;
		if (holds(l, &l->test[n], w, spot))
			linear_add(l, l->test[n].then);
	}
}

/* States before a test continue if it holds. Each test is evaluated once: a state that reaches it
 * later would go on to states that are already active. */
static void run_tests(struct linear *l, struct linear_walk *w, const struct linear_place *p,
		      uint32_t kind)
{
	if (!has_tests(l))
		return;
	const struct spot spot = spot_of(l, w, p, kind);
	memset(l->made, 0, l->testc * sizeof(*l->made));
	do {
		for (uint32_t i = l->first_test / 64; i < l->words; i++)
			test_word(l, w, &spot, i);
	} while (has_tests(l));
}

/* Removes states that may not take a character here. The lookahead concerns the text after the
 * place; when reading backwards, the character to take is before the place, and the lookahead is
 * asked there. */
static void guard(struct linear *l, struct linear_walk *w, const struct linear_place *p)
{
	size_t at = l->backwards ? p->next : p->at;

	for (uint32_t i = 0; i < l->guards; i++) {
		const struct linear_class *c = &l->class[l->guard[i]];
		const struct linear_bits *b = l->bits + c->states.first;
		uint64_t any = 0;

		for (uint32_t k = 0; k < c->states.count; k++)
			any |= l->now[b[k].word] & b[k].bits;
		if (!any || ask(l, c->look, w, at, l->backwards) != c->negative)
			continue;
		for (uint32_t k = 0; k < c->states.count; k++)
			l->now[b[k].word] &= ~b[k].bits;
	}
}

/* The states that were moved out of a part. Their targets do not leave a part in the same step. */
static void leave(struct linear *l)
{
	for (uint32_t w = linear_live(l, 0); w != LINEAR_NO_WORD; w = linear_live(l, w + 1)) {
		uint64_t out = l->now[w] & l->exits[w];
		for (uint32_t i = l->exit_at[w]; out && i < l->exit_at[w + 1]; i++)
			if (out & l->exit[i].mask)
				linear_add(l, l->exit[i].then);
	}
}

/* The states of SPAN in word W. */
static uint64_t mask_of(const struct linear_span *span, uint32_t w)
{
	uint64_t mask = ~(uint64_t)0;

	if (w == span->from / 64)
		mask &= ~(uint64_t)0 << span->from % 64;
	if (w == span->to / 64)
		mask &= ~(uint64_t)0 >> (63 - span->to % 64);
	return mask;
}

/* Keeps only the earliest state of a run; see linear_private.h. */
static void thin_run(struct linear *l, const struct linear_span *span)
{
	uint32_t w = linear_live(l, span->from / 64);

	for (uint64_t stay = ~(uint64_t)0; w <= span->to / 64; w = linear_live(l, w + 1)) {
		uint64_t here = l->now[w] & mask_of(span, w);
		l->now[w] &= ~here | (here & -here & stay);
		stay = here ? 0 : stay;
	}
}

/* The same for each state of a group. */
static void thin_group(struct linear *l, const struct linear_span *span)
{
	uint64_t seen[LINEAR_STRIDE_MAX / 64] = {0};
	uint32_t w = linear_live(l, span->from / 64);

	for (; w <= span->to / 64; w = linear_live(l, w + 1)) {
		for (uint64_t b = l->now[w] & mask_of(span, w); b; b &= b - 1) {
			uint32_t n = w * 64 + (uint32_t)__builtin_ctzll(b) - span->from;
			uint64_t *word = &seen[n % span->stride / 64];
			uint64_t bit = (uint64_t)1 << n % span->stride % 64;
			if (*word & bit)
				l->now[w] &= ~(b & -b);
			*word |= bit;
		}
	}
}

/* Swaps: the next states become NOW. */
static void swap(struct linear *l)
{
	uint64_t *now = l->next;

	l->next = l->now;
	l->now = now;
	for (uint32_t i = 0; i < LINEAR_LIVE; i++) {
		uint64_t live = l->next_live[i];
		l->next_live[i] = l->live[i];
		l->live[i] = live;
	}
}

/* Moves all active states; returns whether one of them leaves a part. */
static bool move(struct linear *l, uint32_t kind)
{
	const uint64_t *row = l->row + (size_t)kind * l->words, *old = l->now;
	uint64_t leaving = 0, any = 0;

	swap(l);
	linear_clear(l);
	for (uint32_t i = 0; i < LINEAR_LIVE; i++) {
		for (uint64_t live = l->next_live[i]; live; live &= live - 1) {
			uint32_t w = i * 64 + (uint32_t)__builtin_ctzll(live);
			uint64_t taken = old[w] & row[w];
			if (!taken)
				continue;
			uint64_t moved = taken << 1 | (taken & l->self[w]);
			linear_set(l, w, moved);
			leaving |= moved & l->exits[w];
			any = 1;
			if (taken >> 63) {
				linear_set(l, w + 1, 1);
				leaving |= l->exits[w + 1] & 1;
			}
		}
	}
	l->empty = !any;
	return leaving;
}

static void take(struct linear *l, uint32_t kind)
{
	if (!move(l, kind))
		return;
	for (uint32_t i = 0; i < l->runs; i++)
		thin_run(l, &l->span[i]);
	leave(l);
	for (uint32_t i = l->runs; i < l->spans; i++)
		thin_group(l, &l->span[i]);
}

/* Moves by bits: adds the states that begin here, evaluates the tests that active states stand
 * before, removes states that a lookaround excludes, and moves the others at once. Fills ASKED;
 * ASKEDC exceeds its maximum when there were too many. */
static bool step(struct linear *l, struct linear_walk *w, const struct linear_place *p,
		 uint32_t kind)
{
	bool found;

	l->askedc = 0;
	if (l->adding && l->opens[kind])
		linear_add(l, l->start);
	run_tests(l, w, p, kind);
	found = l->now[l->accept / 64] >> l->accept % 64 & 1;
	/* One match is enough, except when all are recorded. */
	if (p->c == LINEAR_NO_CHAR || (found && !l->behind && !l->backwards)) {
		l->empty = true;
		return found;
	}
	guard(l, w, p);
	take(l, kind);
	return found;
}

/* A move is found by the next character's kind and, when lookarounds were asked, by a small tree
 * of their answers. */
struct question {
	struct linear_asked asked;
	uint32_t move[2];
};

static uint32_t move_to(const struct linear_pool *pool, const void *to, unsigned flags)
{
	size_t at = to ? (size_t)((const uint8_t *)to - pool->memory) / LINEAR_UNIT : 0;

	return (uint32_t)(at << LINEAR_MOVE_SHIFT | flags | LINEAR_MOVE_KNOWN);
}

/* Follows the answers of lookarounds; 0: no move is remembered. */
static uint32_t follow(struct linear_walk *w, uint32_t move, const struct linear_place *p)
{
	while (move & LINEAR_MOVE_ASK) {
		const struct question *q = linear_moved_to(w->pool, move);
		size_t at = q->asked.next ? p->next : p->at;
		move = q->move[look(w->top->look[q->asked.look], w, at)];
	}
	return move;
}

/* Where to record the move, after the answers that L got; NULL: nowhere. */
static uint32_t *way_to(struct linear_pool *pool, const struct linear *l, uint32_t *move)
{
	for (uint32_t i = 0; i < l->askedc; i++) {
		struct question *q;
		if (!*move) {
			q = linear_pool_take(pool, sizeof(*q));
			if (!q)
				return NULL;
			q->asked = l->asked[i];
			*move = move_to(pool, q, LINEAR_MOVE_ASK);
		}
		q = linear_moved_to(pool, *move);
		move = &q->move[l->asked[i].answer];
	}
	return move;
}

/* Moves by bits and records the move. */
static bool step_and_note(struct linear *l, struct linear_walk *w, const struct linear_place *p,
			  uint32_t kind)
{
	struct linear_pool *pool = w->pool;
	struct linear_state *from = l->state, *to = NULL;
	bool found, whole;
	uint32_t *move;

	linear_pool_load(l);
	found = step(l, w, p, kind);
	if (!pool || w->spent)
		return found;
	whole = p->c != LINEAR_NO_CHAR && (!found || l->behind || l->backwards);
	if (whole)
		l->state = to = linear_pool_state(w, l, l->side[kind]);
	if (!from || (whole && !to) || kind >= l->kinds_room || l->askedc > LINEAR_ASKED_MAX)
		return found;
	move = way_to(pool, l, &from->move[kind]);
	if (move)
		*move = move_to(pool, to,
				(found ? LINEAR_MOVE_FOUND : 0) |
					(l->empty ? LINEAR_MOVE_EMPTY : 0));
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
	l->state = linear_moved_to(w->pool, move);
	l->empty = move & LINEAR_MOVE_EMPTY;
	return move & LINEAR_MOVE_FOUND;
}

/* Does a match begin at AT? */
static bool look_ahead(struct linear *l, struct linear_walk *w, size_t at)
{
	/* Most fail at the first character. */
	if (!l->opens[linear_kind(l, linear_char_behind(w, at))])
		return false;
	linear_begin(l, w, linear_side(l, linear_char_before(w, at)));
	for (;;) {
		struct linear_place p = linear_ahead_of(w, at);
		if (linear_move(l, w, &p))
			return true;
		if (l->empty || !linear_spend(w, linear_char_cost(l)))
			return false;
		at = p.next;
	}
}

/* After new answers a place that was asked is asked once more, and that must be cheap. At most one
 * lookahead is asked at two places before that. */
static bool look_ahead_once(struct linear *l, struct linear_walk *w, size_t at)
{
	if (l->at == at)
		return l->answer;
	if (l->last == at)
		return l->last_answer;
	bool answer = look_ahead(l, w, at);
	l->last = l->at;
	l->last_answer = l->answer;
	l->at = at;
	l->answer = answer;
	return answer;
}

/* Does a match end at AT? The form has read up to some place; only a place before that, or AT too
 * far behind it, makes it start again. */
static bool look_behind(struct linear *l, struct linear_walk *w, size_t at)
{
	size_t from = at > l->back ? linear_char_begin(w, at - l->back) : 0;

	if (l->last == at)
		return l->answer;
	if (l->at == LINEAR_NOWHERE || l->at > at || l->at < from) {
		linear_begin(l, w, linear_side(l, linear_char_before(w, from)));
		l->at = from;
	}
	while (l->at <= at && linear_spend(w, linear_char_cost(l))) {
		struct linear_place p = linear_ahead_of(w, l->at);
		l->answer = linear_move(l, w, &p);
		l->last = l->at;
		l->at = p.next;
	}
	return l->answer;
}

static bool make_map(struct linear *l, struct linear_walk *w)
{
	size_t room = w->end / 8 + 1;

	if (room > l->map_room) {
		uint8_t *grown = realloc(l->map, room);
		if (!grown) {
			w->spent = true;
			return false;
		}
		l->map = grown;
		l->map_room = room;
	}
	l->at = w->end;
	l->last = LINEAR_NOWHERE;
	linear_begin(l, w, linear_side(l, LINEAR_NO_CHAR));
	return true;
}

/* Does a match begin at AT? It reads backwards, so that every place is read once. */
static bool look_from_end(struct linear *l, struct linear_walk *w, size_t at)
{
	if (l->last == LINEAR_NOWHERE && !make_map(l, w))
		return false;
	while (l->last > at && linear_spend(w, linear_char_cost(l))) {
		struct linear_place p = linear_back_from(w, l->at);
		uint8_t bit = (uint8_t)(1 << l->at % 8);
		if (linear_move(l, w, &p))
			l->map[l->at / 8] |= bit;
		else
			l->map[l->at / 8] &= (uint8_t)~bit;
		l->last = l->at;
		l->at = p.next;
	}
	return !w->spent && l->map[at / 8] >> at % 8 & 1;
}

/* A lookahead is a run of its own from its place; if it may read to the end, one run from the end
 * that records all places. A lookbehind reads along and is asked whether one of its matches ends
 * here. */
static bool look(struct linear *l, struct linear_walk *w, size_t at)
{
	if (l->behind)
		return look_behind(l, w, at);
	return l->backwards ? look_from_end(l, w, at) : look_ahead_once(l, w, at);
}
