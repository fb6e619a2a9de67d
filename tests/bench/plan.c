/* SPDX-License-Identifier: MIT
 *
 * Turns a tool's row and a work's row into argv, once, before anything is timed.
 * Words are split at blanks and placeholders are replaced; nothing goes through a shell, because a
 * shell's start would be part of every number.
 * Must never truncate: a plan that does not fit is an error.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int plan_word(struct plan *p, const char *from, size_t len)
{
	if (p->words + 2 > PLAN_WORDS_MAX || p->used + len + 1 > PLAN_TEXT_MAX)
		return -1;
	char *to = p->text + p->used;
	memcpy(to, from, len);
	to[len] = '\0';
	p->used += len + 1;
	p->argv[p->words++] = to;
	p->argv[p->words] = NULL;
	return 0;
}

struct place {
	const char *mark;
	const char *value;
};

/* Replaces the first known mark in a word; the rows need no more than one. */
static int plan_place(struct plan *p, const struct place *places, const char *word, size_t len)
{
	char in[PATH_BYTES_MAX], out[PATH_BYTES_MAX * 2];
	if (len >= sizeof(in))
		return -1;
	memcpy(in, word, len);
	in[len] = '\0';
	for (const struct place *pl = places; pl->mark; pl++) {
		char *at = strstr(in, pl->mark);
		if (!at)
			continue;
		int n = snprintf(out, sizeof(out), "%.*s%s%s", (int)(at - in), in, pl->value,
				 at + strlen(pl->mark));
		return n < 0 || (size_t)n >= sizeof(out) ? -1
							 : plan_place(p, places, out, (size_t)n);
	}
	return plan_word(p, in, len);
}

static int plan_words(struct plan *p, const struct place *places, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " ");
		const char *inner = NULL;
		if (len == 5 && strncmp(text, "{cmd}", len) == 0)
			inner = p->work->cmd;
		else if (len == 5 && strncmp(text, "{box}", len) == 0)
			inner = p->work->box;
		int rc = 0;
		if (len == 4 && strncmp(text, "{id}", len) == 0)
			p->argv[p->words++] = p->id;
		else if (inner)
			rc = plan_words(p, places, inner);
		else if (len)
			rc = plan_place(p, places, text, len);
		if (rc < 0)
			return -1;
		text += len + strspn(text + len, " ");
	}
	p->argv[p->words] = NULL;
	return 0;
}

int plan_make(struct plan *p, const struct bench *b, const struct tool *t, const struct work *w)
{
	const struct place places[] = {
		{"{cordon}", b->cordon},
		{"{gated}", b->gated},
		{"{here}", b->here},
		{"{scratch}", b->scratch},
		{"{filter}", b->filter},
		{"{work}", w->name},
		{NULL, NULL},
	};
	memset(p, 0, sizeof(*p));
	p->tool = t;
	p->work = w;
	p->filter = t->needs & NEED_FILTER ? b->filter : NULL;
	int n = w->input ? snprintf(p->input, sizeof(p->input), "%s/%s", b->here, w->input)
			 : snprintf(p->input, sizeof(p->input), "/dev/null");
	if (n < 0 || (size_t)n >= sizeof(p->input))
		return -1;
	return plan_words(p, places, t->argv);
}
