/* SPDX-License-Identifier: MIT
 *
 * Asks a linear form. All states that the text so far can be in are kept; a character moves them
 * all at once (linear_step.c), or by memory (linear_move.c). A lookahead is a run of its own from
 * its place, or, if it may read to the end, one from the end that notes all places; a lookbehind
 * reads along and is asked whether one of its matches ends here. Nothing here depends on anything
 * but the text, the expression and STEPS.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/linear_private.h"

enum {
	CHAR_STEPS = 8, /* of a character, beside the words */
};

/* A character and how many bytes it is. The text is UTF-8 but for halves of surrogate pairs. */
static uint32_t char_at(const struct linear_walk *w, size_t at, size_t *ret_len)
{
	const uint8_t *p = w->data + at;
	size_t left = w->end - at;

	*ret_len = 1;
	if (p[0] < 0xc0 || left < 2)
		return p[0];
	*ret_len = 2;
	if (p[0] < 0xe0 || left < 3)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3f);
	*ret_len = 3;
	if (p[0] < 0xf0 || left < 4)
		return (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3f);
	*ret_len = 4;
	return (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3f);
}

/* The end is nobody's inside, and nothing may be read there. */
static size_t begin_of(const struct linear_walk *w, size_t at)
{
	while (at && at < w->end && (w->data[at] & 0xc0) == 0x80)
		at--;
	return at;
}

uint32_t linear_char_before(const struct linear_walk *w, size_t at)
{
	size_t len;

	return at ? char_at(w, begin_of(w, at - 1), &len) : LINEAR_NO_CHAR;
}

uint32_t linear_char_behind(const struct linear_walk *w, size_t at)
{
	size_t len;

	return at < w->end ? char_at(w, at, &len) : LINEAR_NO_CHAR;
}

/* At the end of what is read the next place is where nobody goes. */
static struct linear_place ahead_of(const struct linear_walk *w, size_t at)
{
	size_t len;

	if (at >= w->end)
		return (struct linear_place){at, LINEAR_NOWHERE, LINEAR_NO_CHAR};
	uint32_t c = char_at(w, at, &len);
	return (struct linear_place){at, at + len, c};
}

static struct linear_place back_from(const struct linear_walk *w, size_t at)
{
	size_t len;

	if (!at)
		return (struct linear_place){at, LINEAR_NOWHERE, LINEAR_NO_CHAR};
	size_t next = begin_of(w, at - 1);
	return (struct linear_place){at, next, char_at(w, next, &len)};
}

static uint64_t cost_of(const struct linear *l)
{
	return l->words + CHAR_STEPS;
}

static bool spend(struct linear_walk *w, uint64_t cost)
{
	w->spent |= w->left < cost;
	w->left -= w->spent ? w->left : cost;
	return !w->spent;
}

/* Does a match begin at AT? */
static bool look_ahead(struct linear *l, struct linear_walk *w, size_t at)
{
	/* Most say no to the first character. */
	if (!l->opens[linear_kind(l, linear_char_behind(w, at))])
		return false;
	linear_begin(l, w, linear_side(l, linear_char_before(w, at)));
	for (;;) {
		struct linear_place p = ahead_of(w, at);
		if (linear_move(l, w, &p))
			return true;
		if (l->empty || !spend(w, cost_of(l)))
			return false;
		at = p.next;
	}
}

/* A place that was asked about is asked about once more when there are new answers to remember;
 * that must cost nothing. One lookahead is asked at two places at most before that. */
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

/* Does a match end at AT? It has read up to some place; only what is too far back, or behind AT,
 * makes it begin again. */
static bool look_behind(struct linear *l, struct linear_walk *w, size_t at)
{
	size_t from = at > l->back ? begin_of(w, at - l->back) : 0;

	if (l->last == at)
		return l->answer;
	if (l->at == LINEAR_NOWHERE || l->at > at || l->at < from) {
		linear_begin(l, w, linear_side(l, linear_char_before(w, from)));
		l->at = from;
	}
	while (l->at <= at && spend(w, cost_of(l))) {
		struct linear_place p = ahead_of(w, l->at);
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
	while (l->last > at && spend(w, cost_of(l))) {
		struct linear_place p = back_from(w, l->at);
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

bool linear_look(struct linear *l, struct linear_walk *w, size_t at)
{
	if (l->behind)
		return look_behind(l, w, at);
	return l->backwards ? look_from_end(l, w, at) : look_ahead_once(l, w, at);
}

/* What earlier runs left is about other texts. */
static void forget(struct linear *l)
{
	l->state = NULL;
	for (uint32_t i = 0; i < l->looks; i++) {
		l->look[i]->state = NULL;
		l->look[i]->at = l->look[i]->last = LINEAR_NOWHERE;
	}
}

/* The next place up to TO with which a match can begin. */
static size_t skip(const struct linear *l, struct linear_walk *w, size_t at, size_t to)
{
	size_t from = at;

	while (at <= to && at < w->end && !l->can_begin[w->data[at]])
		at++;
	spend(w, (at - from) / LINEAR_SKIP_BYTES);
	return at;
}

/* Nobody stands anywhere: goes to where a match can begin. False: nowhere up to TO. */
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

/* From place AT to the end. */
static bool run(struct linear *l, struct linear_walk *w, size_t at, size_t to)
{
	const uint64_t cost = cost_of(l);

	linear_begin(l, w, linear_side(l, linear_char_before(w, at)));
	for (;;) {
		if (l->adding && at > to)
			linear_stop_adding(l, w);
		if (l->empty && !(l->adding && restart(l, w, &at, to)))
			return false;
		if (l->state) {
			size_t stop = l->adding && to < w->end ? to + 1 : w->end;
			at = linear_hurry(l, w, at, stop, cost);
			if (l->adding && at > to)
				continue;
		}
		struct linear_place p = ahead_of(w, at);
		if (linear_move(l, w, &p))
			return true;
		if (at >= w->end || !spend(w, cost))
			return false;
		at = p.next;
		if (w->pool)
			linear_pool_look(w->pool, w);
	}
}

/* The next place, backwards, with which a match can end. */
static size_t restart_back(struct linear *l, struct linear_walk *w, size_t from)
{
	size_t at = from;

	while (!l->can_be_empty && at && !l->can_begin[w->data[at - 1]])
		at--;
	spend(w, (from - at) / LINEAR_SKIP_BYTES);
	if (at != from)
		linear_begin(l, w, linear_side(l, linear_char_behind(w, at)));
	return at;
}

/* From the end to the beginning. */
static bool run_back(struct linear *l, struct linear_walk *w)
{
	const uint64_t cost = cost_of(l);
	size_t at = w->end;

	linear_begin(l, w, linear_side(l, LINEAR_NO_CHAR));
	for (;;) {
		if (l->empty)
			at = restart_back(l, w, at);
		if (l->state)
			at = linear_hurry_back(l, w, at, cost);
		struct linear_place p = back_from(w, at);
		if (linear_move(l, w, &p))
			return true;
		if (!at || !spend(w, cost))
			return false;
		at = p.next;
		if (w->pool)
			linear_pool_look(w->pool, w);
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
	/* A lookaround without an answer may have said anything. */
	return w.spent ? MATCH_UNDECIDED : found ? MATCH_YES : MATCH_NO;
}

uint64_t linear_cost(const struct linear *l, size_t len)
{
	return (uint64_t)len * cost_of(l);
}
