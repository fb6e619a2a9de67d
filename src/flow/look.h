/* SPDX-License-Identifier: MIT
 *
 * One look at bytes that enter the gate: what the rules find in them, and every
 * reading of them in which a source can be recognised (as they are, as wide characters, decoded,
 * as a program). The same for code that is to run and for a document that is read: what one of
 * them calls grave, the other does too.
 */
#ifndef CORDON_FLOW_LOOK_H
#define CORDON_FLOW_LOOK_H

#include "flow/actions.h"
#include "flow/packs.h"
#include "flow/scan.h"
#include "model/report.h"
#include "policy/policy.h"
#include "scan/decode.h"
#include "scan/wide.h"
#include "trust/index.h"

/* The packs a gate asks, in every lane: the lane makes the grade. */
int look_rules(struct packs *rules, const struct packs_options *options, struct err *err);

struct look {
	const struct policy *policy; /* raises or lowers rules; or NULL */
	enum grade grade;
	bool review;	       /* a rule of the deny grade wants a person to look, and no more */
	unsigned actions;      /* bits of enum action, of findings of the deny grade */
	const char *denied_by; /* the first rule of that grade, or NULL */
	size_t findings;       /* in all */
	size_t rules;	       /* that found something */
	size_t listed;
	struct report_finding finding[REPORT_FINDINGS_MAX]; /* each rule once, the gravest */
	bool unread; /* a part that is no text, or was too much, was left out */
	size_t effectc;
	const struct code_effect *effect;
	size_t textc;
	struct origin_text *text; /* [0]: the bytes themselves */
	/* its own */
	uint8_t seen[PACK_RULES_MAX / 8 + 1]; /* a bit for each rule, by its number */
	struct code_view view;
	struct look_bytes *bytes;
	struct arena arena;
	struct err first; /* what could not be scanned */
};

/* What is looked at. A NUL follows DATA's last byte. */
struct look_at {
	const char *name;
	const char
		*how; /* NULL: the thing itself. Else what belongs to it and stands nowhere in it:
			  * "arguments"; it is copied */
	struct text data;
	bool joins; /* literals that it puts together are also read as one */
	bool is_command;
	struct scan_options options;
};

/* Adds to *L, which is zeroed at first, the thing itself before what belongs to it; look_done is
 * always due. What could not be scanned is an error: it is not harmless. */
int look_at(struct look *l, const struct packs *rules, const struct look_at *at, struct err *err);
void look_done(struct look *l);

#endif
