/* SPDX-License-Identifier: MIT
 *
 * Scans one unit: its text, its text without escapes, and for programs the code view. Then it adds a
 * place and an excerpt to each finding, for people, and passes the findings to the sink.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/findings.h"
#include "detect/scan_private.h"

enum { VIEWS = 2 }; /* of a unit: of the file, and of its script */

void scan_error(struct scanner *s, const char *name, const struct err *err)
{
	s->totals.errors++;
	if (s->totals.errors <= SCAN_REMARKS_MAX && s->sink.error)
		s->sink.error(s->sink.context, name, err);
}

void scan_note(struct scanner *s, const char *name, size_t line, const char *words)
{
	if (s->sink.note)
		s->sink.note(s->sink.context, name, line, words);
}

/* The box cannot be started: reports that once and does not try again. */
static void lose_views(struct scanner *s, const struct err *err)
{
	char words[sizeof(err->message) + sizeof(err->cause) + 64];

	s->no_view = *err;
	snprintf(words, sizeof(words), "programs are scanned without the code view: %s%s%s",
		 err->message, err->cause[0] ? ": " : "", err->cause);
	scan_note(s, "", 0, words);
}

/* Merges the findings of the code view with those of the text. */
static int add_view(struct scanner *s, const struct scan_unit *unit, const struct code_view *view,
		    bool script, struct findings *findings, struct err *err)
{
	struct text text = {view->text, view->text_len};

	s->totals.views++;
	s->totals.views_part += view->state == CODE_VIEW_PART;
	bool unread = s->options.runs && !script && view->state != CODE_VIEW_WHOLE;
	if (view->limited || unread) {
		if (undecided_add(findings, UNDECIDED_CODE, VIEW_CODE, view->reason, err) < 0)
			return -1;
	} else if (view->state == CODE_VIEW_PART) {
		scan_note(s, unit->file->name, script ? 0 : view->line, view->reason);
	}
	if (s->sink.effects && !script)
		s->sink.effects(s->sink.context, unit->file, view);
	return engine_scan_view(s->engine, s->thread, &unit->event, VIEW_CODE, text, findings, err);
}

bool scan_has_views(const struct scanner *s)
{
	return s->options.reader && s->options.mode != DETECT_REFERENCE;
}

/* The language of the file itself; NULL: it has none. */
static const char *own_language(const struct scan_unit *unit)
{
	const char *language = unit->is_file ? scan_kind_language(unit->file->kind) : NULL;

	return language || !unit->is_file || !scan_has_fenced(unit->file) ? language : "markdown";
}

/* The text without NULs, as shells read it; NULL: out of memory. */
static char *drop_nuls(struct text text, struct text *ret)
{
	char *copy = malloc(text.len + 1);
	size_t len = 0;

	for (size_t i = 0; copy && i < text.len; i++)
		if (text.s[i])
			copy[len++] = text.s[i];
	if (copy)
		copy[len] = '\0';
	*ret = (struct text){copy, len};
	return copy;
}

/* Some programs skip a NUL, so for them a word with a NUL inside is the word without it. */
static int scan_without_nuls(struct scanner *s, const struct scan_unit *unit, struct text text,
			     struct findings *findings, struct err *err)
{
	AUTO_FREE char *copy = NULL;
	struct text made;

	if (!text.s || s->options.mode == DETECT_REFERENCE || !memchr(text.s, '\0', text.len))
		return 0;
	copy = drop_nuls(text, &made);
	if (!copy)
		return err_memory(err);
	return engine_scan_view(s->engine, s->thread, &unit->event, VIEW_DECODED, made, findings,
				err);
}

static int make_view(const struct code_reader *reader, const char *language, struct text code,
		     struct code_view *ret, struct err *err)
{
	AUTO_FREE char *copy = NULL;

	if (strcmp(language, scan_kind_language(KIND_SHELL)) == 0 &&
	    memchr(code.s, '\0', code.len)) {
		copy = drop_nuls(code, &code);
		if (!copy)
			return err_memory(err);
	}
	return reader->read(language, code.s, code.len, ret, err);
}

