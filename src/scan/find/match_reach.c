/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of distances. When an exact result needs more room than a reach has, it becomes a run
 * of everything.
 */
#include "scan/find/match_reach.h"

#include <stdlib.h>
#include <string.h>

const struct reach_set reach_everything = {
	.bits = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
	.newline = 1,
};

void reach_sets_init(struct reach_sets *sets)
{
	memset(sets, 0, sizeof(*sets));
	reach_set_find(sets, &reach_everything);
}

void reach_sets_done(struct reach_sets *sets)
{
	free(sets->set);
	memset(sets, 0, sizeof(*sets));
}

uint16_t reach_set_find(struct reach_sets *sets, const struct reach_set *set)
{
	for (uint32_t i = 0; i < sets->count; i++)
		if (!memcmp(&sets->set[i], set, sizeof(*set)))
			return (uint16_t)i;
	if (sets->count == sets->room) {
		uint32_t room = sets->room ? sets->room * 2 : 64;
		struct reach_set *grown =
			room <= REACH_SETS_MAX ? realloc(sets->set, room * sizeof(*grown)) : NULL;
		if (!grown) {
			sets->failed |= room <= REACH_SETS_MAX;
			return 0;
		}
		sets->set = grown;
		sets->room = room;
	}
	sets->set[sets->count] = *set;
	return (uint16_t)sets->count++;
}

void reach_set_join(struct reach_set *set, const struct reach_set *more)
{
	for (int i = 0; i < 4; i++)
		set->bits[i] |= more->bits[i];
	set->newline |= more->newline;
}

struct reach reach_bytes(uint32_t min, uint64_t max)
{
	if (max > REACH_FAR)
		return reach_run(min, 0);
	return (struct reach){.min = min, .bound = {(uint32_t)max}};
}

struct reach reach_run(uint32_t min, uint16_t set)
{
	return (struct reach){.min = min, .run = {set}, .runs = 1};
}

/* A run of everything ends a reach. */
static void put_run(struct reach *r, uint16_t set)
{
	if (r->runs && r->run[r->runs - 1] == 0)
		return;
	if (r->runs == REACH_RUNS) {
		r->run[--r->runs] = 0;
		set = 0;
	}
	r->run[r->runs++] = set;
	r->bound[r->runs] = 0;
}

static void put_bound(struct reach *r, uint64_t bytes)
{
	if (r->runs && r->run[r->runs - 1] == 0)
		return;
	bytes += r->bound[r->runs];
	if (bytes > REACH_FAR)
		put_run(r, 0);
	else
		r->bound[r->runs] = (uint32_t)bytes;
}

struct reach reach_join(const struct reach *first, const struct reach *next)
{
	struct reach r = *next;

	r.min = next->min + first->min < REACH_FAR ? next->min + first->min : REACH_FAR;
	put_bound(&r, first->bound[0]);
	for (unsigned i = 0; i < first->runs; i++) {
		put_run(&r, first->run[i]);
		put_bound(&r, first->bound[i + 1]);
	}
	return r;
}

struct reach reach_either(struct reach_sets *sets, const struct reach *a, const struct reach *b)
{
	unsigned runs = a->runs > b->runs ? a->runs : b->runs;
	struct reach r = {.min = a->min < b->min ? a->min : b->min};

	for (unsigned i = 0; i <= runs; i++) {
		uint32_t x = i <= a->runs ? a->bound[i] : 0, y = i <= b->runs ? b->bound[i] : 0;
		put_bound(&r, x > y ? x : y);
		if (i == runs)
			break;
		struct reach_set set = {.bits = {0}};
		if (i < a->runs)
			reach_set_join(&set, &sets->set[a->run[i]]);
		if (i < b->runs)
			reach_set_join(&set, &sets->set[b->run[i]]);
		put_run(&r, reach_set_find(sets, &set));
	}
	return r;
}

uint64_t reach_max(const struct reach *r)
{
	return r->runs ? UINT64_MAX : r->bound[0];
}

