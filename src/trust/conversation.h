/* SPDX-License-Identifier: MIT
 *
 * A conversation is clean or exposed. It starts clean. The first untrusted thing that enters it exposes
 * it, and it never becomes clean again: a new conversation is the host's act.
 */
#ifndef CORDON_TRUST_CONVERSATION_H
#define CORDON_TRUST_CONVERSATION_H

#include "trust/keeper.h"

enum {
	CONVERSATION_TITLE_MAX = 200, /* bytes */
	CONVERSATION_CAUSE_MAX = 400,
	CONVERSATION_PREFIX_MIN = 6, /* digits of an id that are enough, if they mean one */
};

struct conversation {
	struct id id;
	char principal[PRINCIPAL_MAX + 1]; /* the account that began it */
	char title[CONVERSATION_TITLE_MAX + 1];
	uint64_t begun_us;
	uint64_t exposed_us;			/* 0: it is clean */
	char cause[CONVERSATION_CAUSE_MAX + 1]; /* what exposed it: "web page https://..." */
	uint64_t ended_us;			/* 0: it goes on */
	char end[CONVERSATION_CAUSE_MAX + 1];	/* why it ended */
	uint64_t sources;			/* that were read in it, ever */
	uint64_t print_bytes;			/* of fingerprints that are kept */
	uint64_t forgotten;			/* bytes of those that are not, ever */
	uint64_t version;			/* of its row; 0: it has none yet */
};

/* Fills in a clean one. It has no row until conversation_put is committed. */
void conversation_init(struct conversation *c, const char *principal, const char *title,
		       uint64_t now_us);
/* Begins one: its row and its record. */
int conversation_begin(struct keeper *k, struct conversation *c, struct err *err);
/* NAME is the id, or its first digits if they mean only one. */
int conversation_find(struct keeper *k, const char *name, struct conversation *ret,
		      struct err *err);
/* As it is now. */
int conversation_load(struct keeper *k, const struct id *id, struct conversation *ret,
		      struct err *err);
/* Is called for each, in no order; what it returns other than 0 ends the list and is returned. */
typedef int conversation_fn(void *context, const struct conversation *c, struct err *err);
int conversation_list(struct keeper *k, conversation_fn *fn, void *context, struct err *err);
/* No run and no source enters an ended conversation. */
int conversation_end(struct keeper *k, const struct id *id, const char *why,
		     struct conversation *ret, struct err *err);

/* Something untrusted enters it. The first cause stays. */
void conversation_expose(struct conversation *c, const char *cause, uint64_t now_us);
/* In a transaction: the row becomes C, or must still be what was read into C. */
void conversation_put(const struct conversation *c, struct store_tx *tx);
void conversation_expect(const struct conversation *c, struct store_tx *tx);
/* The record that says what became of it: "begun", "exposed", "ended". */
void conversation_record(const struct conversation *c, const char *what, struct store_tx *tx);

#endif