static int get_view(const struct scanner *s, struct scan_program code, bool script,
		    struct code_view *ret, struct err *err)
{
	if (!s->options.ready || script)
		return make_view(s->options.reader, code.language, code.text, ret, err);
	*ret = *s->options.ready;
	ret->arena = (struct arena){0}; /* the original keeps it */
	return 0;
}

/* Scans CODE of the unit. SCRIPT: the code was put together, so the file has no such lines. */
static int scan_code(struct scanner *s, const struct scan_unit *unit, struct scan_program code,
		     bool script, struct code_view *view, struct findings *findings,
		     struct err *err)
{
	struct err why = {0};

	if (!code.language || !scan_has_views(s) || !s->options.reader->has_language(code.language))
		return 0;
	if (!s->no_view.code && get_view(s, code, script, view, &why) == 0)
		return add_view(s, unit, view, script, findings, err);
	s->totals.views_none++;
	if (why.code == ERR_LIMIT || (why.code == ERR_INPUT && s->options.runs && !script))
		return undecided_add(findings, UNDECIDED_CODE, VIEW_CODE, why.message, err);
	if (why.code == ERR_INPUT) {
		scan_note(s, unit->file->name, script ? 0 : view->line, why.message);
		return 0;
	}
	if (why.code)
		lose_views(s, &why);
	/* A caller that wants no code view gives no reader. A program that was not read is not clean. */
	return undecided_add(findings, UNDECIDED_CODE, VIEW_CODE,
			     "there is no box to read the program in", err);
}

/* An excerpt of the line around OFFSET. */
static void take_excerpt(struct text text, size_t offset, char *ret)
{
	size_t from = offset, to, n = 0;

	while (from > 0 && offset - from < SCAN_EXCERPT_MAX / 4 && text.s[from - 1] != '\n')
		from--;
	while (from < offset && (text.s[from] & 0xc0) == 0x80)
		from++;
	for (to = from; to < text.len && to - from < SCAN_EXCERPT_MAX && text.s[to] != '\n'; to++)
		;
	while (to > from && to < text.len && (text.s[to] & 0xc0) == 0x80)
		to--;
	for (size_t i = from; i < to; i++)
		ret[n++] = (char)(text.s[i] ? text.s[i] : ' ');
	while (n && (ret[n - 1] == ' ' || ret[n - 1] == '\r'))
		n--;
	ret[n] = '\0';
}

static void count_place(struct text text, size_t offset, struct scan_finding *ret)
{
	size_t begin = 0;

	ret->line = ret->column = 1;
	for (size_t i = 0; i < offset; i++)
		if (text.s[i] == '\n') {
			ret->line++;
			begin = i + 1;
		}
	for (size_t i = begin; i < offset; i++)
		ret->column += (text.s[i] & 0xc0) != 0x80;
}

/* Consecutive findings are mostly in the same text, so it is decoded once. */
static bool has_place(struct scanner *s, struct text text)
{
	struct err ignored;

	if (s->place.text.s == text.s && s->place.text.len == text.len)
		return true;
	engine_place_done(&s->place);
	if (engine_place_init(&s->place, text, &ignored) == 0)
		return true;
	engine_place_done(&s->place);
	return false;
}

/* A place is only for people, so it is omitted if finding it would take too long: each call reads the
 * text and counts its lines. */
static bool locate(struct scanner *s, const struct finding *f, struct text text, size_t *ret_offset)
{
	for (size_t i = 0; text.s && i < f->matchedc && text.len <= s->place_left; i++) {
		s->place_left -= text.len;
		if (!has_place(s, text))
			return false;
		if (engine_locate(s->engine, s->thread, f->rule, f->matched[i], &s->place,
				  ret_offset) == 0 &&
		    *ret_offset <= text.len)
			return true;
	}
	return false;
}

