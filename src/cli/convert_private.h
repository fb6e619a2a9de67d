/* SPDX-License-Identifier: MIT
 *
 * What the targets of convert share.
 */
#ifndef CORDON_CLI_CONVERT_PRIVATE_H
#define CORDON_CLI_CONVERT_PRIVATE_H

#include <jansson.h>
#include <stdio.h>

#include "rule/rule.h"

/* A string that is written to like a file. */
struct growing {
	char *s;
	size_t len;
	FILE *to;
};

int grow_open(struct growing *g);
/* What was written; G is done with. */
json_t *grow_string(struct growing *g);
void grow_drop(struct growing *g);

/* Can it be said with conditions on texts and numbers, and AND, OR and NOT between them? */
int convert_check(const struct rule *rule, struct err *err);
int convert_too_deep(struct err *err);
/* Does case count in K? In a list only "exact" asks for it. */
bool convert_is_cased(const struct rule *rule, const struct rule_condition *k);

/* The targets. */
json_t *convert_to_splunk(const struct rule *rule, struct err *err);
json_t *convert_to_elastic(const struct rule *rule, struct err *err);

#endif
