/* SPDX-License-Identifier: MIT
 *
 * Opens what the gate remembers, in the same way for every command: the state directory, the store
 * in it or in a database server, and the keys. Only the owner of the directory can open it.
 */
#ifndef CORDON_GATE_GATE_STATE_H
#define CORDON_GATE_GATE_STATE_H

#include <limits.h>

#include "conf/config.h"
#include "trust/keeper.h"

/* Environment variable with the URL of a database server (postgres://...). Without it, the file
 * below is read if it exists. */
#define STATE_URL_VARIABLE CONFIG_STORE_URL
#define STATE_URL_FILE "store.url"
enum { STATE_URL_MAX = 2048 };

/* All zero is the default. */
struct gate_state_options {
	const char *path; /* the state directory; NULL: the caller's own */
	bool accepts;	  /* see store/store.h */
	bool is_raw;	  /* see store/store.h */
	bool only_dir;	  /* opens the directory without the store */
	bool read_only;	  /* creates and changes nothing, and loads no keys */
	/* Root changes to the ids of the owner and cannot change back. Otherwise, root refuses
	 * another account's directory. */
	bool as_owner;
};

struct gate_state {
	int dir;	/* -1 if it is not open */
	bool on_server; /* a database server keeps the log */
	struct store *store;
	struct keeper keeper;		   /* uses STORE */
	char principal[PRINCIPAL_MAX + 1]; /* the owner: "uid:1000", see base/account.h */
	char path[PATH_MAX];
};

/* On an error nothing stays open. */
int gate_state_open(struct gate_state *ret, const struct gate_state_options *options,
		    struct err *err);
void gate_state_close(struct gate_state *s);

/* Initialiser of struct gate_state. */
#define STATE_CLOSED                                                                               \
	{                                                                                          \
		.dir = -1                                                                          \
	}
#define AUTO_STATE __attribute__((cleanup(gate_state_close)))

/* Sleeps before the next attempt. The time grows with TRIES and is random, so that processes do
 * not meet again. */
void gate_pause(int tries);

#endif
