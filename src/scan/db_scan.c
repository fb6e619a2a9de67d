/* SPDX-License-Identifier: MIT
 *
 * Scans a text: folds it, looks for the literals, and where one is, has the pattern it belongs to
 * asked about the places from which that literal is in reach (db_slot.c). Every match has such a
 * literal, and the question is put to the whole text with its context, so the answers are those of
 * asking everybody about everything.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "scan/db_pass.h"

static size_t most(const struct db *db, enum table_section s)
{
	size_t a = db->table[JS_WIDE].array[s].count, b = db->table[JS_ASCII].array[s].count;

	return (a > b ? a : b) + 1;
}

struct db_scratch *db_scratch_new(const struct db *db, const struct match_limits *limits,
				  struct err *err)
{
	struct db_scratch *s = calloc(1, sizeof(*s));

	/* Pages of their own: a text asks a few patterns, and clearing all of this takes longer. */
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

/* Numbers of scans and passes come again after 2^32: what is left of old ones goes. */
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
	db_ask_always(p, form);
	search_run(&p->db->table[form], &s->folded, s->room, db_take_hits, p);
	return 0;
}

static void tell(struct db_scratch *s, struct db_hits *ret)
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

/* What of BEFORE is in the text of this pass, which reads this form of both. */
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
	tell(s, ret);
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
