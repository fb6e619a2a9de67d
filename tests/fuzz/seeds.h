/* SPDX-License-Identifier: MIT
 *
 * Good inputs of every shape: where a fuzzer starts from. Each target has its own file of them.
 */
#ifndef CORDON_FUZZ_SEEDS_H
#define CORDON_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/* How many mutations of each the smoke test makes. */
extern const int seed_rounds;
/* The I-th seed, malloc'd; NULL past the end. */
uint8_t *seed_make(unsigned i, size_t *ret_len);

#endif
