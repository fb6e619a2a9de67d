/* SPDX-License-Identifier: MIT
 *
 * Callouts report every repeat that can read far, and its toll is charged (match.h). PCRE2's own
 * limit counts at each place separately. When a pattern first reaches a limit it uses its linear
 * form for the rest of this text. If that then reads a sixteenth of the text, the whole text is
 * matched at once, and the pattern is not asked again. Expressions with back-references have no
 * linear form: they get more steps, after which they are undecided.
 */
#include "scan/find/bounded_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "scan/find/pattern_db_private.h"
#include "scan/regex/linear.h"

enum {
	/* PCRE2's own limit at a place: only a safeguard, because every part that can explode pays
	 * tolls. */
	PLACE_STEPS = 20000,
	PLACE_BYTE_STEPS = 4,
	/* For a question, plus one for this many places, plus one for this many bytes: PCRE2 first
	 * searches for a required character, up to the end. */
	WINDOW_STEPS = 4,
	PLACES_A_STEP = 16,
	BYTES_A_STEP = 32,
	/* The limits for all questions of a pattern, and of all patterns. When the latter is used
	 * up, or the pattern was slow in another form of the text, a few steps remain for it: most
	 * patterns need no more, and the linear form reads the whole text. */
	PATTERN_STEPS = 20000,
	PATTERN_STEP_BYTES = 4, /* for one more */
	FEW_STEPS = 1000,
	FEW_STEP_BYTES = 64,
	TEXT_STEPS = 200000,
	TEXT_BYTE_STEPS = 3,
	/* Linear forms, for all patterns. */
	LINEAR_STEPS = 20000000,
	LINEAR_BYTE_STEPS = 400,
	/* PCRE2, for all patterns that have no linear form. */
	LAST_STEPS = 1000000,
	LAST_BYTE_STEPS = 10,
	LAST_PLACE_STEPS = 200000,
	FORMS_KEPT = 256,
	/* Shorter texts do not justify a second linear form; and how much of the text is tried. */
	BACK_BYTES_MIN = 16384,
	PROBED = 16,
};

enum form_state { FORM_UNKNOWN, FORM_NONE, FORM_MADE };

/* The form by which the whole text was matched. */
enum whole_way { WHOLE_UNKNOWN, WHOLE_AHEAD, WHOLE_BACK };

/* The state of a pattern in this text, and in related texts: the forms and layers of one text. */
struct asked {
	uint32_t text;	/* the number of the text; other values: no state */
	uint32_t kin;	/* the number of the related texts that WAY is about */
	bool slow;	/* it has reached a limit */
	bool done;	/* ANSWER is about the whole text */
	uint8_t answer; /* enum match_answer */
	uint8_t way;	/* enum whole_way: the way of the text before it */
	uint64_t charged, read;
};

struct confirm {
	const struct db *db;
	struct match_scratch *match;
	struct match_limits limits;
	const struct scan_text *text;
	uint32_t number, kin; /* of the text */
	uint64_t pattern_steps, few_steps, steps, linear_steps, last_steps;
	uint64_t granted;	  /* the last three: charged for this text and those before */
	struct asked *asked;	  /* by pattern */
	struct linear **form;	  /* by pattern and direction: form_at() */
	uint8_t *form_state;	  /* the same: enum form_state */
	struct linear_pool *pool; /* made with the first linear form */
	uint32_t kept[FORMS_KEPT], keptc, next; /* existing forms, in a ring */
};

struct confirm *confirm_new(const struct db *db, const struct match_limits *limits, struct err *err)
{
	struct confirm *c = calloc(1, sizeof(*c));

	if (c) {
		c->db = db;
		c->limits = limits ? *limits : (struct match_limits){0};
		c->asked = pages_new((db->count + 1) * sizeof(*c->asked));
		c->form = pages_new((2 * db->count + 1) * sizeof(struct linear *));
		c->form_state = calloc(2 * db->count + 1, 1);
		c->match = match_scratch_new(limits, err);
	}
	if (!c || !c->asked || !c->form || !c->form_state || !c->match) {
		err_memory(err);
		confirm_free(c);
		return NULL;
	}
	return c;
}

void confirm_free(struct confirm *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->keptc; i++)
		linear_free(c->form[c->kept[i]]);
	linear_pool_free(c->pool);
	match_scratch_free(c->match);
	pages_free(c->asked);
	pages_free(c->form);
	free(c->form_state);
	free(c);
}

uint64_t confirm_steps(const struct confirm *c)
{
	return c->granted - c->steps - c->linear_steps - c->last_steps;
}

/* Text numbers repeat after 2^32: clears the state of old ones. */
static void next_number(struct confirm *c, bool kin)
{
	c->kin += !kin;
	if (++c->number && c->kin)
		return;
	memset(c->asked, 0, c->db->count * sizeof(*c->asked));
	c->number = c->kin = 1;
}

