/* SPDX-License-Identifier: MIT
 *
 * RFC 6962, section 2.1, and the check of RFC 9162, 2.1.3.2. A leaf and a node are hashed with
 * different first bytes, so that neither can pass for the other.
 */
#include "store/merkle.h"

#include <string.h>

#include "base/digest.h"

void merkle_leaf(const uint8_t *data, size_t len, uint8_t ret[MERKLE_HASH])
{
	static const uint8_t mark = 0x00;
	struct digest state;

	digest_init(&state);
	digest_add(&state, &mark, 1);
	digest_add(&state, data, len);
	digest_end(&state, ret);
}

static void node(const uint8_t *left, const uint8_t *right, uint8_t *ret)
{
	uint8_t both[1 + 2 * MERKLE_HASH] = {0x01};

	memcpy(both + 1, left, MERKLE_HASH);
	memcpy(both + 1 + MERKLE_HASH, right, MERKLE_HASH);
	digest_of(ret, both, sizeof(both));
}

unsigned merkle_edges(const struct merkle *m)
{
	return (unsigned)__builtin_popcountll(m->size);
}

void merkle_add(struct merkle *m, const uint8_t leaf[MERKLE_HASH])
{
	unsigned n = merkle_edges(m);
	uint8_t hash[MERKLE_HASH];

	memcpy(hash, leaf, MERKLE_HASH);
	for (uint64_t s = m->size; s & 1; s >>= 1)
		node(m->edge[--n], hash, hash);
	memcpy(m->edge[n], hash, MERKLE_HASH);
	m->size++;
}

void merkle_root(const struct merkle *m, uint8_t ret[MERKLE_HASH])
{
	unsigned n = merkle_edges(m);

	if (n == 0) {
		digest_of(ret, NULL, 0);
		return;
	}
	memcpy(ret, m->edge[--n], MERKLE_HASH);
	while (n > 0)
		node(m->edge[--n], ret, ret);
}

/* The largest power of two below N, which is 2 or more. */
static uint64_t split(uint64_t n)
{
	return (uint64_t)1 << (63 - __builtin_clzll(n - 1));
}

static void reverse(struct merkle_range *r, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct merkle_range swapped = r[i];
		r[i] = r[n - 1 - i];
		r[n - 1 - i] = swapped;
	}
}

/* Collects the ranges from the root down, then reverses them: a proof goes from the leaf up. */
size_t merkle_inclusion(uint64_t index, uint64_t size, struct merkle_range ret[MERKLE_PROOF_MAX])
{
	uint64_t from = 0, to = size;
	size_t n = 0;

	if (index >= size)
		return 0;
	while (to - from > 1) {
		uint64_t middle = from + split(to - from);
		if (index < middle) {
			ret[n++] = (struct merkle_range){middle, to};
			to = middle;
		} else {
			ret[n++] = (struct merkle_range){from, middle};
			from = middle;
		}
	}
	reverse(ret, n);
	return n;
}

struct walk {
	uint64_t at, last;
};

/* Is the next hash of the proof to the left? Then steps over levels without a right sibling. */
static bool goes_left(struct walk *w)
{
	if (!(w->at & 1) && w->at != w->last)
		return false;
	while (!(w->at & 1) && w->at != 0) {
		w->at >>= 1;
		w->last >>= 1;
	}
	return true;
}

static void step_up(struct walk *w)
{
	w->at >>= 1;
	w->last >>= 1;
}

bool merkle_is_included(const uint8_t leaf[MERKLE_HASH], uint64_t index, uint64_t size,
			const struct merkle_proof *proof, const uint8_t root[MERKLE_HASH])
{
	struct walk w = {index, size - 1};
	uint8_t hash[MERKLE_HASH];

	if (index >= size || proof->count > MERKLE_PROOF_MAX)
		return false;
	memcpy(hash, leaf, MERKLE_HASH);
	for (size_t i = 0; i < proof->count; i++) {
		if (w.last == 0)
			return false;
		if (goes_left(&w))
			node(proof->hash[i], hash, hash);
		else
			node(hash, proof->hash[i], hash);
		step_up(&w);
	}
	return w.last == 0 && memcmp(hash, root, MERKLE_HASH) == 0;
}
