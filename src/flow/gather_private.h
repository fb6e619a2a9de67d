/* SPDX-License-Identifier: MIT
 *
 * Calls for the walk through a tree: which maps are one, and what they are as a line.
 */
#ifndef CORDON_FLOW_GATHER_PRIVATE_H
#define CORDON_FLOW_GATHER_PRIVATE_H

#include "flow/gather.h"

/* A command with a list of arguments, or a command that is a list. */
bool call_is(const struct node *map);
/* Each command with each list of arguments, a line each. -1: there are too many, and none was put. */
int call_put(struct gather *g, const struct node *map);
/* Arguments that are all in such a line. */
bool call_has_words(const struct node_pair *p);

#endif
