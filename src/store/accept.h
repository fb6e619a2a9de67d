/* SPDX-License-Identifier: MIT
 *
 * A person accepts that the log lacks transactions that the file heads has. A record says which
 * ones were lost. Their lines stay in the file and do not count any more.
 */
#ifndef CORDON_STORE_ACCEPT_H
#define CORDON_STORE_ACCEPT_H

#include "store/store.h"

#define ACCEPT_REF "log:accepted"
enum { ACCEPT_MAX = 1024 };

/* The transactions after FROM up to TO. RECORDS: how many records the log had at TO. All 0: only
 * the file is missing. */
struct accept_lost {
	uint64_t from, to, records;
};

/* TX has the steps that must be committed with the record. S was opened with ACCEPTS. */
int store_accept(struct store *s, struct store_tx *tx, const struct accept_lost *lost,
		 const char *by, struct err *err);

#endif