void confirm_begin(struct confirm *c, const struct scan_text *text, bool kin)
{
	uint64_t len = text->len;

	c->granted = confirm_steps(c); /* clears the state of the last text */
	c->text = text;
	c->pattern_steps = PATTERN_STEPS + len / PATTERN_STEP_BYTES;
	c->few_steps = FEW_STEPS + len / FEW_STEP_BYTES;
	c->steps = TEXT_STEPS + TEXT_BYTE_STEPS * len;
	c->linear_steps = LINEAR_STEPS + LINEAR_BYTE_STEPS * len;
	c->last_steps = LAST_STEPS + LAST_BYTE_STEPS * len;
	if (c->limits.text_steps)
		c->linear_steps = c->last_steps = c->limits.text_steps;
	c->granted += c->steps + c->linear_steps + c->last_steps;
	next_number(c, kin);
}

static struct asked *asked_of(struct confirm *c, uint32_t pattern)
{
	struct asked *a = &c->asked[pattern];

	if (a->text != c->number)
		*a = (struct asked){.text = c->number,
				    .kin = c->kin,
				    .way = a->kin == c->kin ? a->way : WHOLE_UNKNOWN};
	return a;
}

bool confirm_is_done(const struct confirm *c, uint32_t pattern)
{
	return c->asked[pattern].text == c->number && c->asked[pattern].done;
}

static uint32_t form_at(uint32_t pattern, bool back)
{
	return 2 * pattern + back;
}

/* Frees the oldest form when there are too many. */
static void keep(struct confirm *c, uint32_t form)
{
	uint32_t *place = &c->kept[c->next++ % FORMS_KEPT];

	if (c->keptc == FORMS_KEPT) {
		linear_free(c->form[*place]);
		c->form[*place] = NULL;
		c->form_state[*place] = FORM_UNKNOWN;
	} else {
		c->keptc++;
	}
	*place = form;
}

/* The pattern's linear form; NULL: it has none. */
static struct linear *form_of(struct confirm *c, uint32_t pattern, bool back)
{
	struct db_source source = db_source(c->db, pattern);
	uint32_t at = form_at(pattern, back);
	struct regex regex = {0};
	struct err ignored;

	if (c->form_state[at] != FORM_UNKNOWN)
		return c->form[at];
	c->form_state[at] = FORM_NONE;
	if (regex_translate(source.text, source.len, source.flags, &regex, &ignored) < 0)
		return NULL;
	c->form[at] = (back ? linear_new_back : linear_new)(&regex.ast, &ignored);
	regex_done(&regex);
	if (!c->form[at])
		return NULL;
	c->form_state[at] = FORM_MADE;
	if (!c->pool) /* without it the run only takes longer */
		c->pool = linear_pool_new();
	keep(c, at);
	return c->form[at];
}

/* The form of the text that the pattern reads. */
static const char *data_of(const struct confirm *c, uint32_t pattern, const struct scan_text *text,
			   size_t *ret_len)
{
	bool unicode = db_is_unicode(c->db, pattern);

	*ret_len = unicode ? text->len : text->unit_len;
	return unicode ? text->data : text->unit;
}

static enum match_answer finish(struct asked *a, enum match_answer answer)
{
	a->done = true;
	a->answer = (uint8_t)answer;
	return answer;
}

/* The steps of a linear form for the first part of a text, up to MOST. */
static uint64_t probe(struct confirm *c, struct linear *form, const char *data, size_t len,
		      uint64_t most)
{
	struct match_window w = {.to = len, .end = len};
	uint64_t left = most < c->linear_steps ? most : c->linear_steps, before = left;

	linear_run(form, c->pool, data, &w, &left);
	c->linear_steps -= before - left;
	return before - left;
}

/* Chooses the direction that takes fewer steps: a text often has one part of an expression very
 * often and another not at all, and reading from the latter's side is quick. The second direction
 * is tried only while it could still be the better one, because making states takes the time. */
static enum whole_way find_way(struct confirm *c, uint32_t pattern, const char *data, size_t len)
{
	struct linear *back = len >= BACK_BYTES_MIN ? form_of(c, pattern, true) : NULL;
	struct linear *form = back ? form_of(c, pattern, false) : NULL;
	size_t part = len / PROBED;

	if (!form)
		return WHOLE_AHEAD;
	uint64_t ahead = probe(c, form, data, part, UINT64_MAX);
	/* Making the one may have freed the other. */
	back = form_of(c, pattern, true);
	return back && probe(c, back, data, part, ahead) < ahead ? WHOLE_BACK : WHOLE_AHEAD;
}

/* Matches the whole text. Forms of one text are alike: the better direction for one is used for
 * all. */
static enum match_answer ask_whole(struct confirm *c, uint32_t pattern, const char *data,
				   size_t len)
{
	struct match_window w = {.to = len, .end = len};
	struct asked *a = asked_of(c, pattern);

	if (a->way == WHOLE_UNKNOWN)
		a->way = (uint8_t)find_way(c, pattern, data, len);
	struct linear *form = form_of(c, pattern, a->way == WHOLE_BACK);
	return form ? linear_run(form, c->pool, data, &w, &c->linear_steps) : MATCH_UNDECIDED;
}

