/* SPDX-License-Identifier: MIT
 *
 * Runs a linear form. All states that the text so far can be in are kept as bits; a character moves
 * them all at once. Tests are made where somebody stands before them, each once at a place. A
 * lookahead is a run of its own from there, or, if it may read to the end, one from the end that
 * notes all places; a lookbehind reads along and is asked whether one of its matches ends here.
 * Nothing here depends on anything but the text, the expression and STEPS.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/linear_private.h"

enum {
	CHAR_STEPS = 8, /* of a character, beside the words */
	SKIP_BYTES = 8, /* that nothing can begin with, for one step */
};

#define NOWHERE SIZE_MAX

/* A text while it is read. */
struct linear_walk {
	const uint8_t *data;
	size_t end;
	uint64_t left; /* steps */
	bool spent;
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

static size_t begin_of(const struct linear_walk *w, size_t at)
{
	while (at && (w->data[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* The character before AT, or behind it; LINEAR_NO_CHAR at the text's ends. */
enum { LINEAR_NO_CHAR = JS_POINT_MAX + 1 };

static uint32_t char_before(const struct linear_walk *w, size_t at)
{
	size_t len;

	return at ? char_at(w, begin_of(w, at - 1), &len) : LINEAR_NO_CHAR;
}

static uint32_t char_behind(const struct linear_walk *w, size_t at)
{
	size_t len;

	return at < w->end ? char_at(w, at, &len) : LINEAR_NO_CHAR;
}

static bool is_word(const struct linear *l, uint32_t c)
{
	return (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_' ||
	       (l->wide_words && (c == 0x17f || c == 0x212a));
}

/* Is it a line's end here, C being the character on that side? */
static bool is_edge(const struct linear *l, uint32_t c)
{
	return c == LINEAR_NO_CHAR ||
	       (l->multiline && (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029));
}

static void add_list(struct linear *l, struct linear_list list)
{
	const struct linear_bits *b = l->bits + list.first;

	for (uint32_t i = 0; i < list.count; i++)
		l->now[b[i].word] |= b[i].bits;
}

/* The row of a character beyond ASCII. */
static const uint64_t *cached_row(struct linear *l, uint32_t c)
{
	uint32_t slot = c % LINEAR_CACHED;
	uint64_t *row = l->cached_row + (size_t)slot * l->words;

	if (l->cached[slot] != c) {
		linear_fill_row(l, c, row);
		l->cached[slot] = c;
	}
	return row;
}

static bool look(struct linear *l, struct linear_walk *w, size_t at);

/* Those who may take no character here leave. */
static void guard(struct linear *l, struct linear_walk *w, size_t at)
{
	for (uint32_t i = 0; i < l->guards; i++) {
		const struct linear_class *c = &l->class[l->guard[i]];
		const struct linear_bits *b = l->bits + c->states.first;
		uint64_t any = 0;

		for (uint32_t k = 0; k < c->states.count; k++)
			any |= l->now[b[k].word] & b[k].bits;
		if (!any || look(c->look, w, at) != c->negative)
			continue;
		for (uint32_t k = 0; k < c->states.count; k++)
			l->now[b[k].word] &= ~b[k].bits;
	}
}

/* Takes character C. False: nobody is left. */
static bool step(struct linear *l, uint32_t c)
{
	const uint64_t *row =
		c < LINEAR_ASCII ? l->row + (size_t)l->row_of[c] * l->words : cached_row(l, c);
	const uint64_t *self = l->self, *exits = l->exits;
	uint64_t *old = l->now, *now = l->next, before = 0, any = 0;
	const uint32_t words = l->words;

	uint64_t leaving = 0;

	for (uint32_t w = 0; w < words; w++) {
		uint64_t taken = old[w] & row[w], moved = taken << 1 | before | (taken & self[w]);
		now[w] = moved;
		before = taken >> 63;
		any |= moved;
		leaving |= moved & exits[w];
	}
	l->next = old;
	l->now = now;
	for (uint32_t w = 0; leaving && w < words; w++) {
		uint64_t out = now[w] & exits[w];
		for (uint32_t i = l->exit_at[w]; out && i < l->exit_at[w + 1]; i++)
			if (out & l->exit[i].mask)
				add_list(l, l->exit[i].then);
	}
	return any;
}

static bool spend(struct linear_walk *w, const struct linear *l)
{
	uint64_t cost = l->words + CHAR_STEPS;

	w->spent |= w->left < cost;
	w->left -= w->spent ? w->left : cost;
	return !w->spent;
}

static bool accepts(const struct linear *l)
{
	return l->now[l->accept / 64] >> l->accept % 64 & 1;
}

static void run_tests(struct linear *l, struct linear_walk *w, size_t at);

/* Does a match begin at AT? */
static bool look_ahead(struct linear *l, struct linear_walk *w, size_t at)
{
	size_t len;
	bool any = true;

	memset(l->now, 0, l->words * sizeof(*l->now));
	add_list(l, l->start);
	for (;;) {
		run_tests(l, w, at);
		if (accepts(l))
			return true;
		if (!any || at >= w->end || !spend(w, l))
			return false;
		uint32_t c = char_at(w, at, &len);
		guard(l, w, at);
		any = step(l, c);
		at += len;
	}
}

/* Does a match end at AT? It has read up to some place; only what is too far back, or behind AT,
 * makes it begin again. */
static bool look_behind(struct linear *l, struct linear_walk *w, size_t at)
{
	size_t len, from = at > l->back ? begin_of(w, at - l->back) : 0;

	if (l->at == NOWHERE || l->at > at || l->at < from) {
		memset(l->now, 0, l->words * sizeof(*l->now));
		l->at = from;
		add_list(l, l->start);
		run_tests(l, w, from);
	}
	while (l->at < at && spend(w, l)) {
		uint32_t c = char_at(w, l->at, &len);
		guard(l, w, l->at);
		step(l, c);
		l->at += len;
		add_list(l, l->start);
		run_tests(l, w, l->at);
	}
	return accepts(l);
}

/* At the place it has read back to: whoever stands there, and whether that is a match. */
static void note(struct linear *l, struct linear_walk *w)
{
	add_list(l, l->start);
	run_tests(l, w, l->at);
	if (accepts(l))
		l->map[l->at / 8] |= (uint8_t)(1 << l->at % 8);
	else
		l->map[l->at / 8] &= (uint8_t) ~(1 << l->at % 8);
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
	memset(l->now, 0, l->words * sizeof(*l->now));
	l->at = w->end;
	note(l, w);
	return true;
}

/* Does a match begin at AT? It reads backwards, so that every place is read once. */
static bool look_from_end(struct linear *l, struct linear_walk *w, size_t at)
{
	size_t len;

	if (l->at == NOWHERE && !make_map(l, w))
		return false;
	while (l->at > at && spend(w, l)) {
		size_t begin = begin_of(w, l->at - 1);
		uint32_t c = char_at(w, begin, &len);
		guard(l, w, begin);
		step(l, c);
		l->at = begin;
		note(l, w);
	}
	return !w->spent && l->map[at / 8] >> at % 8 & 1;
}

static bool look(struct linear *l, struct linear_walk *w, size_t at)
{
	if (l->behind)
		return look_behind(l, w, at);
	if (l->backwards)
		return look_from_end(l, w, at);
	if (l->at != at) {
		l->answer = look_ahead(l, w, at);
		l->at = at;
	}
	return l->answer;
}

static bool holds(const struct linear *l, const struct linear_test *test, struct linear_walk *w,
		  size_t at)
{
	bool yes;

	if (test->kind == JS_START)
		yes = is_edge(l, char_before(w, at));
	else if (test->kind == JS_END)
		yes = is_edge(l, char_behind(w, at));
	else if (test->kind == JS_WORD)
		yes = is_word(l, char_before(w, at)) != is_word(l, char_behind(w, at));
	else
		yes = look(test->look, w, at);
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
static void test_word(struct linear *l, struct linear_walk *w, size_t at, uint32_t word)
{
	for (uint64_t b; (b = l->now[word] & l->tests[word]);) {
		uint32_t n = word * 64 + (uint32_t)__builtin_ctzll(b) - l->first_test;
		l->now[word] &= ~(b & -b);
		if (l->made[n])
			continue;
		l->made[n] = true;
		if (holds(l, &l->test[n], w, at))
			add_list(l, l->test[n].then);
	}
}

/* Those who stand before a test go on if it holds. A test that has been made is not made again
 * here: whoever comes to it later comes from one that it led to. */
static void run_tests(struct linear *l, struct linear_walk *w, size_t at)
{
	if (!has_tests(l))
		return;
	memset(l->made, 0, l->testc * sizeof(*l->made));
	do {
		for (uint32_t i = l->first_test / 64; i < l->words; i++)
			test_word(l, w, at, i);
	} while (has_tests(l));
}

/* What earlier runs left in the lookarounds is about other texts. */
static void forget(struct linear *l)
{
	memset(l->now, 0, l->words * sizeof(*l->now));
	for (uint32_t i = 0; i < l->looks; i++)
		l->look[i]->at = NOWHERE;
}

/* The next place up to TO with which a match can begin. */
static size_t skip(const struct linear *l, struct linear_walk *w, size_t at, size_t to)
{
	size_t from = at;

	while (at <= to && at < w->end && !l->can_begin[w->data[at]])
		at++;
	uint64_t cost = (at - from) / SKIP_BYTES;
	w->spent |= w->left < cost;
	w->left -= w->spent ? w->left : cost;
	return at;
}

enum match_answer linear_run(struct linear *l, const char *data, const struct match_window *window,
			     uint64_t *steps)
{
	struct linear_walk w = {(const uint8_t *)data, window->end, *steps, false};
	bool any = false, found = false;
	size_t at = window->from, len;

	forget(l);
	for (;;) {
		if (!any && !l->can_be_empty)
			at = skip(l, &w, at, window->to);
		if (at <= window->to &&
		    (l->can_be_empty || at >= w.end || l->can_begin[w.data[at]]))
			add_list(l, l->start);
		else if (!any)
			break;
		run_tests(l, &w, at);
		found = accepts(l);
		if (found || at >= w.end || !spend(&w, l))
			break;
		uint32_t c = char_at(&w, at, &len);
		guard(l, &w, at);
		any = step(l, c);
		at += len;
	}
	*steps = w.left;
	/* A lookaround without an answer may have said anything. */
	return w.spent ? MATCH_UNDECIDED : found ? MATCH_YES : MATCH_NO;
}

uint64_t linear_cost(const struct linear *l, size_t len)
{
	return (uint64_t)len * (l->words + CHAR_STEPS);
}