static bool locate_field(struct scanner *s, const struct finding *f, const struct node *fields,
			 struct text *ret_text, size_t *ret_offset)
{
	for (size_t i = 0; fields && fields->kind == NODE_MAP && i < fields->map.count; i++) {
		const struct node *value = fields->map.pair[i].value;
		if (value->kind != NODE_STRING || !locate(s, f, value->text, ret_offset))
			continue;
		*ret_text = value->text;
		return true;
	}
	return false;
}

/* Sets the finding's place: in the text, else in a field, else in another form of the text. */
static void place(struct scanner *s, const struct code_view *view, struct scan_finding *f)
{
	const struct scan_unit *unit = f->unit;
	struct text text = unit->event.content;
	size_t offset = 0;

	f->line = unit->line;
	if (f->finding->view == VIEW_CODE) {
		f->line = 0;
		for (size_t i = 0; i < VIEWS; i++) {
			struct text code = {view[i].text, view[i].text_len};
			if (!f->excerpt[0] && locate(s, f->finding, code, &offset))
				take_excerpt(code, offset, f->excerpt);
		}
		return;
	}
	if (locate(s, f->finding, text, &offset)) {
		take_excerpt(text, offset, f->excerpt);
		if (unit->is_file)
			count_place(text, offset, f);
	} else if (locate_field(s, f->finding, unit->event.fields, &text, &offset) ||
		   (locate(s, f->finding, unit->other, &offset) && (text = unit->other).s)) {
		take_excerpt(text, offset, f->excerpt);
		f->line = unit->is_file ? 0 : f->line;
	} else if (unit->is_file) {
		f->line = 0;
	}
}

/* Sets the reason for the verdict, in the reference's words. */
static void give_reason(struct scanner *s, const struct findings *f)
{
	const struct finding *about;
	enum detect_verdict verdict = detect_verdict(f, &about);

	if (!about || (s->reason[0] && verdict >= s->worst))
		return;
	s->worst = verdict;
	snprintf(s->reason, sizeof(s->reason),
		 "%s: %s%s [%s/%.0f%% confidence] (%zu rule(s) matched)",
		 detect_verdict_word(verdict), about->rule->title,
		 about->undecided ? ": not decidable" : "", about->rule->severity_name,
		 about->confidence * 100, f->count);
}

static bool is_known(const struct scan_unit *unit, const struct rule *rule)
{
	for (size_t i = 0; unit->known && i < unit->known->count; i++)
		if (unit->known->rule[i] == rule)
			return true;
	return false;
}

/* An undecided rule may be decided elsewhere, so it is not marked as seen. */
static void see(struct scanner *s, const struct finding *f)
{
	if (s->seen && s->seen->count < SCAN_SEEN_MAX && !f->undecided)
		s->seen->rule[s->seen->count++] = f->rule;
}

static void tell(struct scanner *s, const struct scan_unit *unit, const struct code_view *view,
		 const struct findings *findings)
{
	give_reason(s, findings);
	s->place_left = SCAN_PLACE_BYTES;
	for (size_t i = 0; i < findings->count; i++) {
		struct scan_finding f = {.finding = &findings->list[i], .unit = unit};
		enum severity severity = f.finding->rule->severity;
		if (is_known(unit, f.finding->rule))
			continue;
		see(s, f.finding);
		s->totals.findings++;
		s->totals.severity[severity]++;
		if (s->totals.findings > SCAN_FINDINGS_MAX || !s->sink.finding)
			continue;
		place(s, view, &f);
		s->sink.finding(s->sink.context, &f);
	}
	engine_place_done(&s->place); /* before the texts are freed */
}

/* A unit while it goes through the steps. */
struct work {
	struct scanner *s;
	struct scan_unit *unit;
	struct findings findings;
	struct code_view view[VIEWS];
};

static int scan_as_is(struct work *w, struct err *err)
{
	return engine_scan(w->s->engine, w->s->thread, &w->unit->event, &w->findings, err);
}

