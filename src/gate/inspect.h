/* SPDX-License-Identifier: MIT
 *
 * Inspects bytes that enter the gate: what the rules find in them, and every reading in which a
 * source can be recognised (as they are, as wide characters, decoded, as a program). Code that is
 * to run and documents that are read are inspected alike, so both get the same grade for the same
 * bytes.
 */
#ifndef CORDON_GATE_INSPECT_H
#define CORDON_GATE_INSPECT_H

#include "detect/packs.h"
#include "detect/scan.h"
#include "gate/actions.h"
#include "model/report.h"
#include "policy/policy.h"
#include "scan/text/decode.h"
#include "scan/text/wide.h"
#include "trust/evidence/source_index.h"

/* Opens the rules of every lane. The lane of a rule decides its grade. */
int inspect_open_rules(struct packs *rules, const struct packs_options *options, struct err *err);

struct inspection {
	const struct policy *policy; /* raises or lowers the grade of rules; or NULL */
	enum grade grade;
	bool review;	       /* a rule of the deny grade only asks for a review */
	unsigned actions;      /* bits of enum action, of all findings of the deny grade */
	const char *denied_by; /* the first rule of the deny grade, or NULL */
	size_t findings;       /* all findings */
	size_t rules;	       /* rules with a finding */
	size_t listed;
	struct report_finding finding[REPORT_FINDINGS_MAX]; /* the gravest finding of each rule */
	bool unread; /* a part was not text or too large, and was not read */
	size_t effectc;
	const struct code_effect *effect;
	size_t textc;
	struct origin_text *text; /* [0] is the input as it is */
	/* private */
	uint8_t seen[PACK_RULES_MAX / 8 + 1]; /* a bit for each rule, by its number */
	struct code_view view;
	struct inspect_buffers *bytes;
	struct arena arena;
	struct err first; /* the first error of the scan */
};

/* The bytes to inspect. A NUL must follow the last byte of DATA. */
struct inspect_input {
	const char *name;
	/* NULL for the main input. Else the name of an attached input that is not part of the
	 * main text, such as "arguments"; its bytes are copied */
	const char *how;
	struct text data;
	bool joins; /* also read string literals that the code joins as one */
	bool is_command;
	struct scan_options options;
};

/* Adds to *R, which starts zeroed. Inspect the main input before attached ones. Always call
 * inspection_done. Bytes that cannot be scanned are an error: they do not count as harmless. */
int inspect_bytes(struct inspection *r, const struct packs *rules, const struct inspect_input *at,
		  struct err *err);
void inspection_done(struct inspection *r);

#endif
