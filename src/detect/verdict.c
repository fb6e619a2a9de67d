/* SPDX-License-Identifier: MIT
 *
 * The order of findings, and what they come to. Only the first finding decides, as in the
 * reference; one that could not be decided is never better than a question.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "detect/engine.h"

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

/* The least confidence from which on a severity has this verdict, in order. */
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
