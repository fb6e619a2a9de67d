/* SPDX-License-Identifier: MIT
 *
 * What every part here that remembers needs: the store, and the keys of the state directory with
 * which handles and tokens are made. One for a process; no state of its own besides.
 */
#ifndef CORDON_ORIGIN_KEEPER_H
#define CORDON_ORIGIN_KEEPER_H

#include "origin/label.h"
#include "store/keys.h"
#include "store/store.h"

enum {
	KEEPER_TRIES_MAX = 64, /* when others change the same domain meanwhile */
	PRINCIPAL_MAX = 128,   /* bytes of who it is: "uid:1000", a subject of a token */
	KEEPER_MAC = 16,
	KEEPER_SHA256 = 32,
};

struct keeper {
	struct store *store;
	uint8_t seed[KEY_SEED];	  /* of handles */
	struct key key;		  /* of tokens */
	uint64_t (*now_us)(void); /* since 1970 */
};

/* DIR is the state directory; the keys are made if they are not there. */
int keeper_open(struct keeper *k, struct store *store, int dir, struct err *err);
void keeper_done(struct keeper *k);
#define AUTO_KEEPER __attribute__((cleanup(keeper_done)))

/* A code that only Cordon can make. WHAT: for what, so that one is not good for another. */
void keeper_mac(const struct keeper *k, const char *what, const char *principal, const void *data,
		size_t len, uint8_t ret[KEEPER_MAC]);

/* Something the host did, not the agent: only who has checked that says so. */
struct host_event {
	bool authenticated;
	const char *principal;
	const char *what; /* "new conversation"...; for the log */
};

#endif
