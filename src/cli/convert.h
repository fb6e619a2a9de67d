/* SPDX-License-Identifier: MIT
 *
 * Rules in other systems' words: a target is a row. A rule that a target cannot express is told,
 * never written as something weaker.
 */
#ifndef CORDON_CLI_CONVERT_H
#define CORDON_CLI_CONVERT_H

#include <jansson.h>

#include "rule/rule.h"

struct convert_target {
	const char *name, *help;
	bool is_text; /* what it makes are strings, to be printed as they are */
	/* The rule as that system wants it; NULL and why when it cannot be said there. */
	json_t *(*make)(const struct rule *rule, struct err *err);
	bool is_whole; /* nothing that a rule says is lost */
};

enum { CONVERT_NOTE_MAX = 200 };
/* What of the rule's I-th condition is lost where not all can be said, so that more is found there;
 * false: nothing. */
bool convert_note(const struct rule *rule, size_t i, char ret[CONVERT_NOTE_MAX]);

/* NULL past the end. */
const struct convert_target *convert_at(unsigned i);

#endif
