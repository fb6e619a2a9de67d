/* SPDX-License-Identifier: MIT
 *
 * One record of the log: an object of canonical JSON. Its bytes are chained, hashed into the tree
 * and exported. Its refs are names (run:…, src:…) that find all records of one thing. They are part
 * of the record, so they are chained too.
 */
#ifndef CORDON_STORE_RECORD_H
#define CORDON_STORE_RECORD_H

#include <stdint.h>

#include "base/err.h"
#include "store/buf.h"
#include "store/jcs.h"

enum {
	RECORD_HASH = 32,
	RECORD_BODY_MAX = 256 * 1024,
	RECORD_MAX = RECORD_BODY_MAX + 48 * 1024, /* with all its refs */
	RECORD_REFS_MAX = 256,
	RECORD_REF_MAX = 128, /* bytes */
	RECORD_BOOT = 36,
};

/* A new kind is a row in record.c and a line in docs/explanation/LOG.md. */
enum record_kind {
	RECORD_GENESIS,
	RECORD_INGEST,
	RECORD_REQUEST,
	RECORD_SCAN,
	RECORD_VERDICT,
	RECORD_APPROVAL,
	RECORD_START,
	RECORD_DENIAL,
	RECORD_RESULT,
	RECORD_KEY,
	RECORD_POLICY,
	RECORD_CONVERSATION,
	RECORD_TICKET,
	RECORD_CHECKPOINT,
	RECORD_EGRESS,
	RECORD_TRUST,
	RECORD_APPLY,
	RECORD_ACCEPT,
	RECORD_UNDELIVERED,
	RECORD_STATE,
	RECORD_KINDS,
};

const char *record_kind_name(enum record_kind kind);

/* Times are in microseconds: TIME since 1970, MONO since the boot with the id BOOT. */
struct record {
	uint64_t seq, time, mono;
	enum record_kind kind;
	char boot[RECORD_BOOT + 1];
	uint8_t prev[RECORD_HASH];  /* SHA-256 of the record before, zero for the first */
	struct jcs_span body, refs; /* refs: a list of strings */
};

/* [a-z]+:[A-Za-z0-9_.:-]+ */
bool record_ref_is_good(const char *ref);
/* Writes the refs of a record as a list of canonical JSON. */
int record_write_refs(const char *const *ref, size_t count, struct buf *out, struct err *err);
int record_encode(const struct record *r, struct buf *out, struct err *err);
/* *RET points into DATA. Only the bytes that record_encode would write are accepted. */
int record_decode(const uint8_t *data, size_t len, struct record *ret, struct err *err);
/* The next ref; *AT begins as 0. */
bool record_next_ref(const struct record *r, size_t *at, char ret[RECORD_REF_MAX + 1]);

/* The log keeps a stub of an archived record (store/archive.h): its leaf of the tree. */
enum { RECORD_STUB = 1 + RECORD_HASH };
bool record_is_stub(const uint8_t *data, size_t len);
void record_make_stub(const uint8_t *data, size_t len, uint8_t ret[RECORD_STUB]);
/* The leaf of a record or of a stub. */
void record_leaf(const uint8_t *data, size_t len, uint8_t ret[RECORD_HASH]);
void record_hash(const uint8_t *data, size_t len, uint8_t ret[RECORD_HASH]);

#endif
