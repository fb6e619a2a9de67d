/* SPDX-License-Identifier: MIT
 *
 * The store and the clock, which conversations, sources, directories and tickets share.
 */
#ifndef CORDON_TRUST_KEEPER_H
#define CORDON_TRUST_KEEPER_H

#include "store/store.h"
#include "trust/id.h"

enum {
	KEEPER_TRIES_MAX = 64, /* attempts while other processes change the same row */
	PRINCIPAL_MAX = 128,   /* bytes of an account's name: "uid:1000" */
	KEEPER_SHA256 = 32,
};

struct keeper {
	struct store *store;
	uint64_t (*now_us)(void); /* since 1970 */
};

void keeper_init(struct keeper *k, struct store *store);

#endif
