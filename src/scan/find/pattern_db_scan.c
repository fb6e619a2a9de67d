/* SPDX-License-Identifier: MIT
 *
 * Scans a text: folds it, finds the literals, and asks each literal's pattern about the places from
 * which the literal is in reach. Every match has such a literal, and the pattern sees the whole text
 * as context, so the answers are the same as if each pattern were asked about each place. No place at
 * which a match may begin may be left out.
 *
 * Each slot asks about a place once: within one slot a later literal never reaches back farther than
 * an earlier one, because all their distances are the same. That is why a slot has one pair of
 * distances and no more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "scan/find/bounded_match.h"
#include "scan/find/literal_search.h"
#include "scan/find/pattern_db_private.h"
#include "scan/text/same.h"

/* A slot in one cache line, with the place of its first literal and how far places have been
 * asked. It is copied from the table when one of its literals is first found (pass 0: not yet),
 * because most slots never are, and then their pages are not touched. */
struct slot_state {
	struct table_slot slot;
	uint32_t pass, first, last, asked;
};

/* Can a pattern match the text of this pass? */
struct chance {
	uint32_t pass;
	bool possible;
};

struct db_scratch {
	struct confirm *confirm;
	struct folded folded;
	struct search_room *room;
	struct same *same;
	struct slot_state *slot[JS_FORMS];
	struct reach_memo *memo, *ahead;
	uint32_t epoch, pass;
	struct chance *chance;	   /* by pattern */
	uint32_t *epoch_of;	   /* by pattern: the scan in which it was answered */
	enum match_answer *answer; /* by pattern */
	uint32_t *yes, *undecided, *answered;
	size_t answeredc;
};

/* One pass over one form of a text. */
struct pass {
	const struct db *db;
	struct db_scratch *s;
	const struct scan_text *text;
	const uint64_t *wanted;
	const struct db_before *before; /* NULL: no part of it is in this text */
	const char *data;		/* the bytes that the patterns of this pass read */
	size_t len;
	struct slot_state *slot;
	const struct table_slot *table_slot;
	const struct reach *reach;
	const struct table_guard *guard;
	const struct reach_set *guard_set;
	const struct table_pattern *about;
	const uint16_t *point;
	struct reach_walker walker;
	/* patterns with and without the flag u read the same bytes; otherwise UNICODE says
	 * which */
	bool both;
	bool unicode;
};

enum {
	NEAR_END = 256, /* folded bytes: in shorter parts it is not worth leaving places out */
	AHEAD = 6,
	FETCHED = 4, /* hits, and entries of a hit, that are prefetched */
	SLACK = 8,   /* folded bytes after the farthest one that a match can reach */
};

/* MATCH_NO if it has not been asked yet. */
static enum match_answer answer_of(const struct pass *p, uint32_t pattern)
{
	return p->s->epoch_of[pattern] == p->s->epoch ? p->s->answer[pattern] : MATCH_NO;
}

/* Yes is final; undecided only changes to yes. */
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

/* Was an equal window already asked in the other text? The text after its end, and before its
 * beginning except for a character, does not matter. */
static bool is_settled(const struct pass *p, uint32_t pattern, const struct table_pattern *about,
		       const struct match_window *w)
{
	return p->before && (p->before->no[pattern / 64] >> (pattern % 64) & 1) && !about->behind &&
	       same_has(p->s->same, w->from, w->end);
}

/* Asks about the places from LO to HI of the folded text. */
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
	/* A match cannot extend farther; without this limit PCRE2 would search for a required
	 * character up to the end. */
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

/* Does the literal's guard hold? The byte after the text passes only a guard that passes all
 * bytes. */
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

/* Handles a literal with no other before it, or the last one of a slot that is open. */
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

/* Does the pattern still need an answer, from this pass? */
static bool is_open(const struct pass *p, uint32_t pattern)
{
	return answer_of(p, pattern) != MATCH_YES && db_is_wanted(p->wanted, pattern) &&
	       !confirm_is_done(p->s->confirm, pattern) &&
	       (p->both || p->about[pattern].unicode == p->unicode);
}

/* Does the text have one of the characters that every match has? */
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

/* Can it match a text with these properties? Computed when it is first asked. */
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

	/* U+017F folds to a letter, but is not a word character without the flag u. */
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

