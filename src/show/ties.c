/* SPDX-License-Identifier: MIT
 *
 * A tie without bytes in the code was found in a decoded form of the code. Such ties are compared
 * only by their place in the source.
 */
#include "show/ties.h"

#include <string.h>

struct span {
	uint64_t *from, *to;
};

static struct span code_of(struct report_tie *t)
{
	return (struct span){&t->code_from, &t->code_to};
}

static struct span source_of(struct report_tie *t)
{
	return (struct span){&t->source_from, &t->source_to};
}

static bool is_empty(struct span s)
{
	return *s.from >= *s.to;
}

static bool overlap(struct span a, struct span b)
{
	return *a.from < *b.to && *b.from < *a.to;
}

static void widen(struct span a, struct span b)
{
	*a.from = *b.from < *a.from ? *b.from : *a.from;
	*a.to = *b.to > *a.to ? *b.to : *a.to;
}

static const char *text(const char *t)
{
	return t ? t : "";
}

/* If both have no place, they are different. */
static bool is_one(struct report_tie *a, struct report_tie *b)
{
	bool nowhere = is_empty(code_of(a)) && is_empty(code_of(b));

	return strcmp(text(a->source), text(b->source)) == 0 &&
	       strcmp(text(a->how), text(b->how)) == 0 &&
	       (nowhere || overlap(code_of(a), code_of(b))) && overlap(source_of(a), source_of(b));
}

static size_t take(struct report_tie *into, struct report_tie *list, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		if (is_one(into, &list[i])) {
			widen(code_of(into), code_of(&list[i]));
			widen(source_of(into), source_of(&list[i]));
		} else {
			list[left++] = list[i];
		}
	return left;
}

size_t ties_merge(struct report_tie *list, size_t count)
{
	size_t at = 0;

	/* A widened tie may now overlap others. */
	while (at < count) {
		size_t left = at + 1 + take(&list[at], list + at + 1, count - at - 1);
		at += left == count;
		count = left;
	}
	return count;
}
