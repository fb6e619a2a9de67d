/* SPDX-License-Identifier: MIT
 *
 * The longest common subsequence of the lines left after removing the equal first and last lines.
 * Its table grows with both sides, so they have a maximum; beyond it each of these lines is shown as
 * removed or added. No line is ever left out.
 */
#include "base/linediff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

struct side {
	struct linediff_line *line;
	size_t count;
};

static bool split(struct linediff_text t, bool added, struct side *ret)
{
	size_t most = 1;

	for (size_t i = 0; i < t.len; i++)
		most += t.data[i] == '\n';
	ret->line = calloc(most, sizeof(*ret->line));
	if (!ret->line)
		return false;
	for (size_t at = 0; at < t.len;) {
		const char *end = memchr(t.data + at, '\n', t.len - at);
		size_t len = end ? (size_t)(end - t.data) - at : t.len - at;
		ret->line[ret->count] = (struct linediff_line){.text = t.data + at,
							       .len = len,
							       .number = ret->count + 1,
							       .added = added,
							       .unended = !end};
		ret->count++;
		at += len + 1;
	}
	return true;
}

static bool is_same(const struct linediff_line *a, const struct linediff_line *b)
{
	return a->len == b->len && a->unended == b->unended &&
	       memcmp(a->text, b->text, a->len) == 0;
}

struct middle {
	const struct linediff_line *from, *to;
	size_t fromc, toc;
};

static struct middle trim(const struct side *from, const struct side *to)
{
	size_t first = 0, a = from->count, b = to->count;

	while (first < a && first < b && is_same(&from->line[first], &to->line[first]))
		first++;
	while (a > first && b > first && is_same(&from->line[a - 1], &to->line[b - 1])) {
		a--;
		b--;
	}
	return (struct middle){from->line + first, to->line + first, a - first, b - first};
}

/* LONGEST[i][j]: the LCS length of FROM[i..] and TO[j..]. */
static void fill(const struct middle *m, uint16_t *longest)
{
	size_t width = m->toc + 1;

	for (size_t i = m->fromc; i-- > 0;)
		for (size_t j = m->toc; j-- > 0;) {
			uint16_t down = longest[(i + 1) * width + j],
				 right = longest[i * width + j + 1];
			longest[i * width + j] =
				is_same(&m->from[i], &m->to[j])
					? (uint16_t)(longest[(i + 1) * width + j + 1] + 1)
				: down > right ? down
					       : right;
		}
}

static int compare(const struct middle *m, linediff_fn *fn, void *context)
{
	size_t width = m->toc + 1, i = 0, j = 0;
	AUTO_FREE uint16_t *longest = calloc((m->fromc + 1) * width, sizeof(*longest));

	if (!longest)
		return -1;
	fill(m, longest);
	while (i < m->fromc || j < m->toc) {
		if (i < m->fromc && j < m->toc && is_same(&m->from[i], &m->to[j])) {
			i++;
			j++;
		} else if (i < m->fromc && (j == m->toc || longest[(i + 1) * width + j] >=
								   longest[i * width + j + 1])) {
			fn(context, &m->from[i++]);
		} else {
			fn(context, &m->to[j++]);
		}
	}
	return 0;
}

static int show_all(const struct middle *m, linediff_fn *fn, void *context)
{
	for (size_t i = 0; i < m->fromc; i++)
		fn(context, &m->from[i]);
	for (size_t j = 0; j < m->toc; j++)
		fn(context, &m->to[j]);
	return 1;
}

int linediff(struct linediff_text from, struct linediff_text to, linediff_fn *fn, void *context)
{
	struct side a = {0}, b = {0};
	int r = -1;

	if (split(from, false, &a) && split(to, true, &b)) {
		struct middle m = trim(&a, &b);
		bool fits = m.fromc <= LINEDIFF_LINES_MAX && m.toc <= LINEDIFF_LINES_MAX;
		r = (fits ? compare : show_all)(&m, fn, context);
	}
	free(a.line);
	free(b.line);
	return r;
}
