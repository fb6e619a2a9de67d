/* SPDX-License-Identifier: MIT
 *
 * A document that was read, as JSON.
 */
#ifndef CORDON_CLI_TREE_H
#define CORDON_CLI_TREE_H

#include <jansson.h>

#include "yaml/node.h"

/* Numbers that JSON does not have become null. */
json_t *tree_json(const struct node *n);

#endif
