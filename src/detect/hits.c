/* SPDX-License-Identifier: MIT
 *
 * Each distinct text is normalised once and scanned once, for any number of fields and rules: most
 * events have one text. A hit counts only for conditions on a field that has this text.
 */
#include "detect/hits.h"

#include <string.h>

#include "detect/event.h"

static bool is_equal(struct text a, struct text b)
{
	return a.len == b.len && (a.s == b.s || !memcmp(a.s, b.s, a.len));
}

static int add_text(struct engine_thread *t, struct thread_field *f, size_t *bytes, struct err *err)
{
	size_t i = 0;

	while (i < t->textc && !is_equal(t->text[i].source, f->value))
		i++;
	f->text = (uint32_t)i;
	if (i < t->textc)
		return 0;
	*bytes += f->value.len;
	if (*bytes > EVENT_BYTES_MAX)
		return err_set(err, ERR_LIMIT,
			       "event: the texts together are longer than %zu bytes",
			       EVENT_BYTES_MAX);
	if (prepared_init(&t->text[i], f->value, err) < 0)
		return -1;
	t->textc++;
	return 0;
}

int hits_begin(struct engine_thread *t, const struct event *event, const struct text *instead,
	       struct err *err)
{
	const struct ruleset *p = &t->engine->set;
	size_t bytes = 0;

	t->textc = 0;
	for (size_t i = 0; i < p->fieldc; i++) {
		struct thread_field *f = &t->field[i];
		f->epoch = 0;
		if (field_resolve(event, p->field[i].field, p->field[i].name, &f->value, err) < 0)
			break;
		if (instead && f->value.s && is_equal(f->value, event->content))
			f->value = *instead;
		if (f->value.s && add_text(t, f, &bytes, err) < 0)
			break;
		if (i + 1 == p->fieldc)
			return 0;
	}
	if (!p->fieldc)
		return 0;
	hits_done(t);
	return -1;
}

void hits_done(struct engine_thread *t)
{
	while (t->textc > 0)
		prepared_done(&t->text[--t->textc]);
}

/* Numbers repeat after 2^32 texts: clears marks, so that old ones do not count. */
static uint32_t next_epoch(struct engine_thread *t)
{
	if (t->epoch == UINT32_MAX) {
		memset(t->use, 0, t->engine->set.usec * sizeof(*t->use));
		for (size_t i = 0; i < t->engine->set.fieldc; i++)
			t->field[i].epoch = 0;
		t->epoch = 0;
	}
	return ++t->epoch;
}

void hits_next_round(struct engine_thread *t)
{
	t->touchedc = 0;
	if (t->round == UINT32_MAX) {
		memset(t->rule_round, 0, t->engine->set.pack->rulec * sizeof(*t->rule_round));
		t->round = 0;
	}
	t->round++;
}

static void note_use(struct engine_thread *t, uint32_t n, unsigned class, uint32_t text,
		     enum answer answer)
{
	const struct ruleset_use *u = &t->engine->set.use[n];
	const struct thread_field *f = &t->field[u->field];
	struct thread_mark *m = &t->use[n];

	if (!f->value.s || f->text != text || !(t->engine->set.rule[u->rule].classes >> class & 1))
		return;
	if (m->epoch == f->epoch && m->answer >= (uint32_t)answer)
		return;
	*m = (struct thread_mark){f->epoch, answer};
	if (t->rule_round[u->rule] != t->round) {
		t->rule_round[u->rule] = t->round;
		t->touched[t->touchedc++] = u->rule;
	}
}

static void note(struct engine_thread *t, const uint32_t *pattern, size_t count, unsigned class,
		 uint32_t text, enum answer answer)
{
	const struct ruleset *p = &t->engine->set;

	for (size_t i = 0; i < count; i++)
		for (uint32_t k = p->use_at[pattern[i]]; k < p->use_at[pattern[i] + 1]; k++)
			note_use(t, p->use_of[k], class, text, answer);
}

static void leave_out(uint64_t *bits, const uint32_t *number, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bits[number[i] / 64] &= ~((uint64_t)1 << number[i] % 64);
}

/* RET_NO, or NULL: gets the patterns that were asked and match nowhere in the text. */
static int scan_form(struct engine_thread *t, const struct scan_text *form, unsigned class,
		     uint32_t text, const struct db_before *before, uint64_t *ret_no,
		     struct err *err)
{
	size_t words = t->engine->set.words;
	struct db_hits hits;

