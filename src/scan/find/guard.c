/* SPDX-License-Identifier: MIT
 *
 * Walks over the pieces beside a literal with the set of distances at which each may begin, and
 * adds its bytes there. After the expression's end anything may follow. Adjacent spaces are one
 * space in folded text, so a part that follows a space may begin on that space: distances are
 * counted from one before the first.
 */
#include "scan/find/guard.h"

#include <string.h>

#include "scan/find/clause.h"
#include "scan/find/rate.h"

enum { NOWHERE = GUARD_FAR + 1 }; /* places: the literal's last byte, then GUARD_FAR others */

static const double useless = 0.5;

/* A bit for each place where the next piece may begin; and for each where it may begin only with a
 * space, because the place has one. */
struct begins {
	uint32_t any, space;
};

struct walk {
	struct guard_side *side;
	struct begins begins;
	bool back;
};

static uint32_t bit(size_t place)
{
	return place < NOWHERE ? 1u << place : 0;
}

static bool has(uint32_t bits, size_t place)
{
	return bits >> place & 1;
}

static char byte_at(const struct walk *w, const struct str *str, size_t i)
{
	return str->byte[w->back ? str->len - 1 - i : i];
}

/* Adds STR from its byte SKIP on, beginning at PLACE. */
static void add_str(struct walk *w, const struct str *str, size_t skip, size_t place,
		    struct begins *next)
{
	size_t len = str->len - skip;

	for (size_t i = 0; i < len && place + i < NOWHERE; i++)
		reach_set_add(&w->side->set[place + i], (uint8_t)byte_at(w, str, skip + i));
	next->any |= bit(place + len);
	if (len && byte_at(w, str, str->len - 1U) == ' ')
		next->space |= bit(place + len - 1);
}

static void add_strs(struct walk *w, const struct strs *all, size_t place, struct begins *next)
{
	for (uint32_t i = 0; i < all->count; i++) {
		const struct str *str = &all->str[i];
		if (has(w->begins.any, place) || (str->len && byte_at(w, str, 0) == ' '))
			add_str(w, str, 0, place, next);
		if (has(w->begins.space, place) && !str->len)
			next->space |= bit(place);
	}
}

/* Adds LEAST to MOST bytes of SET. These may be several spaces: at the end of the run, and
 * within. */
static void add_run(struct walk *w, const struct reach_set *set, size_t least, size_t most,
		    size_t place, struct begins *next)
{
	bool space = reach_has(set, ' ');

	if (has(w->begins.space, place) && !least)
		next->space |= bit(place);
	if (!has(w->begins.any, place) && !space)
		return;
	for (size_t i = place; i < NOWHERE && i - place < most; i++)
		reach_set_join(&w->side->set[i], set);
	for (size_t len = least; len <= most && place + len < NOWHERE; len++) {
		next->any |= bit(place + len);
		if (space && place + len)
			next->space |= bit(place + len - 1);
	}
}

static void add_piece(struct walk *w, const struct piece *p)
{
	uint64_t most = reach_max(&p->reach);
	struct begins next = {0};

	for (size_t place = 0; place < NOWHERE; place++) {
		if (!has(w->begins.any | w->begins.space, place))
			continue;
		if (p->all)
			add_strs(w, p->all, place, &next);
		else
			add_run(w, &p->bytes, p->reach.min, most < NOWHERE ? most : NOWHERE, place,
				&next);
	}
	w->begins = next;
}

static void add_anything(struct walk *w)
{
	uint32_t begins = w->begins.any | w->begins.space;
	size_t first = begins ? (size_t)__builtin_ctz(begins) : NOWHERE;

	for (; first < NOWHERE; first++)
		w->side->set[first] = reach_everything;
}

