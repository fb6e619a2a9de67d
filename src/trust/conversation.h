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
	CONVERSATION_PREFIX_MIN = 6, /* digits of an id that suffice if they are unique */
};

struct conversation {
	struct id id;
	char principal[PRINCIPAL_MAX + 1]; /* the account that began it */
	char title[CONVERSATION_TITLE_MAX + 1];
	uint64_t begun_us;
	uint64_t exposed_us;			/* 0: it is clean */
	char cause[CONVERSATION_CAUSE_MAX + 1]; /* what exposed it: "web page https://..." */
	uint64_t ended_us;			/* 0: it has not ended */
	char end[CONVERSATION_CAUSE_MAX + 1];	/* why it ended */
	uint64_t sources;			/* all that entered it */
	uint64_t print_bytes;			/* of stored fingerprints */
	uint64_t forgotten;			/* bytes of evicted fingerprints */
	uint64_t version;			/* of its row; 0: no row yet */
};

/* Initialises a clean conversation. It has no row until conversation_put is committed. */
void conversation_init(struct conversation *c, const char *principal, const char *title,
		       uint64_t now_us);
/* Writes the row and the record of a new conversation. */
int conversation_begin(struct keeper *k, struct conversation *c, struct err *err);
/* NAME is the id or a unique prefix of it. */
int conversation_find(struct keeper *k, const char *name, struct conversation *ret,
		      struct err *err);
/* Reads the current row. */
int conversation_load(struct keeper *k, const struct id *id, struct conversation *ret,
		      struct err *err);
/* Called for each conversation in no order. A result other than 0 ends the list and is returned. */
typedef int conversation_fn(void *context, const struct conversation *c, struct err *err);
int conversation_list(struct keeper *k, conversation_fn *fn, void *context, struct err *err);
/* No run and no source can enter an ended conversation. */
int conversation_end(struct keeper *k, const struct id *id, const char *why,
		     struct conversation *ret, struct err *err);

/* Marks the conversation exposed. The first cause stays. */
void conversation_expose(struct conversation *c, const char *cause, uint64_t now_us);
/* In TX: the row becomes C; or the row must still be the one that C was read from. */
void conversation_put(const struct conversation *c, struct store_tx *tx);
void conversation_expect(const struct conversation *c, struct store_tx *tx);
/* Adds the record of WHAT happened: "begun", "exposed", "ended". */
void conversation_record(const struct conversation *c, const char *what, struct store_tx *tx);

#endif
