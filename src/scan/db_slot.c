/* SPDX-License-Identifier: MIT
 *
 * Where a literal is, the pattern it belongs to is asked about the places from which that literal is
 * in reach. Each place is asked about once for each slot: within one slot later literals never reach
 * back farther than earlier ones (all their distances are the same), which is why a slot has one pair
 * of distances and no more. It must never leave out a place at which a match may begin.
 */
#include "scan/db_pass.h"

enum {
	NEAR_END = 256, /* folded bytes of which it is not worth to leave some out */
	AHEAD = 6,
	FETCHED = 4, /* hits, and entries of one, that are fetched early */
	SLACK = 8,   /* folded bytes behind the farthest one a match can reach */
};

/* MATCH_NO when nothing is known yet. */
static enum match_answer answer_of(const struct pass *p, uint32_t pattern)
{
	return p->s->epoch_of[pattern] == p->s->epoch ? p->s->answer[pattern] : MATCH_NO;
}

/* Yes stays yes, undecided stays unless yes comes. */
static void put_answer(struct pass *p, uint32_t pattern, enum match_answer answer)
{
	struct db_scratch *s = p->s;

	if (answer == MATCH_NO || answer_of(p, pattern) == MATCH_YES)
		return;
	if (s->epoch_of[pattern] != s->epoch)
		s->answered[s->answeredc++] = pattern;
	s->epoch_of[pattern] = s->epoch;
	s->answer[pattern] = answer;
}

/* The beginning of the character at AT, or of the next one. */
static size_t begin_of_char(const struct pass *p, size_t at, bool next)
{
	while (at && at < p->len && ((unsigned char)p->data[at] & 0xc0) == 0x80)
		at += next ? 1 : (size_t)-1;
	return at;
}

static void ask(struct pass *p, uint32_t pattern, struct match_window w)
{
	put_answer(p, pattern, confirm_window(p->s->confirm, pattern, w));
}

/* Has the window been asked about, in another text? Nothing beyond its end counts, and before it a
 * character. */
static bool is_settled(const struct pass *p, uint32_t pattern, const struct table_pattern *about,
		       const struct match_window *w)
{
	return p->before && (p->before->no[pattern / 64] >> (pattern % 64) & 1) && !about->behind &&
	       same_has(p->s->same, w->from, w->end);
}

/* Places from LO to HI of the folded text. */
static void ask_folded(struct pass *p, struct slot_state *state, size_t lo, size_t hi)
{
	const struct table_pattern *about = &p->about[state->slot.pattern];
	const struct folded *f = &p->s->folded;
	struct match_window w = {.from = fold_place(f, lo), .end = p->len};

	if (hi >= f->len)
		hi = f->len - 1;
	w.to = fold_place(f, hi + 1) - 1;
	if (w.from < state->asked)
		w.from = state->asked;
	if (about->anchored && w.from)
		return;
	if (about->anchored)
		w.to = 0;
	if (w.from > w.to)
		return;
	state->asked = (uint32_t)w.to + 1;
	/* A match cannot go farther; PCRE2 would look for what it must have up to the end. */
	if (f->len - hi > NEAR_END) {
		size_t end = reach_walk_ahead(&p->walker, &p->reach[about->extent], hi) + SLACK;
		if (end < f->len)
			w.end = begin_of_char(p, fold_place(f, end), true);
	}
	w.from = begin_of_char(p, w.from, false);
	if (!is_settled(p, state->slot.pattern, about, &w))
		ask(p, state->slot.pattern, w);
}

static bool is_word(uint8_t c)
{
	return (unsigned)c - 'a' < 26 || (unsigned)c - '0' < 10 || c == '_';
}

static bool is_at_edges(const struct folded *f, unsigned edge, size_t at, size_t len)
{
	if (edge & STR_EDGE_BEFORE && at && is_word(f->byte[at - 1]))
		return false;
	return !(edge & STR_EDGE_BEHIND) || !is_word(f->byte[at + len]);
}

/* Does what must stand beside the literal stand there? Behind the text there is a byte that no
 * guard lets through unless it lets all of them. */
static bool is_guarded(const struct pass *p, const struct table_guard *g, size_t at, size_t len)
{
	const struct folded *f = &p->s->folded;

	for (int i = 0; i < GUARD_MAX && g->set[i]; i++) {
		if (g->at[i] < 0 && at < (size_t)-g->at[i])
			return false;
		size_t place = g->at[i] < 0 ? at - (size_t)-g->at[i] : at + len + (size_t)g->at[i];
		if (!reach_has(&p->guard_set[g->set[i]], f->byte[place]))
			return false;
	}
	return true;
}

