/* SPDX-License-Identifier: MIT
 *
 * Series of samples and what is said of them: median, 99th percentile, minimum.
 * No means: one descheduled run on a shared machine would own a mean.
 */
#include <stdlib.h>

#include "bench.h"

int series_add(struct series *s, double v)
{
	if (s->n == s->max) {
		size_t max = s->max ? s->max * 2 : 64;
		double *grown = reallocarray(s->v, max, sizeof(*grown));
		if (!grown)
			return -1;
		s->v = grown;
		s->max = max;
	}
	s->v[s->n++] = v;
	return 0;
}

static int double_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct summary series_summary(struct series *s)
{
	if (!s->n)
		return (struct summary){0};
	qsort(s->v, s->n, sizeof(*s->v), double_order);
	size_t mid = s->n / 2, tail = (s->n * 99 + 99) / 100;
	double median = s->n % 2 ? s->v[mid] : (s->v[mid - 1] + s->v[mid]) / 2;
	return (struct summary){.median = median, .p99 = s->v[tail - 1], .min = s->v[0]};
}
