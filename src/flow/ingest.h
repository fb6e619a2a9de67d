/* SPDX-License-Identifier: MIT
 *
 * What an agent reads goes through here, whichever door it comes in by: the rules look at it, it is
 * recorded as a source of the domain, and only what comes back from that may be released. So there
 * are no bytes that an agent knows and the gate does not.
 */
#ifndef CORDON_FLOW_INGEST_H
#define CORDON_FLOW_INGEST_H

#include "flow/packs.h"
#include "flow/state.h"
#include "origin/canon.h"
#include "origin/source.h"

#define INGEST_BYTES_MAX CANON_TEXT_MAX
enum {
	INGEST_FINDINGS_MAX = 32, /* that are told and recorded; how many there were is told too */
	INGEST_RULE_MAX = 96,	  /* bytes of a rule's id */
	INGEST_TITLE_MAX = 160,
};

struct ingest_in {
	enum source_kind kind;
	const char *name; /* any bytes; the rules take it for a file's name */
	size_t name_len;
	struct text data; /* any bytes, a NUL after the last */
	/* What is said of it. It can only lower, unless VOUCHED for by Cordon or its configuration. */
	struct label label;
	bool vouched;
	const char *const *refs; /* more names for the log: the run it came from */
	size_t refc;
};

struct ingest_finding {
	char rule[INGEST_RULE_MAX + 1], title[INGEST_TITLE_MAX + 1];
	enum grade grade;
	bool undecided; /* a limit was reached before anybody knew */
};

struct ingest_report {
	struct source_released released; /* its data is NULL until all is on the disk */
	size_t findings;		 /* of so many, the worst of each rule: */
	size_t listed;
	struct ingest_finding list[INGEST_FINDINGS_MAX];
	bool unread; /* it is no text: the rules have not looked at all of it */
};

/* The engine that ingest asks: strict, and every lane, since what a finding may do is its grade's
 * business. RULES is zeroed; packs_done is always due. */
int ingest_rules(struct packs *rules, const struct packs_options *options, struct err *err);
/* D is as it is now, afterwards. What cannot be scanned or recorded is not released. */
int ingest(struct gate_state *state, const struct packs *rules, struct domain *d,
	   const struct ingest_in *in, struct ingest_report *ret, struct err *err);

#endif
