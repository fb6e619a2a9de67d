/* SPDX-License-Identifier: MIT
 *
 * The list of findings, and those that no rule makes: a part of the input was not scanned. Such a part
 * is always reported as a finding of its own, never only as a remark.
 */
#ifndef CORDON_DETECT_FINDINGS_H
#define CORDON_DETECT_FINDINGS_H

#include "detect/engine.h"

#define UNDECIDED_CODE_ID "CORDON-LIMIT-CODE"

enum undecided {
	UNDECIDED_LAYERS, /* behind an encoding; the engine adds it */
	UNDECIDED_CODE,	  /* in the code view */
	UNDECIDED_JSON,	  /* in a document too deep or too large to be read */
	UNDECIDED_COUNT,
};

/* Adds it once, and sorts. WHY names the maximum and is copied. */
int undecided_add(struct findings *f, enum undecided what, enum view view, const char *why,
		  struct err *err);
/* Does nothing when F has no unsearched layers. */
int undecided_add_layers(struct findings *f, struct err *err);
/* Which of them the rule of a finding is; -1: a rule of a pack. */
int undecided_number(const struct rule *rule);
/* Room for one more. */
int findings_grow(struct findings *f, struct err *err);

#endif
