/* SPDX-License-Identifier: MIT
 *
 * A proof that a record is in the log, for a reader with the log's public key but without the log.
 * The format is C2SP tlog-proof, with the record as its extra data.
 *
 *     c2sp.org/tlog-proof@v1
 *     extra <the record, base64>
 *     index 17
 *     <hash, base64> ...
 *
 *     <checkpoint>
 */
#ifndef CORDON_STORE_PROOF_H
#define CORDON_STORE_PROOF_H

#include "store/note.h"
#include "store/store.h"

enum { PROOF_MAX = 2 * RECORD_MAX };

/* Makes a checkpoint first if the record is not covered by one. */
int proof_make(struct store *s, uint64_t seq, struct buf *out, struct err *err);
/* Checks the proof with the key that the caller trusts. RECORD gets the bytes of the record. */
int proof_check(const char *text, size_t len, const char *vkey, struct buf *record,
		struct err *err);

#endif
