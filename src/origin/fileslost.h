/* SPDX-License-Identifier: MIT
 *
 * Runs that may have written what nobody remembers: a file that was changed since one of them began (its
 * ctime, seconds) may be of it, wherever it is. Copying and moving a file changes it too. There is a row
 * for each such run, from its start on: who is killed before what it wrote is known leaves it behind.
 */
#ifndef CORDON_ORIGIN_FILESLOST_H
#define CORDON_ORIGIN_FILESLOST_H

#include "origin/keeper.h"

enum { LOST_ROWS_MAX = 256 }; /* runs that are told apart; what is more becomes one row */

/* Why nobody knows all that it wrote. */
enum lost_why {
	LOST_OPEN, /* it is not known to have ended: it goes on, or was killed */
	LOST_MUCH, /* it was more than can be remembered, or could not be read */
	LOST_WHYS,
};
/* In words, after "a run ..."; NULL past the end. */
const char *lost_why_words(unsigned why);

struct lost_run {
	struct id run; /* all zero: several */
	enum lost_why why;
	int64_t since;
	int64_t last; /* of several: when the last of them began */
	uint64_t version;
	struct label label;
};

/* All of them together: the earliest counts, and all of their labels. */
struct files_lost {
	struct {
		bool any;
		int64_t since;
		struct label label;
	} by[LOST_WHYS];
	int64_t last;	 /* when the last of them began */
	uint64_t newest; /* the latest version of any row */
	size_t count;
	struct id run[LOST_ROWS_MAX]; /* the first of them, */
	uint64_t version[LOST_ROWS_MAX];
};

bool lost_is_several(const struct id *run);

int files_lost_load(struct keeper *k, struct files_lost *ret, struct err *err);
typedef int lost_run_fn(void *context, const struct lost_run *run, struct err *err);
int files_lost_each(struct keeper *k, lost_run_fn *fn, void *context, struct err *err);

/* In the transaction that starts the run. LOST: what there was before; if those are too many they become
 * one. */
void files_lost_open(const struct files_lost *lost, const struct lost_run *run,
		     struct store_tx *tx);
/* In the one that keeps the labels of what it wrote: that is all. */
void files_lost_close(const struct id *run, struct store_tx *tx);
/* Or it is not. */
void files_lost_add(const struct lost_run *run, struct store_tx *tx);

/* A person has looked at what was changed since. 1, or 0: there is no such row. */
int files_lost_find(struct keeper *k, const struct id *run, struct lost_run *ret, struct err *err);
/* What they sign: this run, this row and no later one. LABEL: the SHA-256 of RUN's, see below. */
void lost_run_digest(const struct lost_run *run, const uint8_t label[KEEPER_SHA256],
		     uint8_t ret[KEEPER_SHA256]);
void lost_run_label_digest(const struct lost_run *run, uint8_t ret[KEEPER_SHA256]);
/* In the transaction with the record of their word; it fails when the row is another one by then. */
void files_lost_end(const struct lost_run *run, struct store_tx *tx);

#endif
