/* SPDX-License-Identifier: MIT
 *
 * Keys in the state directory, one file each, mode 0600. They are made when first needed, never
 * replaced and never printed. key_wipe wipes a key from memory.
 */
#ifndef CORDON_STORE_KEYS_H
#define CORDON_STORE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { KEY_SEED = 32, KEY_PUBLIC = 32, KEY_SECRET = 64, KEY_SIGNATURE = 64, KEY_NAME_MAX = 64 };

/* Ed25519. */
struct key {
	uint8_t public[KEY_PUBLIC], secret[KEY_SECRET];
};

/* 32 random bytes that stay the same: the seed of a key, or a key for hashes. NAME is a file of
 * DIR; CREATE: make it if it does not exist. */
int key_load_seed(int dir, const char *name, bool create, uint8_t ret[KEY_SEED], struct err *err);
int key_load(int dir, const char *name, bool create, struct key *ret, struct err *err);
void key_sign(const struct key *key, const void *data, size_t len, uint8_t ret[KEY_SIGNATURE]);
bool key_verify(const uint8_t public[KEY_PUBLIC], const void *data, size_t len,
		const uint8_t signature[KEY_SIGNATURE]);
void key_wipe(struct key *key);

#define AUTO_KEY __attribute__((cleanup(key_wipe)))

#endif
