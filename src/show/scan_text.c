/* SPDX-License-Identifier: MIT
 *
 * Findings for a person: two lines each, in the order of the files, and a summary at the end. Texts
 * and names from outside are escaped.
 */
#include <string.h>

#include "base/scope.h"
#include "show/scan_format.h"
#include "show/terminal.h"

#define OFF "\033[0m"

static const char *const colours[SEVERITY_OTHER + 1] = {
	[SEVERITY_CRITICAL] = "\033[1;31m", [SEVERITY_HIGH] = "\033[31m",
	[SEVERITY_MEDIUM] = "\033[33m",	    [SEVERITY_LOW] = "\033[36m",
	[SEVERITY_INFORMATIONAL] = "",	    [SEVERITY_OTHER] = "",
};

static void print_place(const struct scan_finding *f)
{
	terminal_print_text(stdout, f->unit->file->name);
	if (f->line)
		printf(":%zu", f->line);
	if (f->line && f->column)
		printf(":%zu", f->column);
	if (f->unit->number >= 0)
		printf(" (event %lld)", (long long)f->unit->number);
	if (f->unit->part) {
		fputs(" (server ", stdout);
		terminal_print_text(stdout, f->unit->part);
		putchar(')');
	}
}

static void print_finding(struct scan *s, const struct scan_finding *f)
{
	const struct finding *found = f->finding;
	const struct rule *rule = found->rule;
	bool colour = terminal_has_colour(stdout);

	scan_progress(s, NULL);
	print_place(f);
	printf(": %s", colour ? colours[rule->severity] : "");
	terminal_print_text(stdout, rule->severity_name);
	printf("%s ", colour ? OFF : "");
	terminal_print_text(stdout, rule->id);
	fputs(": ", stdout);
	terminal_print_text(stdout, rule->title);
	if (found->undecided) {
		fputs(" (not decidable: ", stdout);
		terminal_print_text(stdout, found->why);
		putchar(')');
	}
	printf("\n    lane %s, confidence %.0f %%, view %s", scan_lane_name(rule),
	       found->confidence * 100, view_name(found->view));
	if (*found->decoding)
		printf(" (%s)", found->decoding);
	fputs(f->excerpt[0] ? ": " : "", stdout);
	terminal_print_text(stdout, f->excerpt);
	putchar('\n');
}

static void print_note(struct scan *s, const char *file, size_t line, const char *words)
{
	(void)s;
	fflush(stdout);
	fputs("cordon: note: ", stderr);
	terminal_print_text(stderr, file);
	if (line)
		fprintf(stderr, ":%zu", line);
	fputs(*file ? ": " : "", stderr);
	terminal_print_text(stderr, words);
	fputc('\n', stderr);
}

static void print_effects(struct scan *s, const struct scan_file *file,
			  const struct code_view *view)
{
	if (!s->shows_effects)
		return;
	scan_progress(s, NULL);
	for (size_t i = 0; i < view->effectc; i++) {
		const struct code_effect *e = &view->effect[i];
		terminal_print_text(stdout, file->name);
		printf(":%u: effect %s: ", e->line, effect_name(e->kind));
		terminal_print_text(stdout, e->value);
		putchar('\n');
	}
}

static void print_rules(const struct packs *set)
{
	printf("rules: %zu", set->pack.rulec);
	for (size_t i = 0; i < set->sourcec; i++) {
		const struct packs_source *from = &set->source[i];
		printf("%s%zu %s: ", i ? ", " : " (", from->rules, from->kind);
		terminal_print_text(stdout, from->path);
	}
	puts(set->sourcec ? ")" : "");
}

static void print_counts(const struct scan_totals *t)
{
	const char *gap = " (";

	printf("%zu finding%s", t->findings, t->findings == 1 ? "" : "s");
	for (unsigned i = 0; i <= SEVERITY_OTHER; i++) {
		const struct word *w = vocab_at(VOCAB_SEVERITY, i);
		if (!t->severity[i])
			continue;
		printf("%s%zu %s", gap, t->severity[i], w ? w->name : "other");
		gap = ", ";
	}
	printf("%s in %zu file%s", t->findings ? ")" : "", t->files, t->files == 1 ? "" : "s");
	if (t->skipped)
		printf(", %zu left out", t->skipped);
	if (t->errors)
		printf(", %zu could not be scanned", t->errors);
}

static void end(struct scan *s)
{
	if (!s->begun)
		return; /* nothing was scanned, so nothing is clean */
	if (s->scanner.totals.findings > SCAN_FINDINGS_MAX)
		printf("%d findings are shown\n", SCAN_FINDINGS_MAX);
	print_counts(&s->scanner.totals);
	fputs("; ", stdout);
	terminal_print_text(stdout, s->scanner.reason[0] ? s->scanner.reason : "clean");
	putchar('\n');
	print_rules(s->rules);
}

FORMAT(text) = {
	.name = "text",
	.order = 10,
	.finding = print_finding,
	.note = print_note,
	.effects = print_effects,
	.end = end,
};
