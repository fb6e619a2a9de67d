/* SPDX-License-Identifier: MIT
 *
 * What was not looked at, as findings of their own: never silence, and never only a remark.
 */
#ifndef CORDON_DETECT_UNDECIDED_H
#define CORDON_DETECT_UNDECIDED_H

#include "detect/engine.h"

#define UNDECIDED_CODE_ID "CORDON-LIMIT-CODE"

enum undecided {
	UNDECIDED_LAYERS, /* behind an encoding; the engine adds it itself */
	UNDECIDED_CODE,	  /* in the code view */
	UNDECIDED_JSON,	  /* in a document that is too deep or too much to be read as one */
	UNDECIDED_COUNT,
};

/* Adds it, once, and sorts. WHY is copied: which maximum it was, in words. */
int undecided_add(struct findings *f, enum undecided what, enum view view, const char *why,
		  struct err *err);
/* Nothing when F has nothing unsearched. */
int undecided_add_layers(struct findings *f, struct err *err);
/* Which of them a finding's rule stands for; -1: it is one of a pack. */
int undecided_number(const struct rule *rule);
/* Room for one more. */
int findings_grow(struct findings *f, struct err *err);

#endif
