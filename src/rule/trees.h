/* SPDX-License-Identifier: MIT
 *
 * Documents as bytes, so that YAML is read once and not at every start. What is read back is the
 * same tree, lines included, but for aliases: what they stand for is written out. The reader takes
 * the bytes for hostile, whatever sum they have: every length and count is held to the maxima that
 * the YAML reader has.
 */
#ifndef CORDON_RULE_TREES_H
#define CORDON_RULE_TREES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "yaml/node.h"

/* COUNT trees, from all of LEN bytes. Their strings stay where they are in DATA. */
int trees_decode(const uint8_t *data, size_t len, size_t count, struct arena *arena,
		 const struct node **ret, struct err *err);
/* Bytes that they need, or 0 when these are more than SIZE; DATA is NULL to ask only. */
size_t trees_encode(const struct node *const *root, size_t count, uint8_t *data, size_t size);

#endif
