/* SPDX-License-Identifier: MIT
 *
 * The keys with which the seeds of the target for tokens are made.
 */
#ifndef CORDON_FUZZ_TOKENS_H
#define CORDON_FUZZ_TOKENS_H

#include <sodium.h>
#include <string.h>

#include "origin/keeper.h"

#define TOKENS_PRINCIPAL "uid:1000"

static inline void tokens_keeper(struct keeper *k)
{
	static const uint8_t seed[KEY_SEED] = {7};

	memset(k, 0, sizeof(*k));
	memcpy(k->seed, seed, sizeof(seed));
	crypto_sign_seed_keypair(k->key.public, k->key.secret, seed);
}

#endif
