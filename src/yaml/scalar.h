/* SPDX-License-Identifier: MIT
 *
 * What a plain word means: YAML 1.2's core schema as js-yaml 4 reads it.
 */
#ifndef CORDON_YAML_SCALAR_H
#define CORDON_YAML_SCALAR_H

#include "base/arena.h"
#include "yaml/node.h"

/* Sets N's kind and value; a word that is nothing else is a string. */
void scalar_resolve(struct text word, struct node *n);
/* The string that JavaScript makes of a scalar when it is used as a key. */
struct text scalar_key(const struct node *n, struct arena *arena);

#endif
