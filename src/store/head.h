/* SPDX-License-Identifier: MIT
 *
 * What an append must know of the log: how long it is, the last record's hash, the edge of the
 * tree. It is an item of its own beside the log and is written in the same transaction. Nobody
 * believes it: verify makes it again from the records.
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
		8 + 8 * 3 + HEAD_LOG_ID + KEY_PUBLIC + RECORD_HASH + MERKLE_EDGE_MAX * MERKLE_HASH,
};
#define HEAD_KEY "log"

struct head {
	uint64_t writes;     /* transactions so far: the version of what the last one put */
	uint64_t checkpoint; /* the size that the last checkpoint is about */
	uint8_t log_id[HEAD_LOG_ID];
	uint8_t public[KEY_PUBLIC]; /* whose checkpoints they are */
	uint8_t last[RECORD_HASH];
	struct merkle tree;
};

size_t head_encode(const struct head *h, uint8_t ret[HEAD_MAX]);
int head_decode(const uint8_t *data, size_t len, struct head *ret, struct err *err);

#endif
