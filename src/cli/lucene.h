/* SPDX-License-Identifier: MIT
 *
 * A rule's regular expression as Lucene's, for Elasticsearch's regexp query.
 */
#ifndef CORDON_CLI_LUCENE_H
#define CORDON_CLI_LUCENE_H

#include <jansson.h>

#include "base/err.h"
#include "yaml/node.h"

/* It matches whole values, as Lucene does, and at least those that the rule matches: what Lucene
 * cannot say (word boundaries, looking around, back-references) is left out, so that nothing is
 * missed. Case is left to the query. NULL and why when it is no expression. */
json_t *lucene_of_rule(struct text pattern, struct err *err);

#endif