/* Matches the window; or the whole text, if that is not much more, or if windows would read it
 * several times. */
static enum match_answer ask_linear(struct confirm *c, uint32_t pattern, struct linear *form,
				    struct match_window w)
{
	struct asked *a = asked_of(c, pattern);
	size_t len;
	const char *data = data_of(c, pattern, c->text, &len);

	a->read += w.end - w.from;
	if (a->read <= len / 16)
		return linear_run(form, c->pool, data, &w, &c->linear_steps);
	return finish(a, ask_whole(c, pattern, data, len));
}

static enum match_answer run(struct confirm *c, uint32_t pattern, const struct match_window *w,
			     uint32_t limit, uint64_t *left)
{
	const struct match_code *code = db_code(c->db, pattern);

	if (code)
		return match_run_window(code, c->match, c->text, w, limit, left);
	return db_has(c->db, pattern) ? MATCH_UNDECIDED : MATCH_NO;
}

/* A pattern without a linear form. */
static enum match_answer ask_last(struct confirm *c, uint32_t pattern, const struct match_window *w)
{
	uint32_t limit = c->limits.steps ? c->limits.steps : LAST_PLACE_STEPS;
	enum match_answer answer = run(c, pattern, w, limit, &c->last_steps);

	return answer == MATCH_UNDECIDED ? finish(asked_of(c, pattern), answer) : answer;
}

/* The steps that PCRE2 may take for the pattern now. */
static uint64_t steps_for(const struct confirm *c, const struct asked *a)
{
	uint64_t few = a->charged < c->few_steps ? c->few_steps - a->charged : 0;
	uint64_t most = c->pattern_steps - a->charged;

	if (a->slow)
		return 0;
	most = most < c->steps ? most : c->steps;
	return a->way != WHOLE_UNKNOWN || most < few ? few : most;
}

/* Charges PCRE2's steps to the pattern and to the text. */
static void charge(struct confirm *c, struct asked *a, uint64_t steps)
{
	uint64_t more = steps > c->steps ? steps - c->steps : 0;

	a->charged += steps;
	c->granted += more;
	c->steps += more;
	c->steps -= steps;
}

static enum match_answer ask_pcre(struct confirm *c, uint32_t pattern, const struct match_window *w)
{
	struct asked *a = asked_of(c, pattern);
	uint64_t most = steps_for(c, a), left, fixed;
	uint64_t limit = PLACE_STEPS + PLACE_BYTE_STEPS * (uint64_t)(w->end - w->from);
	enum match_answer answer;

	limit = c->limits.steps ? c->limits.steps : limit;
	fixed = WINDOW_STEPS + (w->to - w->from) / PLACES_A_STEP +
		(w->end - w->from) / BYTES_A_STEP;
	if (most < fixed)
		return MATCH_UNDECIDED;
	left = most - fixed;
	answer = run(c, pattern, w, (uint32_t)limit, &left);
	charge(c, a, most - left);
	return answer;
}

enum match_answer confirm_window(struct confirm *c, uint32_t pattern, struct match_window w)
{
	struct asked *a = asked_of(c, pattern);
	enum match_answer answer;
	struct linear *form;

	if (a->done)
		return a->answer;
	answer = ask_pcre(c, pattern, &w);
	if (answer != MATCH_UNDECIDED)
		return answer;
	a->slow = true;
	form = form_of(c, pattern, false);
	return form ? ask_linear(c, pattern, form, w) : ask_last(c, pattern, &w);
}

enum match_answer confirm_text(struct confirm *c, uint32_t pattern, const struct scan_text *text,
			       size_t *ret_start)
{
	const struct match_code *code = db_code(c->db, pattern);
	enum match_answer answer =
		code ? match_run(code, c->match, text, ret_start) : MATCH_UNDECIDED;

	return answer == MATCH_UNDECIDED && !ret_start
		       ? confirm_linear(c, pattern, text, DB_LINEAR_POOL)
		       : answer;
}

enum match_answer confirm_locate(struct confirm *c, uint32_t pattern, const struct scan_text *text,
				 size_t *ret_start)
{
	const struct match_code *code = db_code(c->db, pattern);

	return code ? match_locate(code, c->match, text, ret_start) : MATCH_UNDECIDED;
}

enum match_answer confirm_linear(struct confirm *c, uint32_t pattern, const struct scan_text *text,
				 enum db_linear way)
{
	struct linear *form = form_of(c, pattern, way == DB_LINEAR_BACK);
	struct match_window w = {0};
	const char *data = data_of(c, pattern, text, &w.end);

	w.to = w.end;
	if (!form)
		return MATCH_UNDECIDED;
	uint64_t steps = linear_cost(form, w.end) * 2 + LINEAR_STEPS;
	return linear_run(form, way == DB_LINEAR_BITS ? NULL : c->pool, data, &w, &steps);
}
