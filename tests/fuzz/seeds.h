/* SPDX-License-Identifier: MIT
 *
 * Good inputs of every shape: where a fuzzer starts from. Each target has its own file of them,
 * most of them a table of texts.
 */
#ifndef CORDON_FUZZ_SEEDS_H
#define CORDON_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/* How many mutations of each the smoke test makes. */
extern const int seed_rounds;
/* The I-th seed, malloc'd; NULL past the end. */
uint8_t *seed_make(unsigned i, size_t *ret_len);

struct seed {
	const char *data;
	size_t len;
};

#define SEED(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

/* seed_make for a table. */
uint8_t *seed_copy(const struct seed *seeds, size_t count, unsigned i, size_t *ret_len);

#endif
