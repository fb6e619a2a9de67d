/* SPDX-License-Identifier: MIT
 *
 * The head of the log, which an append needs: the length, the last record's hash, the edge of the
 * tree. It is an item that every transaction writes together with its records. It proves nothing:
 * verify computes it again from the records.
 */
#ifndef CORDON_STORE_HEAD_H
#define CORDON_STORE_HEAD_H

#include "base/err.h"
#include "store/keys.h"
#include "store/merkle.h"
#include "store/record.h"

enum {
	HEAD_LOG_ID = 16,
	HEAD_MAX =
		8 + 8 * 4 + HEAD_LOG_ID + KEY_PUBLIC + RECORD_HASH + MERKLE_EDGE_MAX * MERKLE_HASH,
};
#define HEAD_KEY "log"

struct head {
	uint64_t
		writes; /* transactions so far; also the version of the items that the last one put */
	uint64_t checkpoint; /* the size of the log that the last checkpoint signs */
	uint64_t heads;	     /* length of the file heads before the last transaction */
	uint8_t log_id[HEAD_LOG_ID];
	uint8_t public[KEY_PUBLIC]; /* the key that signs the checkpoints */
	uint8_t last[RECORD_HASH];
	struct merkle tree;
};

size_t head_encode(const struct head *h, uint8_t ret[HEAD_MAX]);
int head_decode(const uint8_t *data, size_t len, struct head *ret, struct err *err);
struct store_tip;
/* The head that the database has; ERR_INPUT when it does not fit the last record. */
int head_from_tip(const struct store_tip *tip, struct head *ret, struct err *err);

#endif