/* The slots exceed the first-level cache. */
static void fetch(const struct pass *p, const struct search_hit *hit)
{
	for (size_t i = 0; i < hit->count && i < FETCHED; i++) {
		__builtin_prefetch(&p->slot[hit->entry[i].slot]);
		if (hit->entry[i].guard)
			__builtin_prefetch(&p->guard[hit->entry[i].guard]);
	}
}

static void take_hits(void *context, const struct search_hit *hit, size_t count)
{
	struct pass *p = context;

	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			fetch(p, &hit[i + AHEAD]);
		for (size_t k = 0; k < hit[i].count; k++)
			take_entry(p, &hit[i].entry[k], hit[i].at, hit[i].len);
	}
}

/* Asks patterns without a literal. */
static void ask_always(struct pass *p, enum js_form form)
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

static size_t most(const struct db *db, enum table_section s)
{
	size_t a = db->table[JS_WIDE].array[s].count, b = db->table[JS_ASCII].array[s].count;

	return (a > b ? a : b) + 1;
}

struct db_scratch *db_scratch_new(const struct db *db, const struct match_limits *limits,
				  struct err *err)
{
	struct db_scratch *s = calloc(1, sizeof(*s));

	/* Separate pages: a text asks a few patterns, and clearing all of this would take
	 * longer. */
	if (s) {
		s->yes = pages_new((db->count + 1) * sizeof(*s->yes));
		s->undecided = pages_new((db->count + 1) * sizeof(*s->undecided));
		s->answered = pages_new((db->count + 1) * sizeof(*s->answered));
		s->chance = pages_new((db->count + 1) * sizeof(*s->chance));
		s->epoch_of = pages_new((db->count + 1) * sizeof(*s->epoch_of));
		s->answer = pages_new((db->count + 1) * sizeof(*s->answer));
		s->room = pages_new(sizeof(*s->room));
		s->same = pages_new(sizeof(*s->same));
		s->memo = pages_new(most(db, TABLE_SETS) * 2 * REACH_RUNS * sizeof(*s->memo));
		s->ahead = s->memo + most(db, TABLE_SETS) * REACH_RUNS;
		s->confirm = confirm_new(db, limits, err);
	}
	for (int i = 0; s && i < JS_FORMS; i++)
		s->slot[i] = pages_new((db->table[i].array[TABLE_SLOTS].count + 1) *
				       sizeof(struct slot_state));
	if (!s || !s->yes || !s->undecided || !s->answered || !s->epoch_of || !s->answer ||
	    !s->chance || !s->slot[0] || !s->slot[1] || !s->memo || !s->room || !s->same ||
	    !s->confirm) {
		err_memory(err);
		db_scratch_free(s);
		return NULL;
	}
	return s;
}

void db_scratch_free(struct db_scratch *s)
{
	if (!s)
		return;
	confirm_free(s->confirm);
	fold_done(&s->folded);
	for (int i = 0; i < JS_FORMS; i++)
		pages_free(s->slot[i]);
	pages_free(s->memo);
	pages_free(s->room);
	pages_free(s->same);
	pages_free(s->chance);
	pages_free(s->epoch_of);
	pages_free(s->answer);
	pages_free(s->answered);
	pages_free(s->yes);
	pages_free(s->undecided);
	free(s);
}

/* Numbers of scans and passes repeat after 2^32: clears the state of old ones. */
static void next_scan(struct db_scratch *s, const struct db *db)
{
	s->answeredc = 0;
	if (++s->epoch)
		return;
	memset(s->epoch_of, 0, db->count * sizeof(*s->epoch_of));
	s->epoch = 1;
}

static void next_pass(struct db_scratch *s, const struct db *db)
{
	if (++s->pass)
		return;
	memset(s->memo, 0, most(db, TABLE_SETS) * 2 * REACH_RUNS * sizeof(*s->memo));
	memset(s->chance, 0, db->count * sizeof(*s->chance));
	for (int i = 0; i < JS_FORMS; i++)
		for (size_t k = 0; k < db->table[i].array[TABLE_SLOTS].count; k++)
			s->slot[i][k].pass = 0;
	s->pass = 1;
}