/* The share of all bytes in SET. A set of half of all bytes does not help. */
static double share_of(const struct reach_set *set, const double *rate)
{
	double sum = 0;

	/* Letters first: they decide most often. */
	for (unsigned i = 0; i < 4 && sum < useless; i++) {
		unsigned word = (i + 1) % 4;
		for (uint64_t left = set->bits[word]; left; left &= left - 1)
			sum += rate[word * 64 + (unsigned)__builtin_ctzll(left)];
	}
	return sum;
}

static void weigh(const struct guarded *g, struct guard_side *side)
{
	for (size_t i = 1; i < NOWHERE; i++)
		side->share[i] = share_of(&side->set[i], g->rate);
	side->known = true;
}

static void walk_back(const struct guarded *g, const struct str *str, struct guard_side *side)
{
	struct walk w = {.side = side, .back = true, .begins.any = bit(1)};
	uint32_t at = g->from;

	w.begins.space = str->byte[0] == ' ' ? bit(0) : 0;
	while (at && (w.begins.any || w.begins.space))
		add_piece(&w, &g->q->piece[--at]);
	if (!at)
		add_anything(&w);
	weigh(g, side);
}

static bool begins_with(const struct str *str, const struct str *with)
{
	return str->len >= with->len && !memcmp(str->byte, with->byte, with->len);
}

static void walk_ahead(const struct guarded *g, const struct str *str, struct guard_side *side)
{
	struct walk w = {.side = side};
	uint32_t at = g->to;

	w.begins.space = str->byte[str->len - 1] == ' ' ? bit(0) : 0;
	for (uint32_t i = 0; i < g->all->count; i++)
		if (begins_with(&g->all->str[i], str))
			add_str(&w, &g->all->str[i], str->len, 1, &w.begins);
	if (g->more) {
		struct piece rest = {.bytes = *g->more, .reach = reach_run(0, 0)};
		add_piece(&w, &rest);
	}
	while (at < g->q->count && (w.begins.any || w.begins.space))
		add_piece(&w, &g->q->piece[at++]);
	if (at == g->q->count)
		add_anything(&w);
	weigh(g, side);
}

/* Does the literal stand for longer strings? */
static bool is_short(const struct guarded *g, const struct str *str)
{
	for (uint32_t i = 0; i < g->all->count; i++)
		if (g->all->str[i].len > str->len && begins_with(&g->all->str[i], str))
			return true;
	return false;
}

/* The place whose set is rarest; 0: none helps. */
static size_t best_place(const struct guard_side *side, uint32_t taken)
{
	size_t best = 0;

	for (size_t i = 1; i < NOWHERE; i++)
		if (!has(taken, i) && side->share[i] < useless &&
		    (!best || side->share[i] < side->share[best]))
			best = i;
	return best;
}

static void take_place(struct guard *ret, const struct guard_side *side, size_t place, int at,
		       uint32_t *taken)
{
	*taken |= bit(place);
	ret->at[ret->count] = (int8_t)at;
	ret->set[ret->count++] = side->set[place];
	ret->share *= side->share[place];
}

/* Chooses places from both sides, the rarest first. */
static struct guard pick(const struct guard_side *before, const struct guard_side *behind)
{
	struct guard g = {.share = 1};
	uint32_t took_before = 0, took_behind = 0;

	while (g.count < GUARD_MAX) {
		size_t b = best_place(before, took_before), a = best_place(behind, took_behind);
		if (!a && !b)
			break;
		if (b && (!a || before->share[b] < behind->share[a]))
			take_place(&g, before, b, -(int)b, &took_before);
		else
			take_place(&g, behind, a, (int)a - 1, &took_behind);
	}
	return g;
}

struct guard guard_of(struct guarded *g, const struct str *str)
{
	struct guard_side *before = &g->before[str->byte[0] == ' '], own = {0},
			  *behind = is_short(g, str) ? &own
						     : &g->behind[str->byte[str->len - 1] == ' '];

	if (!before->known)
		walk_back(g, str, before);
	if (!behind->known)
		walk_ahead(g, str, behind);
	return pick(before, behind);
}
