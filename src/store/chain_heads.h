/* SPDX-License-Identifier: MIT
 *
 * Compares the log with the file heads (store/heads.h): the log must have every transaction in the
 * file, except losses that a person has accepted (store/accept.h).
 */
#ifndef CORDON_STORE_CHAIN_HEADS_H
#define CORDON_STORE_CHAIN_HEADS_H

#include "store/accept.h"
#include "store/chain.h"

/* Does the line describe the head H? */ bool chain_line_is_head(const struct heads_line *line,
								 const struct head *h);
/* Opens the file and reads its newest line, as heads_newest does. 1: no file or no line. */
int chain_read_heads(struct store *s, struct heads_line *ret, uint64_t *ret_from, struct err *err);
/* Fails when the log with the head H lacks what the file knows. NEWEST and FROM are from
 * chain_read_heads; NULL: the file has no line. */
int chain_check_heads(struct store *s, struct heads_line *newest, uint64_t from,
		      const struct head *h, struct err *err);
/* Both steps, for an open log. 0: the log has the newest line, *RET. 1: there is no file, and the
 * log needs none yet. */
int chain_check(struct store *s, struct heads_line *ret, struct err *err);
/* Does the state's format have the file? 1, 0 or -1. */
int chain_needs_heads(const struct store *s, struct err *err);
/* Does the log have the line's record in the line's place? 1, 0 or -1. */
int chain_has_record(struct store *s, const struct heads_line *line, struct err *err);

/* The accepted losses. A record of one counts only if the file has a line for its transaction,
 * because a backup or a database from elsewhere may hold any record. */
struct accepted {
	struct accept_lost *lost;
	uint64_t *seq; /* of each record */
	size_t count;
};
int accepted_load(struct accepted *a, struct store *s, struct err *err);
bool accepted_has(const struct accepted *a, uint64_t writes);
void accepted_done(struct accepted *a);

#endif
