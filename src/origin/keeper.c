/* SPDX-License-Identifier: MIT
 *
 * Keys, codes and the clock.
 */
#include "origin/keeper.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

int keeper_open(struct keeper *k, struct store *store, int dir, struct err *err)
{
	memset(k, 0, sizeof(*k));
	k->store = store;
	k->now_us = now_us;
	if (key_load_seed(dir, "handle.key", true, k->seed, err) < 0 ||
	    key_load(dir, "plan.key", true, &k->key, err) < 0) {
		keeper_done(k);
		return -1;
	}
	return 0;
}

void keeper_done(struct keeper *k)
{
	sodium_memzero(k->seed, sizeof(k->seed));
	key_wipe(&k->key);
	k->store = NULL;
}

/* Each part with its length, so that no two lists of parts are the same bytes. */
void keeper_mac(const struct keeper *k, const char *what, const char *principal, const void *data,
		size_t len, uint8_t ret[KEEPER_MAC])
{
	const struct {
		const void *data;
		size_t len;
	} part[] = {{what, strlen(what)}, {principal, strlen(principal)}, {data, len}};
	uint8_t full[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, k->seed, sizeof(k->seed));
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		uint8_t size[8];
		struct packer p = {.data = size, .room = sizeof(size)};
		pack_uint(&p, part[i].len, 8);
		crypto_auth_hmacsha256_update(&state, size, sizeof(size));
		crypto_auth_hmacsha256_update(&state, part[i].data, part[i].len);
	}
	crypto_auth_hmacsha256_final(&state, full);
	memcpy(ret, full, KEEPER_MAC);
	sodium_memzero(&state, sizeof(state));
}
