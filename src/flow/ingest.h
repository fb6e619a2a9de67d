/* SPDX-License-Identifier: MIT
 *
 * Every door passes what an agent reads through here. The rules scan it, it is recorded as a
 * source of its conversation, and only the returned copy may be released. So an agent reads no
 * byte that the gate has not seen.
 */
#ifndef CORDON_FLOW_INGEST_H
#define CORDON_FLOW_INGEST_H

#include "gate/gate.h"
#include "trust/evidence/canonical_text.h"
#include "trust/source.h"

#define INGEST_BYTES_MAX CANON_TEXT_MAX

struct ingest_in {
	enum source_kind kind;
	const char *name; /* any bytes; rules use it as a file name */
	size_t name_len;
	const struct policy *policy; /* raises or lowers the grade of rules */
	struct text data;	     /* any bytes, with a NUL after the last */
	/* Texts that do not become part of the source: the program whose output this is. */
	const struct origin_text *own;
	size_t ownc;
	const char *const *refs; /* more names for the log, such as the run */
	size_t refc;
};

/* Always call ingest_done. */
struct ingest_report {
	struct source_released released; /* its data is NULL until everything is on disk */
	struct inspection inspection;	 /* the findings of the rules */
	/* a rule requires it: the source is recorded and not released */
	bool withheld;
};

/* C is updated. Bytes that cannot be scanned or recorded are not released. */
int ingest(struct gate_state *state, const struct packs *rules, struct conversation *c,
	   const struct ingest_in *in, struct ingest_report *ret, struct err *err);
void ingest_done(struct ingest_report *r);
/* Ingests the output of an exposed run as a source of its conversation. */
int ingest_output(struct gate *g, const struct result *r, struct err *err);

#endif
