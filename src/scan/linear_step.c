/* SPDX-License-Identifier: MIT
 *
 * Moves a linear form over one character, by its bits: whoever begins here is added, the tests that
 * somebody stands before are made, each once at a place, those whom a lookaround holds back leave,
 * and the others move all at once. What comes out depends on the bits, on whether a match may begin
 * here, on the kinds of the two characters beside the place, and on what lookarounds say; these are
 * noted, because linear_move.c remembers it all by them. It must never depend on anything else.
 */
#include <string.h>

#include "scan/linear_private.h"

static bool ask(struct linear *l, struct linear *look, struct linear_walk *w, size_t at, bool next)
{
	bool answer = linear_look(look, w, at);

	if (l->askedc < LINEAR_ASKED_MAX)
		l->asked[l->askedc] = (struct linear_asked){look->index, next, answer};
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

/* Makes the tests of one word of states that somebody stands before. */
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

/* Those who stand before a test go on if it holds. A test that has been made is not made again
 * here: whoever comes to it later comes from one that it led to. */
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

/* Those who may take no character here leave. A lookahead is about what comes behind the place; who
 * reads backwards has the character before it to take, and is asked there. */
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

/* Those who were moved out of a part. Where they go nobody leaves at once. */
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

/* Only the earliest of a run stays; see linear_private.h. */
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

/* What is in NOW next is what was before it. */
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

/* Moves everybody; returns whether one of them leaves a part. */
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

bool linear_step(struct linear *l, struct linear_walk *w, const struct linear_place *p,
		 uint32_t kind)
{
	bool found;

	l->askedc = 0;
	if (l->adding && l->opens[kind])
		linear_add(l, l->start);
	run_tests(l, w, p, kind);
	found = l->now[l->accept / 64] >> l->accept % 64 & 1;
	/* A match is enough, but for who notes all of them. */
	if (p->c == LINEAR_NO_CHAR || (found && !l->behind && !l->backwards)) {
		l->empty = true;
		return found;
	}
	guard(l, w, p);
	take(l, kind);
	return found;
}
