/* SPDX-License-Identifier: MIT
 *
 * Between clause.c and the file that reads an expression into pieces.
 */
#ifndef CORDON_SCAN_CLAUSE_READ_H
#define CORDON_SCAN_CLAUSE_READ_H

#include "scan/clause.h"

/* A sequence while it is being read. */
struct reader {
	struct clause_finder *f;
	struct sequence *q;
	bool edge;  /* a word's edge stands before what comes next */
	bool apart; /* what comes next must begin a piece: a place is kept */
	uint32_t look[8], look_at[8], looks;
};

/* Adds the pieces of NODE to the reader's sequence, and what else is known of every match. */
void clause_read(struct reader *r, uint32_t node);

#endif