bool reach_is_same(const struct reach *a, const struct reach *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* The first known run that a walk back from F meets: the one with the last end up to F. Otherwise
 * REACH_MEMO. */
static unsigned recall_back(struct reach_memo *memo, uint32_t pass, size_t f)
{
	unsigned best = REACH_MEMO;

	if (memo->pass != pass)
		*memo = (struct reach_memo){.pass = pass};
	for (unsigned i = 0; i < REACH_MEMO; i++) {
		if (f > memo->run[i].lo && f <= memo->run[i].hi)
			return i;
		if (memo->run[i].hi && memo->run[i].hi < f &&
		    (best == REACH_MEMO || memo->run[i].hi > memo->run[best].hi))
			best = i;
	}
	return best;
}

/* The same for a walk forwards: the run with the first beginning from F on. */
static unsigned recall_ahead(struct reach_memo *memo, uint32_t pass, size_t f)
{
	unsigned best = REACH_MEMO;

	if (memo->pass != pass)
		*memo = (struct reach_memo){.pass = pass};
	for (unsigned i = 0; i < REACH_MEMO; i++) {
		if (f >= memo->run[i].lo && f < memo->run[i].hi)
			return i;
		if (memo->run[i].lo > f &&
		    (best == REACH_MEMO || memo->run[i].lo < memo->run[best].lo))
			best = i;
	}
	return best;
}

/* A walk that ended in a known run extends that run; any other replaces the oldest. */
static void keep(struct reach_memo *memo, unsigned known, size_t lo, size_t hi)
{
	if (known == REACH_MEMO)
		known = memo->next++ % REACH_MEMO;
	memo->run[known].lo = (uint32_t)lo;
	memo->run[known].hi = (uint32_t)hi;
}

/* Does the set contain all bytes except a line's end? */
static bool is_line(const struct reach_set *set)
{
	return (set->bits[0] & set->bits[1] & set->bits[2] & set->bits[3]) == UINT64_MAX &&
	       !set->newline;
}

/* Does a line end in these STEP places? */
enum { STEP = 8 };

static inline bool has_newline(const uint32_t *map)
{
	uint32_t all = 0;

	for (int i = 0; i < STEP; i++)
		all |= map[i];
	return all & FOLD_NEWLINE;
}

/* Walks back over a run of a set. A space stands for a run of spaces, of which only a part may
 * belong to the set: the walk then stops at that space. */
static size_t run_back(const struct reach_walker *w, uint16_t number, unsigned nth, size_t f)
{
	const struct reach_set *set = &w->set[number];
	struct reach_memo *memo = &w->memo[number * REACH_RUNS + nth];
	unsigned known = recall_back(memo, w->pass, f), met = REACH_MEMO;
	size_t hi = f, stop = known < REACH_MEMO ? memo->run[known].hi : 0;

	if (is_line(set))
		while (f >= stop + STEP && !has_newline(w->text->map + f - STEP))
			f -= STEP;
	while (f && reach_has(set, w->text->byte[f - 1])) {
		if (f <= stop) {
			met = known;
			f = memo->run[known].lo;
			hi = hi > stop ? hi : stop;
			break;
		}
		f--;
		if (!set->newline && w->text->map[f] & FOLD_NEWLINE)
			break;
	}
	if (hi - f > REACH_SHORT)
		keep(memo, met, f, hi);
	return f;
}

size_t reach_walk(const struct reach_walker *w, const struct reach *r, size_t f)
{
	for (unsigned i = 0;; i++) {
		f = f > r->bound[i] ? f - r->bound[i] : 0;
		if (i == r->runs)
			return f;
		if (r->run[i] == 0)
			return 0;
		f = run_back(w, r->run[i], i, f);
	}
}

static size_t run_ahead(const struct reach_walker *w, uint16_t number, unsigned nth, size_t f)
{
	const struct reach_set *set = &w->set[number];
	struct reach_memo *memo = &w->ahead[number * REACH_RUNS + nth];
	unsigned known = recall_ahead(memo, w->pass, f), met = REACH_MEMO;
	size_t lo = f, len = w->text->len, stop = known < REACH_MEMO ? memo->run[known].lo : len;

	if (is_line(set))
		while (f + STEP <= stop && !has_newline(w->text->map + f))
			f += STEP;
	while (f < len && reach_has(set, w->text->byte[f])) {
		if (f >= stop) {
			met = known;
			f = memo->run[known].hi;
			lo = lo < stop ? lo : stop;
			break;
		}
		f++;
		if (!set->newline && w->text->map[f - 1] & FOLD_NEWLINE)
			break;
	}
	if (f - lo > REACH_SHORT)
		keep(memo, met, lo, f);
	return f;
}

size_t reach_walk_ahead(const struct reach_walker *w, const struct reach *r, size_t f)
{
	size_t len = w->text->len;

	for (unsigned i = r->runs;; i--) {
		f = len - f > r->bound[i] ? f + r->bound[i] : len;
		if (i == 0)
			return f;
		if (r->run[i - 1] == 0)
			return len;
		f = run_ahead(w, r->run[i - 1], i - 1, f);
	}
}
