/* SPDX-License-Identifier: MIT
 *
 * Fingerprints of a text: hashes with their places, eight bytes each, sorted. The text is not stored.
 * A hash has 40 bits: a thousand hashes match one of a million others by chance once in a thousand
 * times. That costs a question, and evidence is not proof, so 40 bits suffice.
 */
#ifndef CORDON_TRUST_EVIDENCE_FINGERPRINT_H
#define CORDON_TRUST_EVIDENCE_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	PRINT_AT_BITS = 24,
	PRINT_SAME_MAX = 4 /* places per hash */
};

#define PRINT(hash, at) ((hash) >> PRINT_AT_BITS << PRINT_AT_BITS | (uint64_t)(at))
#define PRINT_AT(print) ((size_t)((print) & ((1U << PRINT_AT_BITS) - 1)))
#define PRINT_HASH(print) ((print) >> PRINT_AT_BITS)

/* Makes each bit depend on every bit. */
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
	bool failed; /* out of memory; prints_sort checks it */
};

void prints_add(struct prints *p, uint64_t print);
/* Sorts, and keeps the first SAME places of each hash. */
int prints_sort(struct prints *p, size_t same, struct err *err);
/* Are they sorted as by prints_sort? */
bool prints_are_sorted(const uint64_t *list, size_t count);
/* The first place from FROM on whose hash is HASH or higher. FROM must not be beyond it. */
size_t prints_seek(const uint64_t *list, size_t count, size_t from, uint64_t hash);
void prints_done(struct prints *p);

#endif
