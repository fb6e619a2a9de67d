/* SPDX-License-Identifier: MIT
 *
 * What an agent reads goes through here, whichever door it comes in by: the rules look at it, it is
 * recorded as a source of its conversation, and only what comes back from that may be released. So there
 * are no bytes that an agent knows and the gate does not.
 */
#ifndef CORDON_FLOW_INGEST_H
#define CORDON_FLOW_INGEST_H

#include "flow/look.h"
#include "flow/state.h"
#include "trust/canon.h"
#include "trust/source.h"

#define INGEST_BYTES_MAX CANON_TEXT_MAX

struct ingest_in {
	enum source_kind kind;
	const char *name; /* any bytes; the rules take it for a file's name */
	size_t name_len;
	const struct policy *policy; /* raises or lowers rules */
	struct text data;	     /* any bytes, a NUL after the last */
	/* What it says of itself is not learned from it: the program whose output this is. */
	const struct origin_text *own;
	size_t ownc;
	const char *const *refs; /* more names for the log: the run it came from */
	size_t refc;
};

/* ingest_done is always due. */
struct ingest_report {
	struct source_released released; /* its data is NULL until all is on the disk */
	struct look look;		 /* what the rules found */
	bool withheld;			 /* a rule says so: it is recorded, and not released */
};

/* C is as it is now, afterwards. What cannot be scanned or recorded is not released. */
int ingest(struct gate_state *state, const struct packs *rules, struct conversation *c,
	   const struct ingest_in *in, struct ingest_report *ret, struct err *err);
void ingest_done(struct ingest_report *r);

#endif
