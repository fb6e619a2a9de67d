/* SPDX-License-Identifier: MIT
 *
 * The order of findings, and the verdict of a list. Only the first finding decides, as in the
 * reference; an undecided one counts at least as a question.
 *
 * The findings for what was not scanned are rows that look like rules, so that no reader needs a case
 * for them. They are undecided, so a list with one of them is never clean.
 */
#include "detect/findings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/engine.h"

#define ROW(name, words)                                                                           \
	{                                                                                          \
		.id = (name), .title = (words), .status = RULE_STATUS_STABLE,                      \
		.maturity = MATURITY_STABLE, .severity = SEVERITY_HIGH, .severity_name = "high",   \
		.category = "not-decidable", .subcategory = "", .target = TARGET_BOTH,             \
		.source = SOURCE_OTHER, .expression = "", .file = "", .order = UINT_MAX            \
	}

static const struct rule rows[UNDECIDED_COUNT] = {
	[UNDECIDED_LAYERS] = ROW("CORDON-LIMIT-LAYERS", "Not all encoded layers were searched"),
	[UNDECIDED_CODE] = ROW(UNDECIDED_CODE_ID, "A program was not, or not fully, read as code"),
	[UNDECIDED_JSON] =
		ROW("CORDON-LIMIT-JSON", "A JSON document was scanned as plain text only"),
};

/* The reason why layers were left out, by the name of the maximum. */
static const struct {
	const char *name, *words;
} maxima[] = {
	{"bytes", "together they exceed the maximum size"},
	{"layers", "their number exceeds the maximum"},
	{"depth", "they are nested deeper than the maximum"},
	{"steps", "searching them took too many steps"},
};

int undecided_number(const struct rule *rule)
{
	for (int i = 0; i < UNDECIDED_COUNT; i++)
		if (rule == &rows[i])
			return i;
	return -1;
}

static bool has(const struct findings *f, const struct rule *rule)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].rule == rule)
			return true;
	return false;
}

int findings_grow(struct findings *f, struct err *err)
{
	size_t room = f->room ? 2 * f->room : 16;

	if (f->count < f->room)
		return 0;
	void *grown = realloc(f->list, room * sizeof(*f->list));
	if (!grown)
		return err_memory(err);
	f->list = grown;
	f->room = room;
	return 0;
}

int undecided_add(struct findings *f, enum undecided what, enum view view, const char *why,
		  struct err *err)
{
	if (has(f, &rows[what]))
		return 0;
	const char *copy = arena_dup(&f->arena, why);
	if (findings_grow(f, err) < 0)
		return -1;
	if (f->arena.failed)
		return err_memory(err);
	f->list[f->count++] = (struct finding){
		.rule = &rows[what], .undecided = true, .why = copy, .view = view, .decoding = ""};
	findings_sort(f, 0);
	return 0;
}

int undecided_add_layers(struct findings *f, struct err *err)
{
	const char *why = f->unsearched;

	for (size_t i = 0; why && i < ARRAY_SIZE(maxima); i++)
		if (strcmp(f->unsearched, maxima[i].name) == 0)
			why = maxima[i].words;
	return why ? undecided_add(f, UNDECIDED_LAYERS, VIEW_DECODED, why, err) : 0;
}

static unsigned rank(enum severity s)
{
	return s == SEVERITY_OTHER ? SEVERITY_INFORMATIONAL : s;
}

static int by_weight(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (rank(a->rule->severity) != rank(b->rule->severity))
		return rank(a->rule->severity) < rank(b->rule->severity) ? -1 : 1;
	if (a->confidence < b->confidence || a->confidence > b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	if (a->rule->order != b->rule->order)
		return a->rule->order < b->rule->order ? -1 : 1;
	return (int)a->view - (int)b->view;
}

void findings_sort(struct findings *f, size_t from)
{
	if (f->count > from)
		qsort(f->list + from, f->count - from, sizeof(*f->list), by_weight);
}

void findings_done(struct findings *f)
{
	free(f->list);
	arena_done(&f->arena);
	*f = (struct findings){0};
}

/* In order: a severity with at least this confidence has this verdict. */
static const struct {
	enum severity severity;
	double from;
	enum detect_verdict verdict;
} verdicts[] = {
	{SEVERITY_CRITICAL, 0, DETECT_DENY},
	{SEVERITY_HIGH, 0.8, DETECT_DENY},
	{SEVERITY_HIGH, 0, DETECT_ASK},
	{SEVERITY_MEDIUM, 0.6, DETECT_ASK},
};

static enum detect_verdict verdict_of(const struct finding *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++)
		if (verdicts[i].severity == f->rule->severity && f->confidence >= verdicts[i].from)
			return verdicts[i].verdict;
	return DETECT_ALLOW;
}

enum detect_verdict detect_verdict(const struct findings *f, const struct finding **ret_for)
{
	const struct finding *about = f->count ? f->list : NULL;
	enum detect_verdict verdict = about ? verdict_of(about) : DETECT_ALLOW;

	for (size_t i = 0; about && verdict == DETECT_ALLOW && i < f->count; i++)
		if (f->list[i].undecided) {
			about = &f->list[i];
			verdict = DETECT_ASK;
		}
	if (ret_for)
		*ret_for = about;
	return verdict;
}

static const struct {
	const char *name, *word;
} verdict_names[] = {
	[DETECT_DENY] = {"deny", "DENY"},
	[DETECT_ASK] = {"ask", "ASK"},
	[DETECT_ALLOW] = {"allow", "ALLOW"},
};

const char *detect_verdict_name(enum detect_verdict verdict)
{
	return verdict_names[verdict].name;
}

const char *detect_verdict_word(enum detect_verdict verdict)
{
	return verdict_names[verdict].word;
}

const char *detect_mode_name(unsigned mode)
{
	static const char *const names[] = {
		[DETECT_STRICT] = "strict", [DETECT_REFERENCE] = "reference"};

	return mode < ARRAY_SIZE(names) ? names[mode] : NULL;
}

const char *view_name(enum view view)
{
	static const char *const names[VIEW_COUNT] = {
		[VIEW_TEXT] = "text", [VIEW_DECODED] = "decoded", [VIEW_CODE] = "code"};

	return names[view];
}
