/* SPDX-License-Identifier: MIT
 *
 * The type of a plain word: YAML 1.2's core schema as js-yaml 4 reads it.
 */
#ifndef CORDON_YAML_SCALAR_H
#define CORDON_YAML_SCALAR_H

#include "base/arena.h"
#include "yaml/node.h"

/* Sets N's kind and value; the default is a string. */
void scalar_resolve(struct text word, struct node *n);
/* The string to which JavaScript converts a scalar used as a key. */
struct text scalar_key(const struct node *n, struct arena *arena);

#endif
