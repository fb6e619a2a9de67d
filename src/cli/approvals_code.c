/* SPDX-License-Identifier: MIT
 *
 * The code, line by line behind its number, with what ties to sources marked in it; and what is new
 * since the last time somebody approved a file of that name. A line with marks has >> before it, one
 * with something that is written out has !, so that "^M" in the code is not taken for a return: the
 * code cannot write there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/approvals.h"
#include "cli/linediff.h"
#include "cli/shown.h"

#define BELOW "         | "
#define MORE "      .. | "

/* A byte for each of the code's: 1 where it ties to a source. */
static uint8_t *marks_of(const struct approval *a, size_t len)
{
	const struct approval_evidence *e = a->request.evidence.list;
	uint8_t *mark = calloc(len + 1, 1);

	for (size_t i = 0; mark && i < a->request.evidence.count; i++)
		if (e[i].code_to <= len && e[i].code_from <= e[i].code_to)
			memset(mark + e[i].code_from, 1, e[i].code_to - e[i].code_from);
	return mark;
}

static void show_code_line(const struct shown *how, size_t number, const char *text, size_t len)
{
	bool marked = how->mark && memchr(how->mark, 1, len);

	bool plain = shown_is_plain(text, len);
	int column = printf("%s%c%5zu | ", marked ? ">>" : "  ", plain ? ' ' : '!', number);
	shown_line(how, (size_t)column, text, len);
}

static void show_changes_head(const struct approval_request *r)
{
	struct arena arena = {0};

	approvals_line("changes", "exactly what would be written; this shows the contents:");
	approvals_line("", "cordon diff --conversation %s %s", r->conversation,
		       arena_quote(&arena, r->workspace));
	arena_done(&arena);
}

void approvals_code(const struct approval *a, const struct approval_code *code)
{
	AUTO_FREE uint8_t *mark = marks_of(a, code->len);
	struct shown how = {.to = stdout,
			    .colour = cli_has_colour(stdout),
			    .below = BELOW,
			    .more = MORE,
			    .width = shown_width(stdout)};
	const char *data = code->data;
	size_t number = 0;

	if (approvals_is_changes(&a->request))
		show_changes_head(&a->request);
	else
		printf("  code        %zu bytes, exactly what would run\n", code->len);
	if (a->request.evidence.count)
		approvals_line("", ">> has parts that tie to a source");
	if (!shown_is_plain(data, code->len))
		approvals_line("", "! has something that would not be seen: it is written out");
	for (size_t at = 0; at < code->len;) {
		const char *end = memchr(data + at, '\n', code->len - at);
		size_t len = end ? (size_t)(end - data) - at : code->len - at;
		how.mark = mark ? mark + at : NULL;
		show_code_line(&how, ++number, data + at, len);
		at += len + 1;
	}
	if (code->len && data[code->len - 1] != '\n')
		puts(BELOW "(no newline at the end)");
}

static void show_diff_line(void *context, const struct linediff_line *line)
{
	struct shown how = {.to = stdout, .more = MORE, .width = shown_width(stdout)};

	(*(size_t *)context)++;
	int column = printf("%c %c%5zu | ", line->added ? '+' : '-',
			    shown_is_plain(line->text, line->len) ? ' ' : '!', line->number);
	shown_line(&how, (size_t)column, line->text, line->len);
}

static const struct approval_input *find_input(const struct approval_list *l, const char *name)
{
	const struct approval_input *in = l->list;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(in[i].name, name) == 0)
			return &in[i];
	return NULL;
}

static bool has_text(const struct approval_list *l, const char *text)
{
	const struct approval_text *t = l->list;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(t[i].text, text) == 0)
			return true;
	return false;
}

static void show_only_in(const struct approval_list *one, const struct approval_list *other,
			 const char *what, const char *how)
{
	const struct approval_text *t = one->list;

	for (size_t i = 0; i < one->count; i++)
		if (!has_text(other, t[i].text))
			approvals_line("", "%s %s: %s", what, how, t[i].text);
}

/* What it is given in words. */
static void show_new_words(const struct approval_request *from, const struct approval_request *to)
{
	static const struct {
		const char *what;
		size_t offset;
	} lists[] = {{"an argument", offsetof(struct approval_request, args)},
		     {"a variable", offsetof(struct approval_request, env)},
		     {"a limit", offsetof(struct approval_request, limits)},
		     {"something it could do", offsetof(struct approval_request, reach)}};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const struct approval_list *a =
			(const void *)((const char *)from + lists[i].offset);
		const struct approval_list *b = (const void *)((const char *)to + lists[i].offset);
		show_only_in(b, a, lists[i].what, "that is new");
		show_only_in(a, b, lists[i].what, "that is gone");
	}
}

/* Which of what the host gives it has another content, is new, or is gone. */
static void show_new_inputs(const struct approval_list *from, const struct approval_list *to)
{
	const struct approval_input *a = from->list, *b = to->list;

	for (size_t i = 0; i < to->count; i++) {
		const struct approval_input *old = find_input(from, b[i].name);
		if (!old)
			approvals_line("", "an input that is new: %s", b[i].name);
		else if (memcmp(old->sha256, b[i].sha256, sizeof(old->sha256)) != 0)
			approvals_line("", "an input has changed: %s", b[i].name);
	}
	for (size_t i = 0; i < from->count; i++)
		if (!find_input(to, a[i].name))
			approvals_line("", "an input is gone: %s", a[i].name);
}

static int show_diff(const struct approval *last, const struct approval *now,
		     const struct approval_code *from, const struct approval_code *to,
		     struct err *err)
{
	size_t lines = 0;

	approvals_line("what is new",
		       "against %s, the last approved of that name in that conversation", last->id);
	int r = linediff((struct linediff_text){from->data, from->len},
			 (struct linediff_text){to->data, to->len}, show_diff_line, &lines);
	if (r < 0)
		return err_memory(err);
	if (!lines)
		approvals_line("", "the code is the same%s",
			       from->len == to->len ? "" : " but for the newline at its end");
	if (r == 1)
		approvals_line("", "they are too different to be compared line by line");
	if (memcmp(last->request.stdin_sha256, now->request.stdin_sha256, APPROVAL_SHA256) != 0)
		approvals_line("", "an input has changed: standard input");
	show_new_words(&last->request, &now->request);
	show_new_inputs(&last->request.inputs, &now->request.inputs);
	return 0;
}

int approvals_diff(struct approvals *v, const struct approval *a, const struct approval_code *code,
		   struct err *err)
{
	AUTO_APPROVAL struct approval last = {0};
	struct approval_code before = {0};

	int found = approval_load_last(v->store, a, &last, err);
	if (found < 0)
		return -1;
	if (!found) {
		approvals_line("what is new",
			       "all: nothing of that name was approved in that conversation, or "
			       "it is not kept");
		return 0;
	}
	if (approval_load_code(v->store, &last, &before, err) < 0)
		return -1;
	int r = show_diff(&last, a, &before, code, err);
	free((void *)before.data);
	return r;
}
