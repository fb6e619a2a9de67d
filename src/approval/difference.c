/* SPDX-License-Identifier: MIT
 *
 * Explains why an approval does not cover a run, from the table of what an approval binds
 * (approval_request.c).
 */
#include <string.h>

#include "approval/approval_private.h"
#include "approval/summary.h"
#include "approval/tree_hash.h"
#include "base/scope.h"

enum { NAMES_MOST = 5 }; /* more are only counted */

/* Rows that follow from others have no words. */
static const struct {
	const char *field, *words;
} names[] = {
	{"code_sha256", "the code"},
	{"lang", "the language"},
	{"suffix", "the code's file name"},
	{"args", "the arguments"},
	{"env", "the environment"},
	{"stdin_sha256", "standard input"},
	{"inputs", "the input files"},
	{"changes", "the changes"},
	{"workspace", "the workspace's path"},
	{"workspace_mode", "the workspace mode"},
	{"venv", "the virtual environment's path"},
	{"exec", "the permitted programs"},
	{"net", "the hosts"},
	{"secret", "the secrets"},
	{"limits", "the limits"},
	{"tier", "the tier"},
	{"caps", "the effects"},
	{"grade", "the findings"},
	{"findings", "the findings"},
	{"policy_sha256", "the policy"},
	{"uid", "the account"},
	{"conversation", "the conversation"},
	{"approvers", "the number of approvers"},
	{"confirmation", "whether a confirmation is enough"},
};

struct words {
	struct buf *out;
	size_t named; /* names since the opening bracket */
};

static void name_one(struct words *w, const char *name)
{
	if (w->named < NAMES_MOST)
		buf_printf(w->out, "%s%s", w->named ? ", " : " (", name);
	w->named++;
}

static void close_names(struct words *w)
{
	if (w->named > NAMES_MOST)
		buf_printf(w->out, ", and %zu more", w->named - NAMES_MOST);
	if (w->named)
		buf_str(w->out, ")");
	w->named = 0;
}

static bool is_same(const struct field *f, const struct approval_request *a,
		    const struct approval_request *b)
{
	AUTO_BUF struct buf one = {.most = APPROVAL_BYTES_MAX}, two = {.most = APPROVAL_BYTES_MAX};
	const struct field row[] = {*f, {0}};

	fields_encode(row, a, FIELD_ALWAYS, &one);
	fields_encode(row, b, FIELD_ALWAYS, &two);
	return !one.failed && !two.failed && one.len == two.len &&
	       memcmp(one.data, two.data, one.len) == 0;
}

/* The order of files in a list: '/' sorts before every other byte. */
static int in_order(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	int x = *a == '/' ? 1 : *a ? (uint8_t)*a + 2 : 0;
	int y = *b == '/' ? 1 : *b ? (uint8_t)*b + 2 : 0;
	return x - y;
}

/* Names files that are new, removed or changed. Both lists are sorted and read once. */
static void name_files(struct words *w, struct approval_code old, struct approval_code now)
{
	AUTO_FREE struct tree_file *a = calloc(2, sizeof(*a));
	struct tree_file *b = a ? a + 1 : NULL;
	const char *old_at = old.data, *now_at = now.data;

	if (!a)
		return;
	bool has_old = tree_list_next(&old_at, old_at + old.len, a);
	bool has_now = tree_list_next(&now_at, now_at + now.len, b);
	while (has_old || has_now) {
		int order = !has_old ? 1 : !has_now ? -1 : in_order(a->name, b->name);
		if (order || strcmp(a->sha256, b->sha256) != 0)
			name_one(w, order < 0 ? a->name : b->name);
		if (order <= 0)
			has_old = tree_list_next(&old_at, (const char *)old.data + old.len, a);
		if (order >= 0)
			has_now = tree_list_next(&now_at, (const char *)now.data + now.len, b);
	}
}

static const struct approval_input *find_input(const struct approval_list *l, const char *name)
{
	const struct approval_input *in = l->list;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(in[i].name, name) == 0)
			return &in[i];
	return NULL;
}

static void put_inputs(struct words *w, const struct approval_list *old,
		       const struct approval_list *now)
{
	const struct approval_input *a = old->list, *b = now->list;

	for (size_t i = 0; i < now->count; i++) {
		const struct approval_input *in = find_input(old, b[i].name);
		if (!in || memcmp(in->sha256, b[i].sha256, sizeof(in->sha256)) != 0)
			name_one(w, b[i].name);
	}
	for (size_t i = 0; i < old->count; i++)
		if (!find_input(now, a[i].name))
			name_one(w, a[i].name);
	close_names(w);
}

static const struct approval_change *find_change(const struct approval_list *l, const char *path)
{
	const struct approval_change *c = l->list;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(c[i].path, path) == 0)
			return &c[i];
	return NULL;
}

static void put_changes(struct words *w, const struct approval_list *old,
			const struct approval_list *now)
{
	const struct approval_change *a = old->list, *b = now->list;

	for (size_t i = 0; i < now->count; i++) {
		const struct approval_change *c = find_change(old, b[i].path);
		if (!c || c->after_mode != b[i].after_mode || c->before_mode != b[i].before_mode ||
		    memcmp(c->after_sha256, b[i].after_sha256, sizeof(c->after_sha256)) != 0 ||
		    memcmp(c->before_sha256, b[i].before_sha256, sizeof(c->before_sha256)) != 0)
			name_one(w, b[i].path);
	}
	for (size_t i = 0; i < old->count; i++)
		if (!find_change(now, a[i].path))
			name_one(w, a[i].path);
	close_names(w);
}

static const char *words_of(const char *field)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].field, field) == 0)
			return names[i].words;
	return NULL;
}

bool approval_changed(const struct approval_request *old, const struct approval_code *old_code,
		      const struct approval_request *now, const struct approval_code *now_code,
		      struct buf *out)
{
	static const char *const lists[] = {"files", "pending files"};
	struct words w = {.out = out};
	size_t before = out->len;

	for (const struct field *f = request_fields; f->name; f++) {
		const char *words = words_of(f->name);
		if (!words || !(f->in & 1U << APPROVAL_SUBJECT) || is_same(f, old, now))
			continue;
		buf_printf(out, "%s%s", out->len > before ? "; " : "", words);
		if (strcmp(f->name, "changes") == 0)
			put_changes(&w, &old->changes, &now->changes);
		if (strcmp(f->name, "inputs") != 0)
			continue;
		put_inputs(&w, &old->inputs, &now->inputs);
		for (size_t i = 0; i < 2; i++) {
			struct approval_code a = {.data = ""}, b = {.data = ""};
			approval_attachment_find(old, old_code, lists[i], &a);
			approval_attachment_find(now, now_code, lists[i], &b);
			name_files(&w, a, b);
		}
		close_names(&w);
	}
	return out->len > before;
}