static void begin_slot(const struct pass *p, struct slot_state *state, uint32_t at)
{
	state->pass = p->s->pass;
	state->first = at;
	state->asked = 0;
}

static void open_slot(const struct pass *p, struct slot_state *state, uint32_t at)
{
	if (state->pass != p->s->pass)
		begin_slot(p, state, at);
	else if (at - state->last > state->slot.span)
		state->first = at;
	state->last = at;
}

/* A literal with nothing before it, or the last one of a slot that is open. */
static void close_slot(struct pass *p, struct slot_state *state, enum table_stage stage, size_t at)
{
	const struct reach *reach = &p->reach[state->slot.reach];
	size_t first = at, last = at;

	if (stage == TABLE_LAST) {
		first = reach_walk(&p->walker, &p->reach[state->slot.gap], at);
		last = state->last;
		if (last < first)
			return;
		first = first > state->first ? first : state->first;
	} else if (state->pass != p->s->pass) {
		begin_slot(p, state, 0);
	}
	if (last >= reach->min)
		ask_folded(p, state, reach_walk(&p->walker, reach, first), last - reach->min);
}

/* Does the pattern still want an answer, and from this pass? */
static bool is_open(const struct pass *p, uint32_t pattern)
{
	return answer_of(p, pattern) != MATCH_YES && db_is_wanted(p->wanted, pattern) &&
	       !confirm_is_done(p->s->confirm, pattern) &&
	       (p->both || p->about[pattern].unicode == p->unicode);
}

/* Has the text one of the characters a match must have? */
static bool has_point(const struct pass *p, const struct table_pattern *about)
{
	const struct folded *f = &p->s->folded;

	for (uint32_t i = about->point; i < about->point + about->points; i++)
		if (f->point[p->point[i] / 64] >> p->point[i] % 64 & 1)
			return true;
	return !about->points;
}

static bool find_possible(struct pass *p, const struct table_pattern *about)
{
	if (about->control && !p->s->folded.control)
		return false;
	if (!p->text->ascii && !has_point(p, about))
		return false;
	return !about->equal || fold_has_equal_words(&p->s->folded, about->equal, about->equal_len);
}

/* Can it match a text with what this one has? Found out when it is first asked. */
static bool is_possible(struct pass *p, uint32_t pattern)
{
	const struct table_pattern *about = &p->about[pattern];
	struct chance *c = &p->s->chance[pattern];

	if (!about->control && !about->points && !about->equal)
		return true;
	if (c->pass != p->s->pass)
		*c = (struct chance){p->s->pass, find_possible(p, about)};
	return c->possible;
}

static void take_entry(struct pass *p, const struct table_entry *entry, size_t at, size_t len)
{
	struct slot_state *state = &p->slot[entry->slot];

	/* U+017F, which is no letter of a word without the flag u, folds to one. */
	if (entry->edge && !p->s->folded.letter &&
	    !is_at_edges(&p->s->folded, entry->edge, at, len))
		return;
	if (entry->guard && !is_guarded(p, &p->guard[entry->guard], at, len))
		return;
	if (!state->pass)
		state->slot = p->table_slot[entry->slot];
	if (entry->stage == TABLE_FIRST)
		open_slot(p, state, (uint32_t)at);
	else if ((entry->stage == TABLE_ONLY || state->pass == p->s->pass) &&
		 is_open(p, state->slot.pattern) && is_possible(p, state->slot.pattern))
		close_slot(p, state, entry->stage, at);
}

/* Slots are too many for the nearest cache. */
static void fetch(const struct pass *p, const struct search_hit *hit)
{
	for (size_t i = 0; i < hit->count && i < FETCHED; i++) {
		__builtin_prefetch(&p->slot[hit->entry[i].slot]);
		if (hit->entry[i].guard)
			__builtin_prefetch(&p->guard[hit->entry[i].guard]);
	}
}

void db_take_hits(void *context, const struct search_hit *hit, size_t count)
{
	struct pass *p = context;

	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			fetch(p, &hit[i + AHEAD]);
		for (size_t k = 0; k < hit[i].count; k++)
			take_entry(p, &hit[i].entry[k], hit[i].at, hit[i].len);
	}
}

/* Patterns without a literal. */
void db_ask_always(struct pass *p, enum js_form form)
{
	const struct table_array *always = &p->db->table[form].array[TABLE_ALWAYS];
	const uint32_t *number = always->data;

	for (size_t i = 0; i < always->count; i++) {
		const struct table_pattern *about = &p->about[number[i]];
		struct match_window w = {.to = about->anchored ? 0 : p->len, .end = p->len};

		if (is_open(p, number[i]) && is_possible(p, number[i]))
			ask(p, number[i], w);
	}
}
