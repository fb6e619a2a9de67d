/* SPDX-License-Identifier: MIT
 *
 * Findings that are no rule's: a part of what was to be scanned was not looked at. They are rows
 * that look like rules, so that whoever shows, counts or judges findings has nothing to add for
 * them; and they are undecided, so that no list with one of them in it can pass for clean.
 */
#include "detect/undecided.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define ROW(name, words)                                                                           \
	{                                                                                          \
		.id = (name), .title = (words), .status = RULE_STATUS_STABLE,                      \
		.maturity = MATURITY_STABLE, .severity = SEVERITY_HIGH, .severity_name = "high",   \
		.category = "not-decidable", .subcategory = "", .target = TARGET_BOTH,             \
		.source = SOURCE_OTHER, .expression = "", .file = "", .order = UINT_MAX            \
	}

static const struct rule rows[UNDECIDED_COUNT] = {
	[UNDECIDED_LAYERS] = ROW("CORDON-LIMIT-LAYERS", "Encoded layers were not all searched"),
	[UNDECIDED_CODE] = ROW(UNDECIDED_CODE_ID, "A program was not read as code, or not all"),
	[UNDECIDED_JSON] = ROW("CORDON-LIMIT-JSON", "A JSON document was read as text only"),
};

/* Why layers were left out, by the name of the maximum. */
static const struct {
	const char *name, *words;
} maxima[] = {
	{"bytes", "together they are longer than is searched"},
	{"layers", "there are more of them than are searched"},
	{"depth", "they lie deeper in one another than is searched"},
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