static int run_pass(struct pass *p, struct err *err)
{
	enum js_form form = p->text->ascii ? JS_ASCII : JS_WIDE;
	struct db_scratch *s = p->s;

	p->slot = s->slot[form];
	p->table_slot = db_array(p->db, form, TABLE_SLOTS);
	p->reach = db_array(p->db, form, TABLE_REACHES);
	p->about = db_array(p->db, form, TABLE_ABOUT);
	p->point = db_array(p->db, form, TABLE_POINTS);
	p->guard = db_array(p->db, form, TABLE_GUARDS);
	p->guard_set = db_array(p->db, form, TABLE_GUARD_SETS);
	next_pass(s, p->db);
	p->walker = (struct reach_walker){.set = db_array(p->db, form, TABLE_SETS),
					  .memo = s->memo,
					  .ahead = s->ahead,
					  .text = &s->folded,
					  .pass = s->pass};
	if (fold_text(&s->folded, p->data, p->len, p->text->ascii, err) < 0)
		return -1;
	ask_always(p, form);
	search_run(&p->db->table[form], &s->folded, s->room, take_hits, p);
	return 0;
}

static void list_hits(struct db_scratch *s, struct db_hits *ret)
{
	*ret = (struct db_hits){.yes = s->yes, .undecided = s->undecided};
	for (size_t i = 0; i < s->answeredc; i++) {
		uint32_t number = s->answered[i];
		if (s->answer[number] == MATCH_YES)
			s->yes[ret->yesc++] = number;
		else
			s->undecided[ret->undecidedc++] = number;
	}
}

/* Finds the parts of BEFORE that are in the text of this pass, which reads the same form of
 * both. */
static void compare(struct pass *p, const struct db_before *before)
{
	bool data = p->unicode;
	const struct scan_text *other = before ? before->text : NULL;

	p->before = NULL;
	if (!other || p->len < SAME_MIN || p->len < other->len / 2)
		return;
	same_find(p->s->same, p->data, p->len, data ? other->data : other->unit,
		  data ? other->len : other->unit_len);
	if (p->s->same->count)
		p->before = before;
}

int db_scan(const struct db *db, struct db_scratch *s, const struct scan_text *text,
	    const uint64_t *wanted, struct db_hits *ret, struct err *err)
{
	return db_scan_after(db, s, text, wanted, NULL, ret, err);
}

/* Without characters beyond U+FFFF both kinds of patterns read the same bytes. */
int db_scan_after(const struct db *db, struct db_scratch *s, const struct scan_text *text,
		  const uint64_t *wanted, const struct db_before *before, struct db_hits *ret,
		  struct err *err)
{
	struct pass p = {.db = db, .s = s, .text = text, .wanted = wanted};

	p.data = text->unit;
	p.len = text->unit_len;
	p.both = text->unit == text->data;
	confirm_begin(s->confirm, text, before);
	next_scan(s, db);
	compare(&p, before);
	if (run_pass(&p, err) < 0)
		return -1;
	if (!p.both) {
		p.data = text->data;
		p.len = text->len;
		p.unicode = true;
		compare(&p, before);
		if (run_pass(&p, err) < 0)
			return -1;
	}
	list_hits(s, ret);
	return 0;
}

uint64_t db_steps(const struct db_scratch *s)
{
	return confirm_steps(s->confirm);
}

enum match_answer db_match(const struct db *db, struct db_scratch *s, size_t number,
			   const struct scan_text *text, size_t *ret_start)
{
	if (!db_has(db, number))
		return MATCH_NO;
	return confirm_text(s->confirm, (uint32_t)number, text, ret_start);
}

enum match_answer db_locate(const struct db *db, struct db_scratch *s, size_t number,
			    const struct scan_text *text, size_t *ret_start)
{
	if (!db_has(db, number))
		return MATCH_NO;
	return confirm_locate(s->confirm, (uint32_t)number, text, ret_start);
}

enum match_answer db_match_in(const struct db *db, struct db_scratch *s, size_t number,
			      const struct scan_text *text, struct db_range range)
{
	if (!db_has(db, number))
		return MATCH_NO;
	bool unicode = db_is_unicode(db, number);
	const char *data = unicode ? text->data : text->unit;
	struct match_window w = {.end = unicode ? text->len : text->unit_len};

	w.from = normal_byte_at(data, w.end, range.from);
	w.to = normal_byte_at(data, w.end, range.to);
	if (w.to < w.end && w.to > w.from)
		w.to--;
	confirm_begin(s->confirm, text, true);
	return confirm_window(s->confirm, (uint32_t)number, w);
}

enum match_answer db_match_linear(const struct db *db, struct db_scratch *s, size_t number,
				  const struct scan_text *text, enum db_linear way)
{
	if (!db_has(db, number))
		return MATCH_NO;
	return confirm_linear(s->confirm, (uint32_t)number, text, way);
}
