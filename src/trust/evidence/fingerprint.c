/* SPDX-License-Identifier: MIT
 *
 * Lists of fingerprints. They are sorted by radix, because a document has a million and comparing
 * them would take longer than making them. They are searched in doubling steps, because code is small
 * and documents are not.
 */
#include "trust/evidence/fingerprint.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FIRST_ROOM = 256, FEW = 64 };

void prints_add(struct prints *p, uint64_t print)
{
	if (p->count == p->room) {
		size_t room = p->room ? 2 * p->room : FIRST_ROOM;
		uint64_t *list = p->failed ? NULL : reallocarray(p->list, room, sizeof(*list));
		if (!list) {
			p->failed = true;
			return;
		}
		p->list = list;
		p->room = room;
	}
	p->list[p->count++] = print;
}

/* Stable: elements with the same digit keep their order. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	size_t begin[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		begin[from[i] >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t n = begin[i];
		begin[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[begin[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Places are mostly in order already, and then need no sorting. */
static bool do_places_ascend(const struct prints *p)
{
	for (size_t i = 1; i < p->count; i++)
		if (PRINT_AT(p->list[i - 1]) > PRINT_AT(p->list[i]))
			return false;
	return true;
}

/* Short lists are sorted by comparison, which needs no memory. */
static int sort(struct prints *p, struct err *err)
{
	uint64_t *from = p->list, *to;

	if (p->count < FEW) {
		if (p->count)
			qsort(p->list, p->count, sizeof(*p->list), compare);
		return 0;
	}
	to = malloc(p->room * sizeof(*to));
	if (!to)
		return err_memory(err);
	for (unsigned shift = do_places_ascend(p) ? PRINT_AT_BITS : 0; shift < 64;
	     shift += DIGIT_BITS) {
		uint64_t *was = from;
		sort_digit(from, to, p->count, shift);
		from = to;
		to = was;
	}
	p->list = from;
	free(to);
	return 0;
}

int prints_sort(struct prints *p, size_t same, struct err *err)
{
	size_t kept = 0, run = 0;

	if (p->failed)
		return err_memory(err);
	if (sort(p, err) < 0)
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		bool again = i && PRINT_HASH(p->list[i]) == PRINT_HASH(p->list[i - 1]);
		run = again ? run + 1 : 0;
		if (run < same)
			p->list[kept++] = p->list[i];
	}
	p->count = kept;
	return 0;
}

bool prints_are_sorted(const uint64_t *list, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (list[i - 1] > list[i])
			return false;
	return true;
}

size_t prints_seek(const uint64_t *list, size_t count, size_t from, uint64_t hash)
{
	size_t step = 1, low = from, high = from;

	while (high < count && PRINT_HASH(list[high]) < hash) {
		low = high + 1;
		high += step;
		step *= 2;
	}
	if (high > count)
		high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (PRINT_HASH(list[middle]) < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void prints_done(struct prints *p)
{
	free(p->list);
	*p = (struct prints){0};
}