	if (ret_no)
		memset(ret_no, 0, words * sizeof(*ret_no));
	if (t->engine->options.mode == DETECT_REFERENCE && form->utf16 > REFERENCE_LENGTH_MAX)
		return 0;
	if (db_scan_after(t->engine->db, t->scratch, form, t->wanted, before, &hits, err) < 0)
		return -1;
	note(t, hits.undecided, hits.undecidedc, class, text, ANSWER_UNDECIDED);
	note(t, hits.yes, hits.yesc, class, text, ANSWER_YES);
	/* Another form of the text has the same answer. */
	leave_out(t->wanted, hits.yes, hits.yesc);
	if (!ret_no)
		return 0;
	memcpy(ret_no, t->wanted, words * sizeof(*ret_no));
	leave_out(ret_no, hits.undecided, hits.undecidedc);
	return 0;
}

/* Collects all patterns to ask about this text. Returns false when there are none. */
static bool gather(struct engine_thread *t, unsigned class, size_t n, bool more)
{
	const struct ruleset *p = &t->engine->set;
	uint32_t epoch = more ? 0 : next_epoch(t);
	uint64_t any = 0;

	memset(t->wanted, 0, p->words * sizeof(*t->wanted));
	for (size_t i = 0; i < p->fieldc; i++) {
		if (!t->field[i].value.s || t->field[i].text != n)
			continue;
		if (!more)
			t->field[i].epoch = epoch;
		const uint64_t *wanted = ruleset_wanted(p, class, i);
		for (size_t w = 0; w < p->words; w++)
			any |= t->wanted[w] |= wanted[w];
	}
	return any;
}

/* Has every condition on this text that uses the pattern a yes? */
static bool is_noted(const struct engine_thread *t, uint32_t pattern, unsigned class, size_t n)
{
	const struct ruleset *p = &t->engine->set;

	for (uint32_t k = p->use_at[pattern]; k < p->use_at[pattern + 1]; k++) {
		const struct ruleset_use *u = &p->use[p->use_of[k]];
		const struct thread_field *f = &t->field[u->field];
		const struct thread_mark *m = &t->use[p->use_of[k]];
		if (f->value.s && f->text == n && p->rule[u->rule].classes >> class & 1 &&
		    (m->epoch != f->epoch || m->answer != ANSWER_YES))
			return false;
	}
	return true;
}

/* A pattern that matched in the text is not asked in its layers, unless the match was cleared, see
 * evaluate.c. */
static void leave_noted(struct engine_thread *t, unsigned class, size_t n)
{
	const uint64_t *no = thread_no(t, n);

	for (size_t w = 0; w < t->engine->set.words; w++)
		for (uint64_t left = t->wanted[w] & ~no[w]; left; left &= left - 1) {
			uint32_t pattern = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left));
			if (is_noted(t, pattern, class, n))
				leave_out(t->wanted, &pattern, 1);
		}
}

static bool is_form_of(const struct prepared *p, const struct scan_text *form)
{
	const struct text text = {form->data, form->len};

	return p->source.s &&
	       (is_equal((struct text){p->normal.data, p->normal.len}, text) ||
		(p->differs && is_equal((struct text){p->raw.data, p->raw.len}, text)));
}

static bool is_scanned(const struct hits_scanned *known, const struct scan_text *form)
{
	bool found = known && is_form_of(&known->whole, form);

	for (size_t i = 0; known && !found && i < HITS_KEPT; i++)
		found = is_form_of(&known->kept[i], form);
	return found;
}

int hits_scan(struct engine_thread *t, const struct event *event, size_t n,
	      const struct hits_scanned *known, struct err *err)
{
	unsigned class = class_of(event);
	const struct prepared *p = &t->text[n];
	struct db_before whole = {known ? &known->whole.normal : NULL, thread_no(t, n)};
	struct db_before normal = {&p->normal, thread_no(t, known ? t->textc : n)};
	const struct db_before *before = known ? &whole : NULL;

	if (!gather(t, class, n, known))
		return 0;
	if (known)
		leave_noted(t, class, n);
	if (!is_scanned(known, &p->normal)) {
		if (scan_form(t, &p->normal, class, (uint32_t)n, before, normal.no, err) < 0)
			return -1;
		before = &normal;
	}
	if (!p->differs || is_scanned(known, &p->raw))
		return 0;
	return scan_form(t, &p->raw, class, (uint32_t)n, before, NULL, err);
}

void hits_keep(struct hits_scanned *known, struct prepared *layer)
{
	struct prepared *place = &known->kept[known->next % HITS_KEPT];

	if (layer->normal.len < HITS_KEPT_MIN || layer->normal.len > HITS_KEPT_MAX ||
	    layer->raw.len > HITS_KEPT_MAX) {
		prepared_done(layer);
		return;
	}
	prepared_done(place);
	*place = *layer;
	*layer = (struct prepared){0};
	known->next++;
}

void hits_scanned_done(struct hits_scanned *known)
{
	for (size_t i = 0; i < HITS_KEPT; i++)
		prepared_done(&known->kept[i]);
}
