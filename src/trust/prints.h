/* SPDX-License-Identifier: MIT
 *
 * What is kept of a text to find it again: hashes with their places, eight bytes each, sorted. The
 * text itself is not kept. 40 bits of hash: a thousand hashes meet a million others by chance once
 * in a thousand times, which costs a question; and no more is needed, as evidence is no proof.
 */
#ifndef CORDON_TRUST_PRINTS_H
#define CORDON_TRUST_PRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	PRINT_AT_BITS = 24,
	PRINT_SAME_MAX = 4 /* places that are kept of one hash */
};

#define PRINT(hash, at) ((hash) >> PRINT_AT_BITS << PRINT_AT_BITS | (uint64_t)(at))
#define PRINT_AT(print) ((size_t)((print) & ((1U << PRINT_AT_BITS) - 1)))
#define PRINT_HASH(print) ((print) >> PRINT_AT_BITS)

/* Makes every bit depend on every bit. */
static inline uint64_t prints_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ x >> 32;
}

struct prints {
	uint64_t *list;
	size_t count, room;
	bool failed; /* memory was out: checked once, by prints_sort */
};

void prints_add(struct prints *p, uint64_t print);
/* Sorts, and keeps of each hash the first SAME places. */
int prints_sort(struct prints *p, size_t same, struct err *err);
/* Are they what prints_sort leaves? */
bool prints_are_sorted(const uint64_t *list, size_t count);
/* The first at FROM or after whose hash is HASH or higher. FROM must not be beyond it. */
size_t prints_seek(const uint64_t *list, size_t count, size_t from, uint64_t hash);
void prints_done(struct prints *p);

#endif
