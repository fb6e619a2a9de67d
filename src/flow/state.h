/* SPDX-License-Identifier: MIT
 *
 * What the gate remembers, opened in one place for every command: the state directory, the store in it
 * (or in the database server it names), and the keys. Only the directory's owner can open it.
 */
#ifndef CORDON_FLOW_STATE_H
#define CORDON_FLOW_STATE_H

#include <limits.h>

#include "trust/keeper.h"

/* Names a database server (postgres://...). Without it the file below says so, if it is there. */
#define STATE_URL_VARIABLE "CORDON_STORE_URL"
#define STATE_URL_FILE "store.url"
enum { STATE_URL_MAX = 2048 };

/* Zero is the default. */
struct gate_state_options {
	const char *path;    /* the state directory; NULL: the caller's own */
	bool accepts_unkept; /* see store/store.h */
	bool read_only;	     /* nothing is made or changed, and there are no keys */
	/* Root takes the owner's ids, for good. Otherwise another account's directory is refused. */
	bool as_owner;
};

struct gate_state {
	int dir; /* -1: it is not open */
	struct store *store;
	struct keeper keeper;		   /* over STORE */
	char principal[PRINCIPAL_MAX + 1]; /* its owner: "uid:1000", see base/account.h */
	char path[PATH_MAX];
};

/* All of it or nothing. */
int gate_state_open(struct gate_state *ret, const struct gate_state_options *options,
		    struct err *err);
void gate_state_close(struct gate_state *s);

/* Initialise with STATE_CLOSED. */
#define STATE_CLOSED                                                                               \
	{                                                                                          \
		.dir = -1                                                                          \
	}
#define AUTO_STATE __attribute__((cleanup(gate_state_close)))

#endif
