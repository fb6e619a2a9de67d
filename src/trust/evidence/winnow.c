/* SPDX-License-Identifier: MIT
 *
 * A rolling hash, a rolling count of different characters, and the smallest of the last few hashes.
 * The smallest is searched again only when it leaves the window, in at most WINNOW_WINDOW steps.
 */
#include "trust/evidence/winnow.h"

#define BASE 0x9e3779b97f4a7c15ULL /* odd, so that every character counts */
#define NONE UINT64_MAX

struct roll {
	uint64_t sum, top; /* top: BASE to the power of K - 1 */
	uint8_t times[256];
	unsigned distinct, letters;
};

/* Digits and characters beyond ASCII count as letters. */
static bool is_letter(uint8_t c)
{
	return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static void roll_in(struct roll *r, uint8_t c)
{
	r->sum = r->sum * BASE + c + 1;
	r->distinct += r->times[c]++ == 0;
	r->letters += is_letter(c);
}

static void roll_out(struct roll *r, uint8_t c)
{
	r->sum -= (uint64_t)(c + 1) * r->top;
	r->distinct -= --r->times[c] == 0;
	r->letters -= is_letter(c);
}

static uint64_t roll_hash(const struct roll *r)
{
	unsigned least = r->letters ? WINNOW_DISTINCT : WINNOW_DISTINCT_SIGNS;

	/* The low bits of the sum depend on the last characters only, so the sum is mixed. Only the
	 * stored bits are compared. */
	return r->distinct < least ? NONE : prints_mix(r->sum) >> PRINT_AT_BITS;
}

/* The smallest hash of the pieces from FIRST to LAST; the last of equal ones. */
static size_t smallest(const uint64_t ring[WINNOW_WINDOW], size_t first, size_t last)
{
	size_t best = first;

	for (size_t i = first + 1; i <= last; i++)
		if (ring[i % WINNOW_WINDOW] <= ring[best % WINNOW_WINDOW])
			best = i;
	return best;
}

/* Reads all but the last character of the first piece. */
static void roll_begin(struct roll *r, const struct canon *c)
{
	*r = (struct roll){.top = 1};
	for (unsigned i = 1; i < WINNOW_K; i++)
		r->top *= BASE;
	for (size_t i = 0; i + 1 < WINNOW_K && i < c->len; i++)
		roll_in(r, c->byte[i]);
}

/* The hash of the piece at I. I must increase by one for each call. */
static uint64_t roll_next(struct roll *r, const struct canon *c, size_t i)
{
	roll_in(r, c->byte[i + WINNOW_K - 1]);
	uint64_t hash = roll_hash(r);
	roll_out(r, c->byte[i]);
	return hash;
}

void winnow(const struct canon *c, struct prints *out)
{
	uint64_t ring[WINNOW_WINDOW];
	struct roll r;
	size_t best = 0, told = SIZE_MAX;

	roll_begin(&r, c);
	for (size_t i = 0; i + WINNOW_K <= c->len; i++) {
		ring[i % WINNOW_WINDOW] = roll_next(&r, c, i);
		if (best + WINNOW_WINDOW <= i) /* it has left the window */
			best = smallest(ring, i + 1 - WINNOW_WINDOW, i);
		else if (ring[i % WINNOW_WINDOW] <= ring[best % WINNOW_WINDOW])
			best = i;
		uint64_t hash = ring[best % WINNOW_WINDOW];
		if (i + 1 < WINNOW_WINDOW || hash == NONE || best == told)
			continue;
		prints_add(out, hash << PRINT_AT_BITS | best);
		told = best;
	}
}

void winnow_all(const struct canon *c, struct prints *out)
{
	struct roll r;

	roll_begin(&r, c);
	for (size_t i = 0; i + WINNOW_K <= c->len; i++) {
		uint64_t hash = roll_next(&r, c, i);
		if (hash != NONE)
			prints_add(out, hash << PRINT_AT_BITS | i);
	}
}