static int scan_other(struct work *w, struct err *err)
{
	if (!w->unit->other.s)
		return 0;
	return engine_scan_view(w->s->engine, w->s->thread, &w->unit->event, VIEW_DECODED,
				w->unit->other, &w->findings, err);
}

static int scan_nuls(struct work *w, struct err *err)
{
	return scan_without_nuls(w->s, w->unit, w->unit->event.content, &w->findings, err);
}

static int scan_other_nuls(struct work *w, struct err *err)
{
	return scan_without_nuls(w->s, w->unit, w->unit->other, &w->findings, err);
}

static int tell_limit(struct work *w, struct err *err)
{
	if (!w->unit->limit || w->s->options.mode == DETECT_REFERENCE)
		return 0;
	return undecided_add(&w->findings, UNDECIDED_JSON, VIEW_TEXT, w->unit->limit, err);
}

static int scan_own_code(struct work *w, struct err *err)
{
	struct scan_program own = {own_language(w->unit), w->unit->file->data};

	return scan_code(w->s, w->unit, own, false, &w->view[0], &w->findings, err);
}

static int scan_called_code(struct work *w, struct err *err)
{
	return scan_code(w->s, w->unit, w->unit->script, true, &w->view[1], &w->findings, err);
}

/* In this order, because a later step adds to the findings of earlier ones. */
static int (*const steps[])(struct work *w, struct err *err) = {
	scan_as_is, scan_other,	   scan_nuls,	     scan_other_nuls,
	tell_limit, scan_own_code, scan_called_code,
};

void scan_unit(struct scanner *s, struct scan_unit *unit)
{
	struct work w = {.s = s, .unit = unit};
	struct err err;
	int result = 0;

	s->totals.units++;
	for (size_t i = 0; result == 0 && i < ARRAY_SIZE(steps); i++)
		result = steps[i](&w, &err);
	if (result < 0) {
		if (unit->number >= 0)
			err_context(&err, "event %lld", (long long)unit->number);
		scan_error(s, unit->file->name, &err);
	}
	tell(s, unit, w.view, &w.findings);
	findings_done(&w.findings);
	for (size_t i = 0; i < VIEWS; i++)
		code_view_done(&w.view[i]);
}

void scan_whole(struct scanner *s, const struct scan_file *file)
{
	struct scan_unit unit = {.file = file, .number = -1, .line = 1, .is_file = true};

	unit.limit = file->limit.code ? file->limit.message : NULL;
	unit.event = scan_plain(s, file->data);
	unit.event.skill = file->kind == KIND_SKILL && !s->options.has_type;
	if (unit.event.skill)
		unit.event.plain = false;
	unit.event.program = scan_is_program(file);
	scan_unit(s, &unit);
}

struct event scan_plain(const struct scanner *s, struct text text)
{
	return (struct event){.type = s->options.type,
			      .plain = !s->options.has_type,
			      .content = text,
			      .fields = s->options.fields,
			      .time_ms = EVENT_TIME_NONE};
}

bool scan_gather_failed(struct scanner *s, const struct scan_file *file, const struct gather *g)
{
	struct err err;

	if (!g->failed && !g->too_many)
		return false;
	gather_error(g, &err);
	scan_error(s, file->name, &err);
	return g->failed;
}

void scan_script(struct scanner *s, struct scan_unit *unit, const struct node *root,
		 struct gather *g)
{
	if (!scan_has_views(s))
		return;
	gather_script(g, root);
	g->too_many = false; /* already reported for the text */
	if (!scan_gather_failed(s, unit->file, g) && g->len)
		unit->script =
			(struct scan_program){scan_kind_language(KIND_SHELL), {g->s, g->len}};
}

void scan_gathered(struct scanner *s, struct scan_unit *unit, struct gather *g)
{
	if (scan_gather_failed(s, unit->file, g))
		return;
	unit->event = scan_plain(s, (struct text){g->s ? g->s : "", g->len});
	scan_unit(s, unit);
}
