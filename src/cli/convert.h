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
};

/* NULL past the end. */
const struct convert_target *convert_at(unsigned i);

#endif
