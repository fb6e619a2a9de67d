/* SPDX-License-Identifier: MIT
 *
 * Archives. The bodies of old records are written to a file and, once it is on the disk, removed
 * from the log. Their hashes stay, so the log can be verified as before, and an archived body
 * against it. Records of people's decisions stay in the log: trust, tickets, approvals, keys,
 * policies, conversations, checkpoints. Items are not touched, so the gate has all that it needs.
 *
 * The frames (store/frames.h):
 *     H  the log's name
 *     R  a record: number (8), hash (32), bytes
 */
#ifndef CORDON_STORE_ARCHIVE_H
#define CORDON_STORE_ARCHIVE_H

#include "store/frames.h"
#include "store/store.h"

#define ARCHIVE_MAGIC "cordon-archive 1\n"
#define ARCHIVE_REF "log:archived"

struct archive_info {
	uint64_t records, first, last; /* FIRST and LAST: valid if RECORDS is not 0 */
	uint64_t bytes;
	uint8_t sha256[32];
};

/* Moves records from before BEFORE_US to the new file NAME of DIR. Without such records no file is
 * made. */
int archive_make(struct store *s, uint64_t before_us, int dir, const char *name,
		 struct archive_info *ret, struct err *err);
/* The time of the oldest record that can be archived; 0: the log has no such record. */
int archive_oldest(struct store *s, uint64_t *ret_us, struct err *err);

/* The records in archives, for verify. */
struct archive_row {
	uint64_t seq;
	uint8_t hash[RECORD_HASH], leaf[RECORD_HASH];
};
struct archive_set {
	struct archive_row *row;
	size_t count, room;
};
/* Adds the archive in FD, which is untrusted: hashes are computed from its records. */
int archive_load(struct archive_set *set, int fd, struct err *err);
/* NULL: the record is not in the archives. */
const struct archive_row *archive_find(const struct archive_set *set, uint64_t seq);
void archive_set_done(struct archive_set *set);

/* The ranges that records of the log call archived: verify accepts no other record without a body. */
struct archive_span {
	uint64_t first, last, count, met;
};
struct archive_spans {
	struct archive_span *span;
	size_t count, room;
};
int archive_spans_load(struct archive_spans *spans, struct store *s, struct err *err);
bool archive_spans_meet(struct archive_spans *spans, uint64_t seq);
void archive_spans_done(struct archive_spans *spans);

#endif
