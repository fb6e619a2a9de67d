/* SPDX-License-Identifier: MIT
 *
 * A YAML document as JSON.
 */
#ifndef CORDON_SHOW_TREE_H
#define CORDON_SHOW_TREE_H

#include <jansson.h>

#include "yaml/node.h"

/* Numbers that JSON cannot hold become null. */
json_t *tree_json(const struct node *n);

#endif
