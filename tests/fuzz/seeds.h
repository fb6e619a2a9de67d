/* SPDX-License-Identifier: MIT
 *
 * Specs of every shape, made by the encoder: where the fuzzer starts from.
 */
#ifndef CORDON_FUZZ_SEEDS_H
#define CORDON_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/* The I-th seed, malloc'd; NULL past the end. */
uint8_t *seed_make(unsigned i, size_t *ret_len);

#endif
