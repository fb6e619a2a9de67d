/* SPDX-License-Identifier: MIT
 *
 * The tree against RFC 6962's own words, written down naively: roots of every size, inclusion of
 * every leaf, consistency of every pair; and that no proof holds for anything else.
 */
#include "store/merkle.h"

#include <sodium.h>
#include <stdlib.h>

#include "tap.h"

enum { LEAVES = 70, LEAF_LEN = 3 };

static uint8_t data[LEAVES][LEAF_LEN];

static void hash_with(uint8_t mark, const void *a, size_t a_len, const void *b, size_t b_len,
		      uint8_t *ret)
{
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, &mark, 1);
	crypto_hash_sha256_update(&state, a, a_len);
	crypto_hash_sha256_update(&state, b, b_len);
	crypto_hash_sha256_final(&state, ret);
}

static size_t below(size_t n)
{
	size_t k = 1;

	while (2 * k < n)
		k *= 2;
	return k;
}

/* MTH(D[from:to]) of section 2.1. */
static void naive_root(size_t from, size_t to, uint8_t *ret)
{
	uint8_t left[MERKLE_HASH], right[MERKLE_HASH];

	if (from == to) {
		crypto_hash_sha256(ret, NULL, 0);
	} else if (to - from == 1) {
		hash_with(0, data[from], LEAF_LEN, NULL, 0, ret);
	} else {
		size_t k = below(to - from);
		naive_root(from, from + k, left);
		naive_root(from + k, to, right);
		hash_with(1, left, MERKLE_HASH, right, MERKLE_HASH, ret);
	}
}

/* PATH(m, D[from:to]) of section 2.1.1. */
static size_t naive_path(size_t m, size_t from, size_t to, struct merkle_proof *ret)
{
	if (to - from <= 1)
		return ret->count = 0;
	size_t k = from + below(to - from);
	if (m < k) {
		naive_path(m, from, k, ret);
		naive_root(k, to, ret->hash[ret->count++]);
	} else {
		naive_path(m, k, to, ret);
		naive_root(from, k, ret->hash[ret->count++]);
	}
	return ret->count;
}

static void make_proof(const struct merkle_range *range, size_t count, struct merkle_proof *ret)
{
	ret->count = count;
	for (size_t i = 0; i < count; i++)
		naive_root(range[i].from, range[i].to, ret->hash[i]);
}

static bool same(const struct merkle_proof *a, const struct merkle_proof *b)
{
	return a->count == b->count && !memcmp(a->hash, b->hash, a->count * MERKLE_HASH);
}

static void test_roots(void)
{
	struct merkle tree = {0};
	int bad = 0;

	for (size_t n = 0; n <= LEAVES; n++) {
		uint8_t root[MERKLE_HASH], want[MERKLE_HASH], leaf[MERKLE_HASH];
		merkle_root(&tree, root);
		naive_root(0, n, want);
		bad += tree.size != n || memcmp(root, want, MERKLE_HASH) != 0;
		if (n == LEAVES)
			break;
		merkle_leaf(data[n], LEAF_LEN, leaf);
		merkle_add(&tree, leaf);
	}
	ok(!bad, "the root of every size up to %d", LEAVES);
}

/* Every leaf and size; then with a wrong leaf, place, size, or proof. */
static void test_inclusion(void)
{
	int bad = 0, other = 0, wrong = 0;

	for (size_t n = 1; n <= LEAVES; n++) {
		uint8_t root[MERKLE_HASH];
		naive_root(0, n, root);
		for (size_t m = 0; m < n; m++) {
			struct merkle_range range[MERKLE_PROOF_MAX];
			struct merkle_proof proof, want = {0};
			uint8_t leaf[MERKLE_HASH], another[MERKLE_HASH];
			make_proof(range, merkle_inclusion(m, n, range), &proof);
			naive_path(m, 0, n, &want);
			other += !same(&proof, &want);
			merkle_leaf(data[m], LEAF_LEN, leaf);
			merkle_leaf(data[(m + 1) % LEAVES], LEAF_LEN, another);
			bad += !merkle_is_included(leaf, m, n, &proof, root);
			wrong += merkle_is_included(another, m, n, &proof, root);
			wrong += n > 1 && merkle_is_included(leaf, (m + 1) % n, n, &proof, root);
			if (proof.count) {
				proof.count--;
				wrong += merkle_is_included(leaf, m, n, &proof, root);
				proof.count++;
				proof.hash[proof.count / 2][0] ^= 1;
				wrong += merkle_is_included(leaf, m, n, &proof, root);
			}
		}
	}
	ok(!other, "a proof of inclusion is what RFC 6962 says");
	ok(!bad, "and holds for every leaf of every size");
	ok(!wrong, "and for no other leaf, place or proof");
}

static void test_edges(void)
{
	struct merkle_range range[MERKLE_PROOF_MAX];
	struct merkle_proof proof = {0};
	uint8_t hash[MERKLE_HASH] = {0};

	ok(merkle_inclusion(5, 5, range) == 0 && !merkle_is_included(hash, 5, 5, &proof, hash) &&
		   !merkle_is_included(hash, 0, 0, &proof, hash),
	   "nothing is in a tree beyond its end");
	proof.count = MERKLE_PROOF_MAX + 1;
	ok(!merkle_is_included(hash, 1, 2, &proof, hash),
	   "no proof is longer than any tree is high");
	size_t most = merkle_inclusion(UINT64_MAX - 1, UINT64_MAX, range);
	ok(most <= MERKLE_PROOF_MAX, "the longest has %zu", most);
}

int main(void)
{
	for (size_t i = 0; i < LEAVES; i++)
		memcpy(data[i], (uint8_t[]){(uint8_t)i, 7, (uint8_t)(i * 3)}, LEAF_LEN);
	test_roots();
	test_inclusion();
	test_edges();
	return tap_done();
}
